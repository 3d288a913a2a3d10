"""A show process that hangs or keeps the database from emptying its side file is replaced, and no other one is."""

import asyncio
import os
import signal
import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import structlog

from evilpegs_protocol.constants import PATH
from evilpegs_server import show_process
from evilpegs_server.hosts import PublicAddress
from evilpegs_server.settings import Settings
from evilpegs_server.show_process import ShowProcess, ShowSetup
from evilpegs_server.storage.derived import snapshots
from evilpegs_server.storage.location import database_file
from evilpegs_server.timing import Timing
from support.matches import TINY
from support.patience import PATIENCE
from support.processes import is_running
from support.stored_matches import store_players
from support.waiting import until

LADDERS = {"tiny": TINY}
PATIENT = Timing(show_look_seconds=0.01, silent_looks=100 * PATIENCE, starting_looks=100 * PATIENCE)
"""A look is a hundredth of a second here, and a busy machine may start a process in no less than ten seconds."""

TESTS = Path(__file__).parents[1]


@asynccontextmanager
async def running(database, log, timing=PATIENT, **limits):
    settings = Settings(port=0, site=False, database=database)
    setup = ShowSetup(settings, LADDERS, frozenset(LADDERS), PublicAddress("ws", PATH), sent=0, timing=timing)
    process = ShowProcess(setup, [], log, **limits)
    process.start()
    try:
        yield process
    finally:
        await process.close()


async def heard(process):
    """Return the id of the process once it has said that it is alive."""
    return await until(lambda: process.was_heard and process.pid)


async def replaced(process, old):
    await until(lambda: process.pid not in {None, old})
    return await heard(process)


class Looks:
    """The looks at the side file."""

    def __init__(self):
        self.number = 0

    async def more(self, number):
        wanted = self.number + number
        await until(lambda: self.number >= wanted)


@pytest.fixture
def looks(monkeypatch):
    looks, measure = Looks(), show_process.size_of

    def counted(file):
        looks.number += 1
        return measure(file)

    monkeypatch.setattr(show_process, "size_of", counted)
    return looks


SMALL = "support.small_show"


@pytest.fixture
def small(monkeypatch):
    """The process shows nothing, and starts at once."""
    monkeypatch.setattr(show_process, "PROGRAM", SMALL)
    monkeypatch.setenv("PYTHONPATH", str(TESTS))


@pytest.fixture
def side_file(engine):
    """A side file of some bytes."""
    with engine.connect():
        store_players(engine)
        yield


def events(logged):
    """Return the lines of the log about the show process and who reads, with the reasons."""
    return [(line["event"], line.get("why", line.get("who"))) for line in logged if line["log_level"] == "warning"]


@pytest.mark.parametrize("is_listed", [True, False])
async def test_process_that_stays_in_a_snapshot_is_replaced_once(
    side_file, database, small, looks, monkeypatch, is_listed
):
    if is_listed:
        monkeypatch.setenv("READ_DATABASE", str(database_file(database)))
    else:  # as on another system, where the process is replaced though it reads nothing
        monkeypatch.setattr(snapshots, "_LOCKS", Path("/nowhere"))
    with structlog.testing.capture_logs() as logged:
        async with running(database, structlog.get_logger(), max_wal_bytes=1) as process:
            second = await replaced(process, await until(lambda: process.pid))
            await looks.more(10)
            assert process.pid == second
    assert [each for each in events(logged) if "replaced" in each[0]] == [
        ("the show process is replaced", "it keeps the database from emptying its side file")
    ]


@pytest.mark.parametrize("ours_reads", [True, False])
async def test_another_program_in_a_snapshot_is_named_and_nothing_replaced(
    side_file, database, small, looks, monkeypatch, ours_reads
):
    file = str(database_file(database))
    if ours_reads:
        monkeypatch.setenv("READ_DATABASE", file)
    reading = f"import sqlite3; c = sqlite3.connect({file!r}, isolation_level=None); c.execute('BEGIN')"
    reading += "; c.execute('SELECT count(*) FROM players').fetchall(); print('reads', flush=True); input()"
    pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", reading, **pipes)
    assert await other.stdout.readline() == b"reads\n"
    assert other.pid in snapshots.snapshot_holders(Path(f"{file}-shm"))
    with structlog.testing.capture_logs() as logged:
        async with running(database, structlog.get_logger(), max_wal_bytes=1) as process:
            first = await heard(process)
            await looks.more(10)
            assert process.pid == first
    await other.communicate(b"\n")
    [(event, who)] = events(logged)
    assert event.startswith("another program reads the database")
    assert who.endswith(f", pid {other.pid}")
    assert other.pid not in snapshots.snapshot_holders(Path(f"{file}-shm"))


async def test_server_that_commits_is_no_other_program(side_file, engine, database, small, looks):
    """Here it stays in a snapshot, as if each look met a commit."""
    with engine.connect() as connection, structlog.testing.capture_logs() as logged:
        connection.exec_driver_sql("BEGIN")
        connection.exec_driver_sql("SELECT count(*) FROM players").fetchall()
        assert snapshots.snapshot_holders(Path(f"{database_file(database)}-shm")) == {os.getpid()}
        async with running(database, structlog.get_logger(), max_wal_bytes=1) as process:
            first = await heard(process)
            await looks.more(10)
            assert process.pid == first
    assert events(logged) == []


async def test_side_file_beyond_its_limit_alone_replaces_nothing(side_file, database, small, looks):
    with structlog.testing.capture_logs() as logged:
        async with running(database, structlog.get_logger(), max_wal_bytes=1) as process:
            first = await heard(process)
            await looks.more(10)
            assert process.pid == first
    assert events(logged) == []


async def test_side_file_within_its_limit_replaces_nothing(side_file, database, small, looks):
    """The control."""
    with structlog.testing.capture_logs() as logged:
        async with running(database, structlog.get_logger()) as process:
            first = await heard(process)
            await looks.more(10)
            assert process.pid == first
    assert not [line for line in logged if "replaced" in line["event"]]


async def test_stopped_process_is_killed_and_replaced(database, small):
    async with running(database, structlog.get_logger(), replace(PATIENT, silent_looks=100)) as process:
        first = await heard(process)
        os.kill(first, signal.SIGSTOP)
        await until(lambda: process.pid not in {None, first})
        second = await heard(process)
        assert not is_running(first)
        assert is_running(second)


@pytest.mark.parametrize("program", [SMALL, pytest.param(show_process.PROGRAM, marks=pytest.mark.full)])
async def test_closed_process_has_ended(engine, database, small, monkeypatch, program):
    monkeypatch.setattr(show_process, "PROGRAM", program)
    async with running(database, structlog.get_logger()) as process:
        pid = await heard(process)
    assert not is_running(pid)
