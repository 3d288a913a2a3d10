"""A database that kept results and luck beside the events is upgraded in mid-game, and loses no row."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import structlog

from compatibility.conftest import OldFiles
from evilpegs_server.feed.cursor import FeedCursor
from evilpegs_server.storage.copies.backup import readable_database
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.derived.file import DerivedFile
from evilpegs_server.storage.log.archive import load_last_event_id, load_log_id

KEPT = {
    "players": "SELECT * FROM players ORDER BY id",
    "matches": "SELECT * FROM matches ORDER BY number",
    "events": "SELECT * FROM events ORDER BY id",
    "log": "SELECT id FROM log",
}
FINISHED = (
    "SELECT match, game, outcome, guesses, elapsed_ms, times_ms, luck, curve FROM games WHERE outcome IS NOT NULL"
)


@pytest.fixture
def before(tmp_path):
    """A copy of the database, with its log of transactions."""
    directory = tmp_path / "old"
    shutil.copytree(Path(__file__).with_name("results-in-log"), directory)
    return OldFiles(directory)


def rows(file, query):
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:  # the last other one checkpoints
        return connection.execute(query).fetchall()


def test_no_row_is_lost(before):
    file = before / "evilpegs.sqlite3"
    kept = {name: rows(file, query) for name, query in KEPT.items()}
    games, begun = rows(file, FINISHED), rows(file, "SELECT match, game, client_nonce FROM games")
    engine = open_database(before.database)
    derived = DerivedFile(before.database)
    derived.follow(load_last_event_id(engine))
    assert {name: rows(file, query) for name, query in KEPT.items()} == kept
    assert rows(file, "SELECT match, game, client_nonce FROM begun") == begun
    with derived.engine.connect() as connection:
        assert sorted(tuple(row) for row in connection.exec_driver_sql(FINISHED)) == sorted(games)
    assert {luck is not None for *_, luck, _ in games} == {True, False}, "some have a value curve"
    derived.close()
    engine.dispose()


def test_feed_goes_on_where_it_ended(before):
    """Its place was in the database."""
    file = before / "evilpegs.sqlite3"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("INSERT INTO cursors VALUES ('mqtt', 7)")
        connection.commit()
    engine = open_database(before.database)
    feed = file.with_name("evilpegs.sqlite3.feed")
    assert json.loads(feed.read_text()) == {"log": load_log_id(engine), "event": 7}
    assert feed.stat().st_mode & 0o777 == 0o600
    cursor = FeedCursor(feed, engine, structlog.get_logger())
    assert cursor.position == 7
    cursor.close()
    engine.dispose()


def test_games_go_on(before):
    with before.walker() as walker:
        for stood in before.expected["open"].values():
            walker.go_on(**stood)


def test_it_is_shown_from_a_copy(before):
    file = before / "evilpegs.sqlite3"
    bytes_before = {path.name: path.read_bytes() for path in file.parent.glob("evilpegs.sqlite3*")}
    with readable_database(before.database, structlog.get_logger()) as url:
        assert url != before.database
        engine = open_database(url)
        assert load_last_event_id(engine) == rows(file, "SELECT max(id) FROM events")[0][0]
        engine.dispose()
        copied = Path(url.removeprefix("sqlite:///"))
    assert not copied.exists()
    after = {path.name: path.read_bytes() for path in file.parent.glob("evilpegs.sqlite3*")}
    assert {name: after[name] for name in bytes_before} == bytes_before
