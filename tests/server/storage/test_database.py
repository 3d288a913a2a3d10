"""The database is durable, migrated, locked and private; one that cannot be used is refused in one line."""

import contextlib
import multiprocessing
import os
import re
import sqlite3
from pathlib import Path
from unittest.mock import Mock

import pytest
import structlog
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, event, inspect, text
from sqlalchemy.exc import OperationalError

from evilpegs_server import storage
from evilpegs_server.storage.copies.backup import check_database, readable_database
from evilpegs_server.storage.database import open_database, open_existing_database
from evilpegs_server.storage.engines import sqlite
from evilpegs_server.storage.engines.schema import alembic_config
from evilpegs_server.storage.errors import (
    DatabaseDamagedError,
    DatabaseInUseError,
    DatabaseMissingError,
    DatabaseUnavailableError,
    DatabaseUnusableError,
)
from evilpegs_server.storage.location import connect, database_file, side_files
from evilpegs_server.storage.lock import DatabaseLock
from evilpegs_server.storage.log.archive import load_match
from evilpegs_server.storage.log.tables import REVISION
from support.matches import TINY
from support.results import derived_of
from support.stored_matches import StoredPlay, store, store_players

REVISIONS = sorted(each.revision for each in ScriptDirectory.from_config(alembic_config()).walk_revisions())


def refusal(url, open_it=open_database, kind=DatabaseUnusableError):
    """Return the message of the refusal: one line of an error of exactly this kind that hides its cause."""
    with pytest.raises(DatabaseUnusableError) as caught:
        open_it(url)
    message = str(caught.value)
    assert "\n" not in message
    assert caught.value.__cause__ is None
    assert type(caught.value) is kind
    return message


class TestDurability:
    @pytest.mark.parametrize(("pragma", "value"), [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1)])
    def test_connections_have_durability_pragmas(self, engine, pragma, value):
        """The value 2 of ``synchronous`` means FULL."""
        connections = [engine.connect() for _ in range(3)]
        try:
            assert [one.execute(text(f"PRAGMA {pragma}")).scalar() for one in connections] == [value] * 3
        finally:
            for connection in connections:
                connection.close()

    def test_database_errors_hide_rows(self, engine):
        with engine.connect() as connection, pytest.raises(OperationalError, match="nowhere") as caught:
            connection.execute(text("INSERT INTO nowhere VALUES (:seed)"), {"seed": "a secret"})
        assert "a secret" not in str(caught.value)


def connect_in_rounds(engine, barrier, is_first):
    """Connect to a new file in each round, and begin to use it at the same moment as the other processes."""
    event.listen(engine.engine, "connect", lambda *_: barrier.wait(), insert=True)
    try:
        for _ in range(30):
            if is_first:
                engine.file.unlink()
                engine.file.touch()
            barrier.wait()
            engine.connect().close()
            engine.dispose()
            barrier.wait()
    except BaseException:
        barrier.abort()
        raise


def test_processes_that_make_a_database_wait_for_each_other(engine):
    """The first statement that locks a new file is one for which SQLite itself does not wait."""
    engine.dispose()
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(6)
    processes = [context.Process(target=connect_in_rounds, args=(engine, barrier, not n)) for n in range(6)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 6


class TestForeignFiles:
    @pytest.mark.parametrize("open_it", [open_database, open_existing_database])
    def test_database_of_other_program_is_not_touched(self, tmp_path, open_it):
        file = tmp_path / "foreign.db"
        with contextlib.closing(sqlite3.connect(file)) as connection:
            connection.execute("CREATE TABLE bookmarks (url TEXT)")
            connection.commit()
        file.chmod(0o644)
        before = file.read_bytes()
        assert "'bookmarks'" in refusal(f"sqlite:///{file}", open_it)
        assert (file.read_bytes(), file.stat().st_mode & 0o777) == (before, 0o644)
        assert [each.name for each in tmp_path.iterdir()] == ["foreign.db"]

    def test_empty_file_is_not_read_as_database(self, tmp_path):
        file = tmp_path / "empty.db"
        file.touch()
        refusal(f"sqlite:///{file}", open_existing_database, DatabaseMissingError)
        assert file.stat().st_size == 0

    def test_empty_file_becomes_new_database(self, tmp_path):
        file = tmp_path / "empty.db"
        file.touch()
        open_database(f"sqlite:///{file}").dispose()
        open_existing_database(f"sqlite:///{file}").dispose()


class TestMigrations:
    def test_tables_are_those_of_the_documentation(self, engine):
        documented = re.findall(r"^\| `(\w+)` \| (.+) \|$", storage.__doc__, re.MULTILINE)
        stored = {
            table: {column["name"] for column in inspect(engine.engine).get_columns(table)}
            for table in inspect(engine.engine).get_table_names()
            if table != "alembic_version"
        }
        assert {table: set(columns.split(", ")) for table, columns in documented} == stored

    def test_new_database_has_newest_revision(self, engine):
        assert REVISIONS[-1] == REVISION
        with engine.connect() as connection:
            assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == REVISION

    @pytest.mark.parametrize("revision", ["0002", "0004"])
    def test_results_of_earlier_revisions_are_derived_again(self, engine, tmp_path, revision):
        store_players(engine)
        store(engine, *StoredPlay(1, TINY).play(("solved", [30, 4]), ("resigned", [])))
        store(engine, *StoredPlay(2, TINY).play(("flagged", [1, 500, 6]))[:-2])
        earlier = earlier_database(engine, tmp_path, revision)
        with structlog.testing.capture_logs() as logged:
            again = open_database(earlier, structlog.get_logger())
            open_database(earlier, structlog.get_logger()).dispose()
        assert [line["bytes"] > 0 for line in logged] == [True]
        with derived_of(again).engine.connect() as connection:
            rows = connection.execute(text("SELECT match, game, outcome, guesses, times_ms FROM games")).all()
        assert rows == [(1, 1, "solved", 2, "30,4"), (1, 2, "resigned", 0, "")]
        again.dispose()

    def test_luck_and_begun_games_of_an_earlier_revision_are_kept(self, engine, tmp_path):
        store_players(engine)
        store(engine, *StoredPlay(1, TINY).play(("solved", [30, 4]), ("solved", [1])))
        games = "(1, 1, 'mine', 'solved', NULL, NULL), (1, 2, NULL, 'solved', -7, 'c')"
        insert = f"INSERT INTO games (match, game, client_nonce, outcome, luck, curve) VALUES {games}"
        again = open_existing_database(earlier_database(engine, tmp_path, "0004", insert))
        with derived_of(again).engine.connect() as connection:
            rows = connection.execute(text("SELECT game, luck, curve FROM games ORDER BY game")).all()
        assert rows == [(1, None, None), (2, -7, "c")]
        assert load_match(again, f"{1:016x}").client_nonces == {1: "mine", 2: None}
        again.dispose()

    def test_reopening_keeps_rows(self, engine, database):
        with engine.begin() as connection:
            connection.execute(text("INSERT INTO players VALUES (1, 'ann', 'ann', 'bot', 'hash', 0)"))
        again = open_existing_database(database)
        with again.connect() as connection:
            assert connection.execute(text("SELECT name FROM players")).scalars().all() == ["ann"]
        again.dispose()

    def test_later_revision_is_refused(self, engine, database):
        with engine.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        assert "9999" in refusal(database)


FLAWS = {
    "missing table": ("DROP TABLE acts", "acts", DatabaseDamagedError),
    "missing table of every version": ("DROP TABLE events", "events", DatabaseDamagedError),
    "view": (
        "ALTER TABLE luck RENAME TO l; CREATE VIEW luck AS SELECT * FROM l",
        "luck is a view",
        DatabaseDamagedError,
    ),
    "dropped column": ("ALTER TABLE matches DROP COLUMN seed", "column seed", DatabaseDamagedError),
    "foreign column": ("ALTER TABLE acts ADD COLUMN colour", "colour", DatabaseDamagedError),
    "foreign trigger": (
        "CREATE TRIGGER spy AFTER INSERT ON events BEGIN DELETE FROM luck; END",
        "DROP TRIGGER spy",
        DatabaseUnusableError,
    ),
    "later version": ("UPDATE alembic_version SET version_num = '0042'", "'0042'", DatabaseUnusableError),
    "no version": ("DELETE FROM alembic_version", "alembic_version", DatabaseDamagedError),
    "no table of versions": ("DROP TABLE alembic_version", "alembic_version", DatabaseDamagedError),
}


def without(table, constraint):
    """Return a script that makes a table anew without one of its constraints."""
    return f"""
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = replace(sql, '{constraint}', '') WHERE name = '{table}';
        PRAGMA writable_schema = RESET;
    """


LACKED = {
    "index": (
        "DROP INDEX ix_matches_ladder",
        "the table matches lacks the index ix_matches_ladder (ladder, started_at)",
    ),
    "foreign key": (
        without("hidden", ", \n\tCONSTRAINT fk_hidden_player FOREIGN KEY(player) REFERENCES players (id)"),
        "the table hidden lacks the foreign key (player) to players",
    ),
    "unique key": (
        """
        CREATE TABLE copied AS SELECT * FROM events;
        DROP TABLE events;
        CREATE TABLE events (id INTEGER NOT NULL PRIMARY KEY, match INTEGER NOT NULL REFERENCES matches (number),
            seq INTEGER NOT NULL, at BIGINT NOT NULL, type TEXT NOT NULL, json TEXT NOT NULL, hash TEXT NOT NULL);
        """,
        "the table events lacks the unique key (match, seq)",
    ),
}


class TestSchema:
    @pytest.mark.parametrize(("script", "named", "kind"), FLAWS.values(), ids=FLAWS)
    def test_each_flaw_is_refused_and_found(self, engine, database, script, named, kind):
        store_players(engine)
        engine.dispose()
        assert not check_database(database, lambda *_: None).damage
        with contextlib.closing(sqlite3.connect(database_file(database))) as connection:
            connection.executescript(script)
            before = list(connection.iterdump())
            assert named in refusal(database, kind=kind)
            assert list(connection.iterdump()) == before
        found = check_database(database, lambda *_: None)
        assert len(found.damage) == 1
        assert not found.sound
        with pytest.raises(DatabaseUnusableError), readable_database(database):
            pass

    @pytest.mark.parametrize("revision", REVISIONS)
    def test_each_revision_becomes_this_one(self, engine, tmp_path, revision):
        """Their tables are those that a new database gets."""
        earlier = earlier_database(engine, tmp_path, revision, copied=())
        assert check_database(earlier, lambda *_: None).damage == ()
        open_database(earlier).dispose()
        assert check_database(earlier, lambda *_: None).damage == ()
        with contextlib.closing(connect(database_file(earlier))) as connection:
            connection.execute("DROP INDEX ix_matches_ladder")
        assert check_database(earlier, lambda *_: None).damage == LACKED["index"][1:]

    @pytest.mark.parametrize("revision", REVISIONS[:-1])
    def test_flaw_of_earlier_revision_is_refused(self, engine, tmp_path, revision):
        earlier = earlier_database(engine, tmp_path, revision, "DROP TABLE events", copied=())
        before = database_file(earlier).read_bytes()
        refusal(earlier, kind=DatabaseDamagedError)
        assert database_file(earlier).read_bytes() == before
        assert len(check_database(earlier, lambda *_: None).damage) == 1

    @pytest.mark.parametrize("lacked", LACKED.values(), ids=LACKED)
    def test_lacking_key_is_found(self, engine, database, lacked):
        script, flaw = lacked
        engine.dispose()
        with contextlib.closing(sqlite3.connect(database_file(database))) as connection:
            connection.executescript(script)
        assert check_database(database, lambda *_: None).damage == (flaw,)
        open_database(database).dispose()


def earlier_database(engine, folder, revision, *statements, copied=("players", "matches", "events")):
    """Return the URL of a database of an earlier revision with the players, matches and events of ``engine``."""
    url = f"sqlite:///{folder / 'earlier.sqlite3'}"
    earlier = create_engine(url)
    with earlier.connect() as connection:
        connection.exec_driver_sql("ATTACH ? AS newer", (str(engine.file),))
        config = alembic_config()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        for table in copied:
            columns = ", ".join(column["name"] for column in inspect(connection).get_columns(table))
            connection.exec_driver_sql(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM newer.{table}")
        for statement in statements:
            connection.exec_driver_sql(statement)
        connection.commit()
    earlier.dispose()
    return url


class TestRefused:
    @pytest.mark.parametrize(
        "url",
        [
            "",
            "evilpegs.sqlite3",
            "/var/lib/evilpegs.sqlite3",
            "sqlite://data/evilpegs.sqlite3",
            "sqlite://host:port/file",
            "sqlite:///evil\0pegs",
            "sqlite:///evilpegs.sqlite3?mode=ro",
            "sqlite://",
            "sqlite:///",
            "sqlite:///:memory:",
            "mysql://ann:password@host/evilpegs",
            "sqlite+aiosqlite:///evilpegs.sqlite3",
            "nothing://at/all",
        ],
    )
    @pytest.mark.parametrize("open_it", [open_database, open_existing_database, DatabaseLock])
    def test_bad_url_is_refused_without_side_effects(self, tmp_path, monkeypatch, url, open_it):
        monkeypatch.chdir(tmp_path)
        message = refusal(url, open_it)
        assert "sqlite:///FILE" in message
        assert "password" not in message
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        "open_it", [open_database, open_existing_database, lambda url: check_database(url, lambda *_: None)]
    )
    def test_database_that_was_cut_to_nothing_is_refused(self, database, open_it):
        """SQLite would delete the side file, in which everything may be."""
        open_database(database).dispose()
        os.truncate(file := database_file(database), 0)
        (side_file := side_files(file)[0]).write_bytes(b"what was written last")
        assert "was cut to nothing" in refusal(database, open_it, DatabaseDamagedError)
        assert side_file.stat().st_size > 0

    @pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
    @pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
    @pytest.mark.parametrize(
        "open_it", [open_database, open_existing_database, lambda url: check_database(url, lambda *_: None)]
    )
    def test_folder_or_pipe_in_place_of_a_file_is_named(self, database, open_it, ending, make):
        """SQLite would delete a pipe beside the database, and says that the disk failed."""
        if ending:
            open_database(database).dispose()
        make(path := f"{database_file(database)}{ending}")
        with pytest.raises(DatabaseUnusableError, match=rf"{re.escape(path)} is (not a file|a directory)"):
            open_it(database)
        assert not Path(path).is_file()

    def test_foreign_database_file_is_refused(self, tmp_path):
        path = tmp_path / "notes.txt"
        path.write_text(content := "not a database, but long enough to be taken for one" * 100)
        message = refusal(f"sqlite:///{path}")
        assert str(path) in message
        assert "--database" in message
        assert path.read_text() == content

    @pytest.mark.parametrize("open_it", [open_database, DatabaseLock])
    def test_uncreatable_directory_is_refused(self, tmp_path, open_it):
        (tmp_path / "file").touch()
        assert "--database" in refusal(f"sqlite:///{tmp_path}/file/evilpegs.sqlite3", open_it)

    @pytest.mark.parametrize("open_it", [open_database, DatabaseLock])
    @pytest.mark.usefixtures("not_root")
    def test_unwritable_directory_is_refused(self, tmp_path, open_it):
        with pytest.raises(PermissionError):
            (tmp_path / "file").touch()
        assert "--database" in refusal(f"sqlite:///{tmp_path}/evilpegs.sqlite3", open_it)

    def test_read_only_file_is_made_writable(self, engine, database, request):
        engine.dispose()
        database_file(database).chmod(0o444)
        request.getfixturevalue("not_root")
        message = refusal(database, kind=DatabaseUnavailableError)
        assert "writable" in message
        assert "--database" not in message

    def test_full_disk_is_made_free(self, engine, database, monkeypatch):
        """SQLite then cannot extend a file, such as the shared one, and says that the disk failed."""
        failed = sqlite3.OperationalError("disk I/O error")
        failed.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
        monkeypatch.setattr(sqlite, "check_schema", Mock(side_effect=failed))
        message = refusal(database, kind=DatabaseUnavailableError)
        assert "free space" in message
        assert "--database" not in message

    def test_directory_as_database_is_refused(self, tmp_path):
        message = refusal(f"sqlite:///{tmp_path}")
        assert str(tmp_path) in message
        assert "--database" in message
        assert list(tmp_path.iterdir()) == []

    def test_open_existing_creates_nothing(self, database, tmp_path):
        message = refusal(database, open_existing_database, DatabaseMissingError)
        assert str(tmp_path / "evilpegs.sqlite3") in message
        assert list(tmp_path.iterdir()) == []

    def test_open_database_makes_parent_directories(self, tmp_path):
        path = tmp_path / "a" / "b" / "evilpegs.sqlite3"
        open_database(f"sqlite:///{path}").dispose()
        sqlite3.connect(path).close()
        assert path.stat().st_size > 0
        assert [folder.stat().st_mode & 0o777 for folder in (path.parent, path.parent.parent)] == [0o700, 0o700]


class TestLock:
    def test_lock_excludes_second_server_until_released(self, database):
        first = DatabaseLock(database)
        assert "--database" in refusal(database, DatabaseLock, DatabaseInUseError)
        first.release()
        first.release()
        DatabaseLock(database).release()

    def test_open_existing_needs_no_lock(self, engine, database):
        lock = DatabaseLock(database)
        open_existing_database(database).dispose()
        lock.release()


def test_new_database_files_are_private(tmp_path):
    url = f"sqlite:///{tmp_path}/new.sqlite3"
    lock, engine = DatabaseLock(url), open_database(url)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    engine.dispose()
    lock.release()
