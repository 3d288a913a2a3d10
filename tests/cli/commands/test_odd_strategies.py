"""Strategy files that return, raise or close odd things, or never return."""

import sys
import threading
import time

import pytest

from evilpegs import strategy_choice
from evilpegs.strategy_choice import SLOW_SECONDS, SlowStrategyWatch, executing_strategy_calls
from support.patience import PATIENCE

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
def write(tmp_path):
    """Write a strategy file of this body, and return the words of a command that plays it."""

    def write(command, body, server):
        text = (
            f"import os, sys, time\n\n\ndef choose(position, rng):\n    {body}\n    return position.first_candidate\n"
        )
        (tmp_path / "odd.py").write_text(text)
        return [*COMMANDS[command], *(["--server", server.url] if command == "bot" else [])]

    return write


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("body", FAILING.values(), ids=FAILING)
def test_failing_strategy_is_one_line(run, write, server, command, body):
    result = run(*write(command, body, server))
    assert (result.status, "Traceback" in result.err) == (2, False)
    assert "odd.py" in result.err.splitlines()[-1]


@pytest.mark.full
@pytest.mark.parametrize(
    ("command", "closing", "shown"),
    [
        ("duel", ["object"], "solved in"),
        ("evaluate", ["descriptors"], "3 games"),
        ("bot", ["object", "descriptors"], "verified: "),
    ],
)
def test_result_survives_strategy_that_closes_output(start, write, server, command, closing, shown):
    result = start(*write(command, "; ".join(CLOSING[each] for each in closing), server)).end()
    assert (result.status, result.err.count("Traceback")) == (0, 0)
    assert shown in result.out


@pytest.fixture
def soon(monkeypatch):
    """Name slow strategies at once; return the statement with which one waits for that."""
    monkeypatch.setattr(strategy_choice, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(strategy_choice, "LOOK_SECONDS", 0.01)
    return f"while 'odd.py' not in sys.stderr.getvalue() and time.monotonic() < {time.monotonic() + PATIENCE}: pass"


@pytest.mark.parametrize("command", COMMANDS)
def test_strategy_that_takes_long_is_named(run, write, server, soon, command):
    result = run(*write(command, soon, server))
    assert (result.status, "odd.py has been choosing" in result.err) == (0, True)


def test_file_that_takes_long_to_load_is_named(run, tmp_path, soon):
    text = f"import sys, time\n{soon}\ndef choose(position, rng):\n    return position.first_candidate\n"
    (tmp_path / "odd.py").write_text(text)
    assert "odd.py has been loading" in run("evaluate", "odd.py", "--rules", "2x2").err


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
