"""A damaged page: one line says what to do, and whatever does not need the page goes on."""

import asyncio
from functools import partial

import pytest
import structlog
from sqlalchemy import text

from evilpegs_server.leaderboard.live_leaderboards import CountingError, LiveLeaderboards
from evilpegs_server.storage.database import open_database, open_existing_database
from evilpegs_server.storage.derived.file import DerivedFile
from evilpegs_server.storage.errors import DatabaseDamagedError, DatabaseUnusableError
from evilpegs_server.storage.location import database_file
from evilpegs_server.storage.log.archive import load_match, load_open_matches, load_players
from evilpegs_server.timing import Timing
from support.damage import damage_rows
from support.in_process import serving
from support.matches import TINY
from support.patience import PATIENCE
from support.servers import dial
from support.stored_matches import StoredPlay, store, store_players

WORDS = ("alpha", "bravo", "delta")


@pytest.fixture
def damaged(database):
    """The URL of a database with three open matches, of which the second has its events on a damaged page."""
    engine = open_database(database)
    store_players(engine)
    for number, word in enumerate(WORDS, 1):
        store(engine, StoredPlay(number, TINY).start())
        with engine.begin() as connection:  # so long that each event has a page of its own
            connection.execute(
                text("UPDATE events SET json = json || :more WHERE match = :match"),
                {"match": number, "more": " " * 3000 + f'"{word}"'},
            )
    engine.dispose()
    assert damage_rows(database_file(database), WORDS[1].encode()) == 1
    return database


@pytest.fixture
def broken_schema(database):
    """The URL of a database whose first page, which has the schema, is damaged behind its header."""
    open_database(database).dispose()
    path = database_file(database)
    data = bytearray(path.read_bytes())
    data[100:140] = b"\xff" * 40
    path.write_bytes(data)
    return database


def test_reading_damaged_page_says_what_to_do(damaged):
    engine = open_existing_database(damaged)
    with pytest.raises(DatabaseDamagedError, match=r"damaged.*malformed.*evilpegs database backup") as caught:
        load_match(engine, f"{2:016x}")
    assert "\n" not in str(caught.value)
    engine.dispose()


def test_other_matches_of_damaged_database_are_read(damaged):
    engine = open_existing_database(damaged)
    skipped = []
    found = load_open_matches(engine, lambda match, error: skipped.append((match, type(error))))
    assert [match.id for match in found] == [f"{number:016x}" for number in (1, 3)]
    assert skipped == [(f"{2:016x}", DatabaseDamagedError)]
    assert len(load_players(engine)) == 3
    engine.dispose()


def test_open_matches_of_damaged_database_need_skip(damaged):
    """The control of the test above."""
    engine = open_existing_database(damaged)
    with pytest.raises(DatabaseDamagedError):
        load_open_matches(engine)
    engine.dispose()


def test_opening_damaged_schema_says_what_to_do(broken_schema):
    with pytest.raises(DatabaseUnusableError) as caught:
        open_database(broken_schema)
    assert type(caught.value) is DatabaseDamagedError
    assert "evilpegs database backup" in str(caught.value)


async def test_server_on_damaged_database_serves_other_matches(damaged):
    with structlog.testing.capture_logs() as logged:
        async with serving(damaged) as server, dial(server.url) as raw:
            await raw.hello()
            match = await raw.play("classic-evil")
            assert (await raw.guess(match, 1, 1, "1122"))["type"] == "feedback"
            refusal = await raw.ask("error", type="resume", match=f"{2:016x}", seq=0)
            assert (refusal["code"], "try again" in refusal["message"]) == ("storage_unavailable", True)
    lines = [line for line in logged if line.get("match") == f"{2:016x}"]
    assert [line["event"] for line in lines] == ["a match cannot be read and was left alone", "cannot read a match"]
    assert all("damaged" in line["why"] and "exception" not in line for line in lines)


def note_line(lines, _logger, _level, fields):
    lines.put_nowait(fields)
    raise structlog.DropEvent


async def test_results_that_cannot_be_read_are_not_said_to_be_counted(damaged):
    derived = DerivedFile(damaged)
    logged = asyncio.Queue()
    log = structlog.wrap_logger(None, processors=[partial(note_line, logged)])
    quick = Timing(count_seconds=0.01, first_count_seconds=0.1)
    live = LiveLeaderboards(derived, {TINY.id: TINY}, log, lambda: 9, quick)
    await live.start()
    async with asyncio.timeout(PATIENCE):
        assert (await logged.get())["error"] == "DatabaseDamagedError"
    with pytest.raises(CountingError, match="cannot be counted now; the log"):
        await live.rows(TINY.id)
    await live.close()
    derived.close()
    assert logged.empty()  # said once
