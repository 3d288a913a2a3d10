"""A strategy that is a program of its own."""

import json
import os
import signal
import stat
import subprocess
import sys
import threading
from contextlib import closing
from random import Random

import pytest

from evilpegs_clients.strategies import program as program_module
from evilpegs_clients.strategies.program import MAX_LINE, ProgramStrategy, shell_characters
from evilpegs_clients.strategies.program_guard import MAX_ERROR_BYTES, ErrorOutput
from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_game.feedback import Feedback
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from support.processes import is_running
from support.waiting import wait_until

CLASSIC = Rules(4, 6)


@pytest.fixture
def program(tmp_path):
    """Write a program whose body runs for each request, and return a function that opens it as a strategy."""
    opened = []

    def write(body, before="", arguments="", **options):
        path = tmp_path / "my bot"
        lines = ["import json, os, sys, time", before, "for line in sys.stdin:", "    position = json.loads(line)"]
        path.write_text(f"#!{sys.executable}\n" + "\n".join([*lines, f"    {body}"]) + "\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        opened.append(ProgramStrategy(f"'{path}' {arguments}", **options))
        return opened[-1]

    yield write
    for strategy in opened:
        strategy.close()


def answer(expression):
    """Return a statement that answers with the code of an expression."""
    return f"print(json.dumps({{'code': {expression}}}), flush=True)"


def ask(strategy, position=None, seed=0):
    return strategy.choose(position or Position(CLASSIC), Random(seed))


def test_program_receives_whole_position(program, tmp_path):
    seen = tmp_path / "seen"
    strategy = program(f"open({str(seen)!r}, 'w').write(line); {answer(repr('3456'))}")
    position = Position(CLASSIC).after((0, 0, 1, 1), Feedback(1, 2))
    assert ask(strategy, position, seed=7) == (2, 3, 4, 5)
    assert json.loads(seen.read_text()) == {
        "rules": "4x6",
        "pegs": 4,
        "colors": 6,
        "symbols": "123456",
        "repeats": True,
        "turn": 2,
        "history": [{"code": "1122", "black": 1, "white": 2}],
        "seed": Random(7).getrandbits(32),
    }


def test_one_process_answers_every_turn(program):
    strategy = program(answer("'1111' if str(os.getpid()) == first else '2222'"), "first = str(os.getpid())")
    assert [ask(strategy), ask(strategy)] == [(0, 0, 0, 0)] * 2


def test_program_gets_its_arguments(program):
    assert ask(program(answer("sys.argv[1] + sys.argv[2]"), arguments="12 '34'")) == (0, 1, 2, 3)


def test_environment_has_no_variable_of_evilpegs(program, monkeypatch):
    monkeypatch.setenv("EVILPEGS_TOKEN", "secret")
    monkeypatch.setenv("BOT_LEVEL", "3")
    condition = "not any('EVILPEGS' in name for name in os.environ) and os.environ['BOT_LEVEL'] == '3'"
    assert ask(program(answer(f"'1111' if {condition} else '2222'"))) == (0, 0, 0, 0)


def test_version_follows_content_of_file(program):
    versions = [program(answer(repr(code))).version for code in ("1111", "2222", "1111")]
    assert versions[0] == versions[2] != versions[1]
    assert all(len(version) == 8 for version in versions)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("sys.exit(3)", "3"),
        ("os.kill(os.getpid(), 9)", "9"),
        ("print('rubbish', flush=True)", "rubbish"),
        (answer("'7777'"), "7777"),
        (answer("1122"), "1122"),
        ("print('[]', flush=True)", "[]"),
        (f"print('x' * {2 * MAX_LINE}, flush=True)", str(MAX_LINE)),
        ("os.close(1); time.sleep(60)", "standard"),
        ("print('\\x1b[31m', flush=True)", "\\x1b"),
    ],
)
def test_broken_program_loses_its_guess_in_one_line(program, body, named):
    with pytest.raises(StrategyError) as caught:
        ask(program(body))
    line = str(caught.value)
    assert line.isprintable()
    assert "my bot" in line
    assert named in line


def test_second_line_is_no_answer_to_next_question(program, tmp_path):
    asked, done = tmp_path / "asked", tmp_path / "done"
    wait = f"all(iter(lambda: time.sleep(0.01) or not os.path.exists({str(asked)!r}), False))"
    strategy = program(f"{answer(repr('1111'))}; {wait}; {answer(repr('2222'))}; open({str(done)!r}, 'w')")
    ask(strategy)
    asked.touch()
    wait_until(done.exists)
    with pytest.raises(StrategyError, match="2222"):
        ask(strategy)


def test_program_that_hangs_is_killed_with_its_children(program, tmp_path):
    child = tmp_path / "child"
    body = f"pid = os.fork(); open({str(child)!r}, 'a').write(f'{{pid}} ') if pid else None; time.sleep(600)"
    strategy = program(body, answer_seconds=0.5)
    while not child.exists():  # a busy machine may need longer to start Python
        with pytest.raises(StrategyError, match=r"0\.5"):
            ask(strategy)
    pids = list(map(int, child.read_text().split()))
    assert pids
    wait_until(lambda: not any(map(is_running, pids)))


def test_silent_program_is_named_once_before_it_is_killed(program, monkeypatch, capsys):
    monkeypatch.setattr(program_module, "SLOW_SECONDS", 0.125)
    with pytest.raises(StrategyError, match="flush"):
        ask(program("time.sleep(600)", answer_seconds=0.5))
    lines = [line for line in capsys.readouterr().err.splitlines() if "my bot" in line]
    assert len(lines) == 1
    assert "0.125" in lines[0]
    assert "0.5" in lines[0]


def test_quick_program_is_not_named(program, capsys):
    ask(program(answer(repr("1111"))))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("./bot | tee log", ["|"]),
        ("./bot >log 2>>err", [">", ">>"]),
        ("cd bots && ./bot; ./bot &", ["&&", ";", "&"]),
        ("~/bot --book ~/books", ["~"]),
        ("$HOME/bot $X ${Y} $(date)", ["$HOME", "$X", "${", "$("]),
        ('./bot "$HOME/book"', ["$HOME"]),
        ("./bot *.txt <book", ["*", "<"]),
        ("./bot --fast a~b c$ 5%", []),
        ("""./bot 'a | b' "c > d * ~" '$X' \\$X \\* "\\$X" it\\'s""", []),
    ],
)
def test_shell_characters_are_found_where_a_shell_would_read_them(command, found):
    assert shell_characters(command) == found


def test_program_starts_again_after_it_died(program, tmp_path):
    marker = tmp_path / "died"
    body = f"os.path.exists({str(marker)!r}) or (open({str(marker)!r}, 'w'), os._exit(1)); {answer(repr('1234'))}"
    strategy = program(body)
    with pytest.raises(StrategyError):
        ask(strategy)
    assert ask(strategy) == (0, 1, 2, 3)


def test_answer_may_come_in_pieces(program):
    body = "[(sys.stdout.write(c), sys.stdout.flush()) for c in json.dumps({'code': '1234'}) + '\\n']"
    assert ask(program(body)) == (0, 1, 2, 3)


@pytest.mark.parametrize("command", ["", "  ", "'unclosed", "./no-such-program", "no-such-program-anywhere"])
def test_bad_command_is_refused(command):
    with pytest.raises(StrategyError):
        ProgramStrategy(command)


@pytest.mark.parametrize(
    "first", [f"#!{sys.executable}\r\n", "#!/usr/bin/env python3\r\n", "#!/bin/sh -e\r\n", "\ufeff#!/bin/sh\n"]
)
def test_first_line_of_windows_is_named(tmp_path, first):
    path = tmp_path / "mine"
    path.write_bytes(first.encode() + b"exit\n")
    path.chmod(0o700)
    with pytest.raises(StrategyError, match=rf"^the first line of the program {path} .*Windows") as refused:
        ProgramStrategy(str(path))
    assert "\n" not in str(refused.value)


def test_file_that_is_not_executable_is_refused(tmp_path):
    path = tmp_path / "bot"
    path.write_text("#!/bin/sh\n")
    with pytest.raises(StrategyError, match="chmod"):
        ProgramStrategy(str(path))


def test_close_ends_the_process(program, tmp_path):
    running = tmp_path / "pid"
    strategy = program(answer("'1111'"), f"open({str(running)!r}, 'w').write(str(os.getpid()))")
    with closing(strategy):
        assert ask(strategy) == (0, 0, 0, 0)
        assert is_running(int(running.read_text()))
    assert not is_running(int(running.read_text()))


COMMAND_WITH_PROGRAM = """
import os, signal, subprocess, sys, time
from pathlib import Path
from random import Random
from evilpegs_clients.strategies.program import ProgramStrategy
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

print("started", flush=True)
{prelude}
ProgramStrategy(sys.argv[1]).choose(Position(Rules(4, 6)), Random(0))
"""


DEATH_AT_START = """
start = subprocess.Popen


def start_and_die(arguments, **options):
    process = start(arguments, **options)
    if arguments[0].endswith("sleeper"):
        while not Path(arguments[0]).with_name("pids").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)
    return process


subprocess.Popen = start_and_die
"""
"""Kill the command when its program runs, but the command does not know it yet."""


@pytest.mark.parametrize("prelude", ["", DEATH_AT_START], ids=["later", "at its start"])
def test_program_and_its_children_die_with_killed_command(tmp_path, prelude):
    """The children count too: a program that is a shell script waits for one of them."""
    pids, path = tmp_path / "pids", tmp_path / "sleeper"
    path.write_text(f"#!/bin/sh\nsleep 600 &\necho $$ $! > {pids}.new\nmv {pids}.new {pids}\nwait\n")
    path.chmod(0o700)
    source = COMMAND_WITH_PROGRAM.format(prelude=prelude)
    command = subprocess.Popen([sys.executable, "-c", source, path], stdout=subprocess.PIPE)
    with command:
        wait_until(pids.exists)
        program, child = map(int, pids.read_text().split())
        if not prelude:
            assert is_running(program)
            assert is_running(child)
            command.kill()
    wait_until(lambda: not is_running(program) and not is_running(child))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_at_start_leaves_no_program_behind(program, monkeypatch, number):
    """The signal comes when the program runs, but its process is not known yet."""
    start, started = subprocess.Popen, []

    def start_with_signal(arguments, **options):
        process = start(arguments, **options)
        if "my bot" in arguments[0]:
            started.append(process.pid)
            signal.raise_signal(number)
        return process

    def interrupt(_number, _frame):
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", start_with_signal)
    strategy, handler = program("time.sleep(600)"), signal.signal(number, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            ask(strategy)
        assert signal.getsignal(number) is interrupt
    finally:
        signal.signal(number, handler)
    assert is_running(started[0])
    strategy.close()
    wait_until(lambda: not is_running(started[0]))


def test_error_output_of_program_is_bounded(program, capsys):
    body = f"sys.stderr.write('y' * {2 * MAX_ERROR_BYTES}); sys.stderr.flush(); {answer(repr('1111'))}"
    strategy = program(body)
    assert [ask(strategy) for _ in range(2)] == [(0, 0, 0, 0)] * 2
    strategy.close()
    shown = capsys.readouterr().err
    assert shown.count("y") in range(MAX_ERROR_BYTES, MAX_ERROR_BYTES + 100)
    assert f"{MAX_ERROR_BYTES:,}" in shown


def test_error_output_is_shown_before_the_program_is_called_ended(program, capsys):
    with pytest.raises(StrategyError):
        ask(program("sys.exit('out of ideas')"))
    assert capsys.readouterr().err == "out of ideas\n"


def test_program_may_say_why_it_gives_up(program):
    with pytest.raises(StrategyError, match="no code fits"):
        ask(program("print(json.dumps({'error': 'no code fits'}), flush=True)"))


def test_program_is_started_by_the_name_of_its_link(program, tmp_path):
    """As the Python of a virtual environment, which is a link, finds its packages by its own name."""
    program(answer("'1111' if sys.argv[0].endswith('link') else '2222'"))
    (tmp_path / "link").symlink_to(tmp_path / "my bot")
    with closing(ProgramStrategy(str(tmp_path / "link"))) as strategy:
        assert ask(strategy) == (0, 0, 0, 0)


def test_error_output_may_be_finished_before_it_is_followed(monkeypatch):
    """The main thread closes a program at SIGTERM while another one is starting it."""
    output, start = ErrorOutput("bot"), threading.Thread.start

    def interrupted(thread):
        output.finish()
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    reading, writing = os.pipe()
    os.close(writing)
    output.follow(reading)
    output.finish()
