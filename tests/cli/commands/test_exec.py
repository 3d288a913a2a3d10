"""`--exec`: a program that plays for `bot` and `duel`."""

import shlex
import signal
import sys

import pytest

from support.processes import is_running, wait_until

SLEEPER = "#!/bin/sh\nsleep 600 &\necho $$ $! > pids.new\nmv pids.new pids\nwait\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("command", ["bot", "duel"])
def test_program_ends_with_its_command(start, server, tmp_path, command, number):
    (tmp_path / "sleeper").write_text(SLEEPER)
    (tmp_path / "sleeper").chmod(0o755)
    where = ["--server", server.url, "--ladder", "classic-practice"] if command == "bot" else []
    child, pids = start(command, "--exec", "./sleeper", *where), tmp_path / "pids"
    wait_until(pids.exists)
    numbers = list(map(int, pids.read_text().split()))
    assert [is_running(pid) for pid in numbers] == [True, True]
    result = child.end(number)  # waits for the end of both pipes, which the program has inherited in part
    expected = {signal.SIGKILL: -signal.SIGKILL, signal.SIGINT: 130}.get(number, 128 + number)
    assert (result.status, "Traceback" in result.err) == (expected, False)
    wait_until(lambda: not any(map(is_running, numbers)))


def test_ignored_hangup_stays_ignored(start, tmp_path):
    """`nohup` starts a command like this: the signal must not end it."""
    (tmp_path / "sleeper").write_text(SLEEPER)
    (tmp_path / "sleeper").chmod(0o755)
    child = start("duel", "--exec", "./sleeper", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_until((tmp_path / "pids").exists)
    child.process.send_signal(signal.SIGHUP)
    assert child.end(signal.SIGTERM).status == 128 + signal.SIGTERM


def test_shell_characters_are_pointed_out_in_one_line(run, tmp_path):
    (tmp_path / "bot").write_text(
        f"#!{sys.executable}\nfor line in iter(input, None):\n    print('{{}}', flush=True)\n"
    )
    (tmp_path / "bot").chmod(0o755)
    words = ("duel", "--rules", "2x2", "--exec")
    assert len(run(*words, "./bot '|'").err.splitlines()) == 1  # the failure alone
    first, *failure = run(*words, "./bot | tee log").err.splitlines()
    assert len(failure) == 1
    assert " | " in first
    assert shlex.split(first.partition("write ")[2]) == ["--exec", "sh -c './bot | tee log'"]


@pytest.fixture
def programs(tmp_path):
    """Programs in the current directory that cannot play, or not under the name that they are given."""
    for name, text in {
        "my": "#!/bin/sh\n",
        "lost": "#!/nope/python\n",
        "env": "#!/usr/bin/env no-such-thing\n",
    }.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "folder").mkdir()


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["--exec", "my"], ["PATH", "./my"]),
        (["--exec", "./folder"], ["'./folder'", "directory"]),
        (["./my"], ["--exec ./my"]),
        (["--exec", "./lost"], ["'/nope/python'", "lost"]),
        (["--exec", "./env"], ["'no-such-thing'", "env"]),
    ],
)
@pytest.mark.parametrize("command", ["bot", "duel"])
@pytest.mark.usefixtures("programs")
def test_program_that_cannot_play_is_refused_before_a_match(run, command, words, facts):
    result = run(command, *words)
    assert (result.status, result.out) == (2, "")
    assert all(fact in result.complaint for fact in facts)


def test_evaluate_says_that_it_has_no_programs(run):
    result = run("evaluate", "--exec", "./my")
    assert (result.status, "duel" in result.complaint) == (2, True)


@pytest.mark.parametrize("name", ["UPPER", "x", "guest-1", "a b"])
def test_bad_name_is_quoted_with_what_is_allowed(run, name):
    result = run("bot", "minimax", "--name", name)
    assert result.status == 2
    assert all(fact in result.complaint for fact in (repr(name), "2 to 20", "a-z"))
