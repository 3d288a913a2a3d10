"""Lines of pipes and files."""

import asyncio
import os

import pytest

from evilpegs_clients.terminal.prompt import CHUNK, LineReader
from support.waiting import loop_turns


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
    await loop_turns()
    assert not waiting.done()
    writer.write(b"\xff1\n")
    assert await waiting == "\ufffd1"


async def test_lines_survive_cancelled_wait(pipe):
    reader, writer = pipe
    lines = LineReader(reader)
    waiting = asyncio.create_task(lines())
    await loop_turns()
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
