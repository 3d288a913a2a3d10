"""Opening the database: durable, migrated, locked, and refused in one line when it will not do."""

import os
import sqlite3

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from evilpegs_server.storage.database import (
    DatabaseLock,
    DatabaseUnusableError,
    newest_revision,
    open_database,
    open_existing,
)
from evilpegs_server.storage.tables import metadata


def refusal(url, open_it=open_database):
    """The one line that says why not and what to do."""
    with pytest.raises(DatabaseUnusableError) as caught:
        open_it(url)
    message = str(caught.value)
    assert "\n" not in message
    assert caught.value.__cause__ is None
    return message


class TestDurability:
    @pytest.mark.parametrize(("pragma", "value"), [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1)])
    def test_every_connection_has_its_settings(self, engine, pragma, value):
        """``synchronous`` 2 is FULL."""
        connections = [engine.connect() for _ in range(3)]
        try:
            assert [one.execute(text(f"PRAGMA {pragma}")).scalar() for one in connections] == [value] * 3
        finally:
            for connection in connections:
                connection.close()

    def test_errors_do_not_show_rows(self, engine):
        with engine.connect() as connection, pytest.raises(Exception, match="no such table") as caught:
            connection.execute(text("INSERT INTO nowhere VALUES (:seed)"), {"seed": "a secret"})
        assert "a secret" not in str(caught.value)


class TestMigrations:
    def test_the_tables_are_those_of_the_models(self, engine):
        with engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), metadata) == []

    def test_the_first_revision_is_there(self, engine):
        assert newest_revision() == "0001"
        with engine.connect() as connection:
            assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == newest_revision()

    def test_opening_again_keeps_what_is_there(self, engine, database):
        with engine.begin() as connection:
            connection.execute(text("INSERT INTO players VALUES (1, 'ann', 'ann', 'bot', 'hash', 0)"))
        again = open_existing(database)
        with again.connect() as connection:
            assert connection.execute(text("SELECT name FROM players")).scalars().all() == ["ann"]
        again.dispose()

    def test_a_database_of_a_later_version_is_refused(self, engine, database):
        with engine.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        assert "9999" in refusal(database)


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
            "postgresql://ann:password@host/evilpegs",
            "sqlite+aiosqlite:///evilpegs.sqlite3",
            "nothing://at/all",
        ],
    )
    @pytest.mark.parametrize("open_it", [open_database, open_existing, DatabaseLock])
    def test_a_url_that_will_not_do(self, tmp_path, monkeypatch, url, open_it):
        monkeypatch.chdir(tmp_path)
        message = refusal(url, open_it)
        assert "sqlite:///FILE" in message
        assert "password" not in message
        assert list(tmp_path.iterdir()) == []

    def test_a_file_that_is_no_database(self, tmp_path):
        path = tmp_path / "notes.txt"
        path.write_text("not a database, but long enough to be taken for one" * 100)
        assert "not a database" in refusal(f"sqlite:///{path}")

    @pytest.mark.parametrize("open_it", [open_database, DatabaseLock])
    def test_a_directory_that_cannot_be_made(self, tmp_path, open_it):
        (tmp_path / "file").touch()
        assert "--database" in refusal(f"sqlite:///{tmp_path}/file/evilpegs.sqlite3", open_it)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    @pytest.mark.parametrize("open_it", [open_database, DatabaseLock])
    def test_a_directory_that_cannot_be_written(self, tmp_path, open_it):
        tmp_path.chmod(0o500)
        assert "--database" in refusal(f"sqlite:///{tmp_path}/evilpegs.sqlite3", open_it)

    def test_a_directory_in_place_of_the_file(self, tmp_path):
        assert "unable to open" in refusal(f"sqlite:///{tmp_path}")

    def test_reading_does_not_create(self, database, tmp_path):
        assert "there is no database" in refusal(database, open_existing)
        assert list(tmp_path.iterdir()) == []

    def test_directories_on_the_way_are_made(self, tmp_path):
        path = tmp_path / "a" / "b" / "evilpegs.sqlite3"
        open_database(f"sqlite:///{path}").dispose()
        sqlite3.connect(path).close()
        assert path.stat().st_size > 0


class TestLock:
    def test_a_second_server_is_locked_out_until_the_first_stops(self, database):
        first = DatabaseLock(database)
        assert "another server is running" in refusal(database, DatabaseLock)
        first.release()
        first.release()
        DatabaseLock(database).release()

    def test_reading_needs_no_lock(self, engine, database):
        lock = DatabaseLock(database)
        open_existing(database).dispose()
        lock.release()


def test_what_is_made_is_for_its_owner_only(tmp_path):
    url = f"sqlite:///{tmp_path}/new.sqlite3"
    lock, engine = DatabaseLock(url), open_database(url)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    engine.dispose()
    lock.release()
