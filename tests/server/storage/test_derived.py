"""Results follow from the events: whatever happens to the derived file, it is made again and nothing else changes."""

import os
import re
import shutil
import sqlite3

import pytest
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.derived import file as module
from evilpegs_server.storage.derived.file import DerivedFile, derived_path
from evilpegs_server.storage.errors import DatabaseMovedError, DatabaseUnavailableError, DatabaseUnusableError
from evilpegs_server.storage.location import database_file, side_files
from evilpegs_server.storage.log.archive import load_last_event_id
from support.examples import share
from support.matches import TINY
from support.stored_matches import StoredPlay, load_events, store, store_players, stored_plays

GAMES = [(1, 1, "solved", 2, 34, "30,4"), (1, 2, "resigned", 0, 0, ""), (2, 1, "solved", 1, 7, "7")]


def rows_of(derived):
    query = "SELECT m.id, game, outcome, guesses, elapsed_ms, times_ms FROM games JOIN matches AS m ON m.number = match"
    with derived.engine.connect() as connection:
        return sorted((int(match, 16), *rest) for match, *rest in connection.execute(text(query)))


def plain_rows(engine):
    """Return the same as `rows_of`, from the events in plain Python."""
    events = [(int(event.match, 16), event) for event in load_events(engine)]
    times, rows = {}, []
    for match, event in events:
        if event.type == "feedback":
            times.setdefault((match, event.game), []).append(event.took_ms)
        elif event.type == "game_over":
            taken = ",".join(map(str, times.get((match, event.game), [])))
            rows.append((match, event.game, event.outcome, event.guesses, event.elapsed_ms, taken))
    return sorted(rows)


@pytest.fixture
def played(engine):
    """A database with two matches."""
    store_players(engine)
    store(engine, *StoredPlay(1, TINY).play(("solved", [30, 4]), ("resigned", [])))
    store(engine, *StoredPlay(2, TINY, "bob").play(("solved", [7])))
    return engine


@pytest.fixture
def derived(played, database):
    """Its derived file, brought up to date."""
    derived = DerivedFile(database, structlog.get_logger())
    derived.follow(load_last_event_id(played))
    yield derived
    derived.close()


@settings(max_examples=share(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_results_equal_those_of_plain_python(tmp_path_factory, make_database, monkeypatch, data):
    monkeypatch.setattr(module, "EVENTS", data.draw(st.sampled_from([1, 3, 1_000])))
    _, steps = data.draw(stored_plays([TINY]))
    url = f"sqlite:///{tmp_path_factory.mktemp('derived') / 'evilpegs.sqlite3'}"
    make_database(url)
    engine, before = open_database(url), data.draw(st.integers(0, len(steps)))
    store_players(engine)
    store(engine, *steps[:before])
    derived = DerivedFile(url)
    assert derived.follow(load_last_event_id(engine)), "a new file is begun"
    store(engine, *steps[before:])
    assert not derived.follow(load_last_event_id(engine))
    assert rows_of(derived) == plain_rows(engine)
    derived.close()
    engine.dispose()


def test_events_above_the_last_wait(derived, played):
    store(played, *StoredPlay(3, TINY).play(("solved", [1])))
    derived.follow(load_last_event_id(played) - 2)
    assert rows_of(derived) == GAMES
    derived.follow(load_last_event_id(played))
    assert len(rows_of(derived)) == len(GAMES) + 1


def test_luck_is_kept_until_the_file_is_made_again(derived, played, database):
    derived.store_luck([(-5, "curve", 1, 2), (1, "curve", 99, 1)])
    derived.close()
    again = DerivedFile(database)
    assert not again.follow(load_last_event_id(played))
    with again.engine.connect() as connection:
        assert connection.execute(text("SELECT luck, curve FROM games WHERE luck IS NOT NULL")).all() == [(-5, "curve")]
    again.close()


def delete(file, _other):
    file.unlink()


def cut(file, _other):
    file.write_bytes(file.read_bytes()[:5_000])


def empty(file, _other):
    file.write_bytes(b"")


def garble(file, _other):
    file.write_bytes(b"not a database at all " * 1_000)


def swap_for_foreign(file, other):
    file.unlink()
    shutil.copy(other, file)


DISTURBANCES = [delete, cut, empty, garble, swap_for_foreign]


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """The derived file of another server, whose log has the same ids of events."""
    url = f"sqlite:///{tmp_path_factory.mktemp('other') / 'other.sqlite3'}"
    engine = open_database(url)
    store_players(engine)
    store(engine, *StoredPlay(1, TINY).play(("unsolved", [1, 1]), ("solved", [2])))
    store(engine, *StoredPlay(2, TINY).play(("unsolved", [9])))
    derived = DerivedFile(url)
    derived.follow(load_last_event_id(engine))
    derived.close()
    engine.dispose()
    return derived_path(url)


@pytest.mark.parametrize("disturb", DISTURBANCES)
class TestDisturbed:
    def test_between_runs(self, derived, played, database, disturb, other):
        derived.close()
        disturb(derived_path(database), other)
        again = DerivedFile(database, structlog.get_logger())
        with structlog.testing.capture_logs() as logged:
            assert again.follow(load_last_event_id(played))
        assert rows_of(again) == GAMES
        assert len(logged) == (disturb not in {delete, empty})
        again.close()

    def test_while_it_is_used(self, derived, played, database, disturb, other):
        disturb(derived_path(database), other)
        store(played, *StoredPlay(3, TINY).play(("solved", [1])))
        for _ in range(3):  # what is cut shows when it is read
            try:
                derived.follow(load_last_event_id(played))
                rows = rows_of(derived)
            except (DatabaseError, DatabaseUnavailableError, module.DatabaseDamagedError):
                continue
        assert rows == [*GAMES, (3, 1, "solved", 1, 1, "1")]


def test_untouched_file_is_not_made_again(derived, played, database):
    """The control of the tests above."""
    derived.close()
    again = DerivedFile(database)
    assert not again.follow(load_last_event_id(played))
    again.close()


def test_file_that_is_ahead_of_a_restored_backup_is_made_again(derived, played, database, tmp_path):
    """The log went on after the backup, and its newer results are not those of the restored log."""
    backup = tmp_path / "backup.sqlite3"
    with played.begin() as connection:
        connection.execute(text("VACUUM INTO :backup"), {"backup": str(backup)})
    store(played, *StoredPlay(3, TINY).play(("solved", [1])))
    derived.follow(load_last_event_id(played))
    assert len(rows_of(derived)) == 4
    derived.close()
    played.dispose()
    real = module.database_file(database)
    for end in ("", "-wal", "-shm"):
        real.with_name(real.name + end).unlink(missing_ok=True)
    shutil.copy(backup, real)
    restored = open_database(database)
    store(restored, *StoredPlay(4, TINY).play(("resigned", [2, 2])))
    again = DerivedFile(database)
    assert again.follow(load_last_event_id(restored))
    assert rows_of(again) == [*GAMES, (4, 1, "resigned", 2, 4, "2,2")]
    again.close()
    restored.dispose()


def test_file_of_another_user_is_made_again(derived, played, database, monkeypatch):
    """Root, for example, has made it with a command; the folder belongs to the user of the server."""
    derived.close()
    inode = derived_path(database).stat().st_ino
    monkeypatch.setattr(module.os, "access", lambda file, _mode: file.stat().st_ino != inode)
    again = DerivedFile(database)
    assert again.follow(load_last_event_id(played))
    assert rows_of(again) == GAMES
    again.close()


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
@pytest.mark.parametrize("end", ["", ".lock", "-wal"])
def test_what_is_no_file_in_its_place_is_named(played, database, make, end):
    make(place := f"{derived_path(database)}{end}")
    derived = DerivedFile(database)
    with pytest.raises(DatabaseUnusableError, match=f"^{re.escape(place)} is not a file"):
        derived.follow(load_last_event_id(played))
    derived.close()


def test_database_that_was_cut_to_nothing_keeps_its_side_file(played, database):
    """SQLite deletes that file when it opens an empty one."""
    derived = DerivedFile(database)
    os.truncate(database_file(database), 0)
    with pytest.raises(DatabaseMovedError, match="cut to nothing"):
        derived.follow(1)
    derived.close()
    assert side_files(database_file(database))[0].stat().st_size > 0


def test_connection_that_a_thread_still_uses_is_closed_when_it_comes_back(derived):
    with derived.engine.connect() as connection:
        used = connection.connection.driver_connection
        derived.close()
        assert connection.execute(text("SELECT 1")).scalar() == 1
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        used.execute("SELECT 1")


def test_lock_that_is_not_kept_is_free_for_others(played, database):
    command, server = DerivedFile(database, keeps_lock=False), DerivedFile(database)
    command.follow(load_last_event_id(played))
    server.follow(load_last_event_id(played))
    assert (command.is_writer, server.is_writer) == (False, True)
    assert rows_of(command) == rows_of(server) == GAMES
    command.close()
    server.close()


@pytest.mark.parametrize("first", ["reader", "writer"])
def test_deleted_file_is_made_again_once_by_the_writer(derived, played, database, first):
    """Whoever looks first, the reader waits for the writer and then reads the new file."""
    reader, last = DerivedFile(database), load_last_event_id(played)
    reader.follow(last)
    derived_path(database).unlink()
    if first == "reader":
        with pytest.raises(DatabaseUnavailableError):
            reader.follow(last)
    assert derived.follow(last)
    assert reader.follow(last)
    store(played, *StoredPlay(3, TINY).play(("solved", [1])))
    last = load_last_event_id(played)
    assert not derived.follow(last)
    assert not reader.follow(last)
    assert rows_of(reader) == rows_of(derived)
    assert len(rows_of(derived)) == 4
    reader.close()


def test_one_process_writes_and_others_read(derived, played, database):
    reader = DerivedFile(database)
    assert (derived.is_writer, reader.is_writer) == (True, False)
    store(played, *StoredPlay(3, TINY).play(("solved", [1])))
    reader.follow(load_last_event_id(played))
    assert rows_of(reader) == GAMES
    derived.follow(load_last_event_id(played))
    reader.follow(load_last_event_id(played))
    assert len(rows_of(reader)) == 4
    derived.close()
    store(played, *StoredPlay(4, TINY).play(("solved", [1])))
    reader.follow(load_last_event_id(played))
    assert reader.is_writer
    assert len(rows_of(reader)) == 5
    reader.close()


@pytest.mark.parametrize(
    ("table", "column"), [("matches", "seed"), ("begun", "client_nonce"), ("players", "token_hash")]
)
def test_secrets_cannot_be_read(derived, table, column):
    with derived.engine.connect() as connection:
        assert connection.execute(text(f"SELECT count(*) FROM {table}")).scalar() is not None
        with pytest.raises(DatabaseError, match="prohibited"):
            connection.execute(text(f"SELECT {column} FROM {table}"))


def test_log_cannot_be_written(derived):
    with derived.engine.connect() as connection, pytest.raises(Exception, match="readonly"):
        connection.execute(text("DELETE FROM log.events"))


def test_damaged_event_has_no_result(played, database):
    with played.begin() as connection:
        connection.execute(text("UPDATE events SET json = '{' WHERE type = 'game_over' AND match = 2"))
    derived = DerivedFile(database)
    derived.follow(load_last_event_id(played))
    assert rows_of(derived) == GAMES[:2]
    derived.close()
