"""Strategy files that return, raise or close odd things, or never return."""

import signal
import sys
import threading

import pytest

from evilpegs.strategy_choice import SLOW_SECONDS, SlowStrategyWatch, executing_strategy_calls

FAILING = {
    "huge number": "return (10**10000, 0, 0, 0)",
    "text that fails": "raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})",
    "items that fail": "return (1 // 0 for _ in range(4))",
    "repr that fails": "return type('Odd', (), {'__repr__': lambda self: 1 / 0})()",
}
CLOSING = {
    "object": "sys.stdout.close(); sys.stderr.close()",
    "descriptors": "[os.close(fd) for fd in (1, 2) if os.path.exists(f'/proc/self/fd/{fd}')]",
}
COMMANDS = {
    "duel": ["duel", "odd.py"],
    "evaluate": ["evaluate", "odd.py", "--games", "3"],
    "bot": ["bot", "odd.py", "--ladder", "classic-practice"],
}


@pytest.fixture
def play(start, server, tmp_path):
    """Start a command in a child process with a strategy file of this body."""

    def play(command, body):
        text = (
            f"import os, sys, time\n\n\ndef choose(position, rng):\n    {body}\n    return position.first_candidate\n"
        )
        (tmp_path / "odd.py").write_text(text)
        where = ["--server", server.url] if command == "bot" else []
        return start(*COMMANDS[command], *where)

    return play


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("body", FAILING.values(), ids=FAILING)
def test_failing_strategy_is_one_line(play, command, body):
    result = play(command, body).end()
    assert (result.status, "Traceback" in result.err) == (2, False)
    assert "odd.py" in result.err.splitlines()[-1]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("body", CLOSING.values(), ids=CLOSING)
def test_result_survives_strategy_that_closes_output(play, command, body):
    result = play(command, body).end()
    assert (result.status, result.err.count("Traceback")) == (0, 0)
    assert {"duel": "solved in", "evaluate": "3 games", "bot": "verified: "}[command] in result.out


@pytest.mark.parametrize("command", COMMANDS)
def test_strategy_that_never_returns_is_named(play, command):
    child = play(command, "time.sleep(600)")
    lines = iter(child.process.stderr.readline, b"")
    assert any(b"odd.py has been choosing" in line for line in lines)
    assert child.end(signal.SIGINT).status == 130


def test_file_that_never_finishes_loading_is_named(start, tmp_path):
    (tmp_path / "odd.py").write_text("import time\ntime.sleep(600)\n")
    child = start("evaluate", "odd.py")
    assert b"odd.py has been loading" in child.process.stderr.readline()


def strategy_frame(name="choose"):
    """Return a frame that belongs to a strategy file."""
    space = {"__name__": "evilpegs_strategy_loop", "sys": sys}
    exec(compile(f"def {name}():\n    return sys._getframe()\n", "/home/ann/loop.py", "exec"), space)
    return space[name]()


@pytest.mark.parametrize(("in_place", "lines"), [(False, ["5 s", "10 s"]), (True, [f"{n} s" for n in range(5, 13)])])
def test_slow_choice_is_named_while_it_lasts(in_place, lines):
    written, frame = [], strategy_frame()
    watch = SlowStrategyWatch(written.append, in_place)
    for second in range(13):
        watch.look([frame], 100.0 + second)
    shown = [text for text in written if "loop.py" in text]
    assert [line in text for line, text in zip(lines, shown, strict=True)] == [True] * len(lines)
    watch.look([], 120.0)
    assert (written[-1] != shown[-1]) is in_place


def test_many_fast_choices_are_not_slow():
    written = []
    watch = SlowStrategyWatch(written.append, in_place=False)
    for second in range(int(4 * SLOW_SECONDS)):
        watch.look([strategy_frame()], float(second))
    assert written == []


def test_calls_of_other_code_are_not_seen():
    assert executing_strategy_calls(threading.get_ident()) == []
