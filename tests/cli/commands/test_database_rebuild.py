"""`evilpegs database rebuild`: rows of games are computed again from events, compared and corrected."""

import sqlite3
from contextlib import closing

import pytest

from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.lock import DatabaseLock
from support.classic_games import GAMES, classic_match
from support.stored_matches import store, store_players


@pytest.fixture
def database(tmp_path):
    """The file of a database with two matches of four games on the classic ladder."""
    path = tmp_path / "evilpegs.sqlite3"
    engine = open_database(f"sqlite:///{path}")
    store_players(engine)
    store(engine, *classic_match(1), *classic_match(2))
    engine.dispose()
    return path


def change(path, statement):
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement).rowcount


def test_missing_luck_is_added_once(run, database):
    first = run("database", "rebuild", database, "--json")
    assert first.status == 0
    assert (first.document["games"], first.document["completed"]) == (2 * len(GAMES), 4 * len(GAMES))
    assert first.document["written"] is True
    assert run("database", "rebuild", database, "--json").document["completed"] == 0


def test_changed_row_is_reported_and_corrected(run, database):
    run("database", "rebuild", database)
    change(database, "UPDATE games SET guesses = 1 WHERE match = 2 AND game = 1")
    result = run("database", "rebuild", database)
    assert result.status == 1
    assert f"match {2:016x}, game 1: guesses was 1, its events say 3" in result.out
    assert run("database", "rebuild", database).status == 0


def test_compare_writes_nothing_and_needs_no_lock(run, database):
    lock = DatabaseLock(f"sqlite:///{database}")
    try:
        for _ in range(2):
            document = run("database", "rebuild", database, "--compare", "--json").document
            assert (document["completed"], document["written"]) == (4 * len(GAMES), False)
        refused = run("database", "rebuild", database)
    finally:
        lock.release()
    assert refused.status == 2
    assert "another server" in refused.err


def test_unreadable_match_is_named(run, database):
    change(database, "UPDATE events SET json = '{' WHERE match = 1 AND seq = 2")
    result = run("database", "rebuild", database)
    assert result.status == 1
    assert f"match {1:016x}: its events cannot be read" in result.out


def test_missing_database_is_one_line(run, tmp_path):
    result = run("database", "rebuild", tmp_path / "none.sqlite3")
    assert result.status == 2
    assert result.err.count("\n") == 1
