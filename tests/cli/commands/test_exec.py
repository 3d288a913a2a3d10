"""`--exec`: a program that plays for `bot` and `duel`."""

import signal

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
