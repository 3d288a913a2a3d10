"""`--exec`: a program that plays for `bot` and `duel`."""

import shlex
import signal
import sys

import pytest

from support.processes import is_running
from support.waiting import wait_until

SLEEPER = "#!/bin/sh\nsleep 600 &\necho $$ $! > pids.new\nmv pids.new pids\nwait\n"


@pytest.fixture
def pids(tmp_path):
    """The file in which a program that sleeps, and has a child that sleeps, writes the ids of both."""
    (tmp_path / "sleeper").write_text(SLEEPER)
    (tmp_path / "sleeper").chmod(0o755)
    return tmp_path / "pids"


@pytest.mark.parametrize(
    ("command", "number"),
    [("bot", signal.SIGTERM), ("bot", signal.SIGINT), ("duel", signal.SIGHUP), ("duel", signal.SIGKILL)],
)
def test_program_ends_with_its_command(start, server, pids, command, number):
    where = ["--server", server.url, "--ladder", "classic-practice"] if command == "bot" else []
    child = start(command, "--exec", "./sleeper", *where)
    wait_until(pids.exists)
    numbers = list(map(int, pids.read_text().split()))
    assert [is_running(pid) for pid in numbers] == [True, True]
    result = child.end(number)  # waits for the end of both pipes, which the program has inherited in part
    expected = {signal.SIGKILL: -signal.SIGKILL, signal.SIGINT: 130}.get(number, 128 + number)
    assert (result.status, "Traceback" in result.err) == (expected, False), result.err
    wait_until(lambda: not any(map(is_running, numbers)))


def test_ignored_hangup_stays_ignored(start, pids):
    """`nohup` starts a command like this: the signal must not end it."""
    child = start("duel", "--exec", "./sleeper", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_until(pids.exists)
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
