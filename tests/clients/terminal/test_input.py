import asyncio
import os
import re

import pytest

from evilpegs_clients.terminal.input import CHUNK, LineReader, PlayCommand, parse_command, parse_yes
from evilpegs_game.errors import GameError
from evilpegs_game.rules import Rules

CLASSIC = Rules(4, 6)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("1122", (0, 0, 1, 1)),
        (" 1 1\t2 2 ", (0, 0, 1, 1)),
        ("", PlayCommand.SHOW),
        ("   ", PlayCommand.SHOW),
        ("?", PlayCommand.HINT),
        ("hint", PlayCommand.HINT),
        ("help", PlayCommand.HELP),
        ("resign", PlayCommand.RESIGN),
        (" resign  match ", PlayCommand.RESIGN_MATCH),
        ("quit", PlayCommand.QUIT),
        ("exit", PlayCommand.QUIT),
        ("q", PlayCommand.QUIT),
        ("Help", PlayCommand.HELP),
        ("RESIGN Match", PlayCommand.RESIGN_MATCH),
        ("parts", PlayCommand.PARTS),
    ],
)
def test_read_command_reads_words_and_codes(line, meant):
    assert parse_command(line, CLASSIC) == meant


def test_read_command_prefers_code_in_upper_case():
    rules = Rules(4, 34)
    assert parse_command("help", rules) is PlayCommand.HELP
    assert parse_command("HELP", rules) == parse_command("h elp", rules)


@pytest.mark.parametrize("line", ["112", "11223", "1127", "hlep", "#", "\x1b[A"])
def test_read_command_refusal_names_help(line):
    with pytest.raises(GameError, match=r"\bhelp\b") as caught:
        parse_command(line, CLASSIC)
    assert "\n" not in str(caught.value)


def test_read_command_names_repeated_color():
    with pytest.raises(GameError, match=r"'1122'.*4x10-distinct"):
        parse_command("1122", Rules(4, 10, repeats=False))


@pytest.mark.parametrize(
    ("line", "answer"),
    [("", None), ("y", True), (" Yes", True), ("n", False), ("NO", False), ("nope", None), ("yikes", None)],
)
def test_read_yes_reads_answers(line, answer):
    assert parse_yes(line, default=True) is (answer if line else True)
    assert parse_yes(line, default=False) is (answer if line else False)


def test_read_command_quotes_typed_text():
    with pytest.raises(GameError, match=r"^'h'.*3x34"):
        parse_command("h", Rules(3, 34))
    with pytest.raises(GameError, match="'11i2'") as caught:
        parse_command("11i2", CLASSIC)
    assert {"I", "O", "0"} <= set(re.findall(r"\w+", str(caught.value)))


@pytest.fixture
def pipe():
    """The two ends of a pipe, closed after the test."""
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb", buffering=0) as read, os.fdopen(writer, "wb", buffering=0) as write:
        yield read.fileno(), write


async def test_lines_arrive_one_by_one(pipe):
    reader, writer = pipe
    lines = LineReader(reader)
    writer.write(b"1122\n\nhelp\r\nla")
    assert [await lines() for _ in range(3)] == ["1122", "", "help"]
    writer.write(b"st")
    writer.close()
    assert [await lines() for _ in range(3)] == ["last", None, None]


async def test_lines_wait_without_blocking(pipe):
    reader, writer = pipe
    lines = LineReader(reader)
    waiting = asyncio.create_task(lines())
    await asyncio.sleep(0)
    assert not waiting.done()
    writer.write(b"\xff1\n")
    assert await waiting == "\ufffd1"


async def test_lines_survive_cancelled_wait(pipe):
    reader, writer = pipe
    lines = LineReader(reader)
    waiting = asyncio.create_task(lines())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    writer.write(b"later\n")
    assert await lines() == "later"


async def test_lines_longer_than_chunk(pipe):
    reader, writer = pipe
    writer.write(b"1" * (CHUNK + 10) + b"\n")
    assert await LineReader(reader)() == "1" * (CHUNK + 10)


async def test_lines_of_plain_file(tmp_path):
    path = tmp_path / "typed"
    path.write_bytes(b"1122\nquit")
    with path.open("rb") as file:
        lines = LineReader(file.fileno())
        assert [await lines() for _ in range(3)] == ["1122", "quit", None]


async def test_lines_end_on_read_error(pipe, monkeypatch):
    reader, writer = pipe
    writer.write(b"1122\n")

    def fail(descriptor, size):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("os.read", fail)
    assert await LineReader(reader)() is None


async def test_lines_forget_terminal_input():
    person, terminal = os.openpty()
    try:
        lines = LineReader(terminal)
        os.write(person, b"one\ntwo\n")
        assert await lines() == "one"
        os.write(person, b"half")
        assert lines.discard()
        os.write(person, b"three\n")
        assert await lines() == "three"
    finally:
        os.close(person)
        os.close(terminal)


async def test_lines_keep_piped_input(pipe):
    reader, writer = pipe
    lines = LineReader(reader)
    writer.write(b"one\ntwo\n")
    assert await lines() == "one"
    assert not lines.discard()
    assert await lines() == "two"
