"""A copy of a database in use has everything that was committed, and replaces another file only when it is complete."""

import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from sqlalchemy import text

from evilpegs_protocol.files import replace_file
from evilpegs_server.storage.copies import backup
from evilpegs_server.storage.copies.backup import backup_database, check_database
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.errors import DatabaseInUseError, DatabaseMissingError, DatabaseUnusableError
from evilpegs_server.storage.location import database_file
from evilpegs_server.storage.lock import DatabaseLock
from support.damage import damage_rows
from support.matches import TINY
from support.stored_matches import StoredPlay, store, store_players

MATCHES = 5


def silent(*_):
    """Show no progress."""


@pytest.fixture
def used(engine, database):
    """The URL of a database in use with five matches, of which one is open."""
    store_players(engine)
    for number in range(1, MATCHES):
        store(engine, *StoredPlay(number, TINY).play(("solved", [1, 2])))
    store(engine, StoredPlay(MATCHES, TINY).start())
    return database


def events_in(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT * FROM events ORDER BY id").fetchall()


def events_of(engine):
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text("SELECT * FROM events ORDER BY id"))]


class TestBackup:
    def test_copy_has_all_committed_events_in_one_private_file(self, used, engine, tmp_path):
        found = backup_database(used, tmp_path / "copy", silent)
        assert (found.matches, found.open_matches, found.players, found.sound) == (MATCHES, 1, 3, True)
        assert found.events == len(events_of(engine))
        assert events_in(tmp_path / "copy") == events_of(engine)
        assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600
        assert [path.name for path in tmp_path.iterdir() if "copy" in path.name] == ["copy"]

    def test_copied_file_without_its_log_lacks_events(self, used, engine, tmp_path):
        """The control of the test above."""
        shutil.copy(database_file(used), tmp_path / "copy")
        with closing(sqlite3.connect(tmp_path / "copy")) as connection:
            tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        assert tables == (0,) or len(events_in(tmp_path / "copy")) < len(events_of(engine))

    def test_copy_has_one_state_while_events_are_stored(self, used, engine, tmp_path, monkeypatch):
        """A transaction of the server neither waits for the copy nor appears in it in part."""
        monkeypatch.setattr(backup, "PAGES", 1)
        before = events_of(engine)
        later = iter(range(MATCHES + 1, MATCHES + 10_000))

        def play_on(what, *_):
            if what == "copying":
                store(engine, *StoredPlay(next(later), TINY).play(("solved", [1])))

        backup_database(used, tmp_path / "copy", play_on)
        assert events_in(tmp_path / "copy") == before
        assert len(events_of(engine)) > len(before)

    def test_opened_copy_is_a_database(self, used, engine, tmp_path):
        backup_database(used, tmp_path / "copy", silent)
        again = open_database(f"sqlite:///{tmp_path}/copy")
        assert events_of(again) == events_of(engine)
        again.dispose()

    def test_existing_file_needs_overwrite(self, used, tmp_path):
        (tmp_path / "copy").write_text("notes")
        with pytest.raises(DatabaseUnusableError, match="--force"):
            backup_database(used, tmp_path / "copy", silent)
        assert (tmp_path / "copy").read_text() == "notes"
        backup_database(used, tmp_path / "copy", silent, overwrite=True)
        assert events_in(tmp_path / "copy")

    def test_pipe_or_device_is_never_the_target(self, used, tmp_path):
        os.mkfifo(tmp_path / "copy")
        with pytest.raises(DatabaseUnusableError, match="is not a file"):
            backup_database(used, tmp_path / "copy", silent, overwrite=True)
        with pytest.raises(FileExistsError):
            replace_file(tmp_path / "copy", b"data")
        assert (tmp_path / "copy").is_fifo()
        assert [file.name for file in tmp_path.iterdir() if file.name.startswith("copy")] == ["copy"]

    @pytest.mark.parametrize("other_name", ["evilpegs.sqlite3", "hard", "link"])
    def test_database_itself_is_never_the_target(self, used, tmp_path, other_name):
        (tmp_path / "hard").hardlink_to(database_file(used))
        (tmp_path / "link").symlink_to(database_file(used))
        with pytest.raises(DatabaseUnusableError, match="itself"):
            backup_database(used, tmp_path / other_name, silent, overwrite=True)

    def test_database_of_another_server_is_never_the_target(self, used, tmp_path):
        lock = DatabaseLock(f"sqlite:///{tmp_path}/other")
        with pytest.raises(DatabaseInUseError):
            backup_database(used, tmp_path / "other", silent, overwrite=True)
        lock.release()

    def test_log_of_replaced_file_is_removed(self, used, engine, tmp_path):
        """SQLite would apply it to the copy."""
        (tmp_path / "copy").touch()
        (tmp_path / "copy-wal").write_bytes(b"log")
        backup_database(used, tmp_path / "copy", silent, overwrite=True)
        assert not (tmp_path / "copy-wal").exists()
        assert events_in(tmp_path / "copy") == events_of(engine)

    def test_damaged_database_replaces_no_copy(self, used, engine, tmp_path):
        engine.dispose()
        damage_rows(database_file(used), b"match_started")
        (tmp_path / "copy").write_text("an older copy")
        with pytest.raises(DatabaseUnusableError, match="damaged"):
            backup_database(used, tmp_path / "copy", silent, overwrite=True)
        assert (tmp_path / "copy").read_text() == "an older copy"
        assert not list(tmp_path.glob("*.new"))

    def test_broken_match_is_copied_and_named(self, used, engine, tmp_path):
        with engine.begin() as connection:
            connection.execute(text("UPDATE events SET json = replace(json, '1', '2') WHERE match = 2 AND seq = 3"))
        found = backup_database(used, tmp_path / "copy", silent)
        assert (found.broken, found.sound) == ((f"{2:016x}",), False)
        assert events_in(tmp_path / "copy") == events_of(engine)

    def test_missing_database_is_refused(self, tmp_path):
        with pytest.raises(DatabaseMissingError):
            backup_database(f"sqlite:///{tmp_path}/nothing", tmp_path / "copy", silent)
        assert list(tmp_path.iterdir()) == []


class TestCheck:
    def test_sound_database_in_use_is_sound(self, used):
        found = check_database(used, silent)
        assert found == replace(found, damage=(), broken=())
        assert found.sound

    def test_each_broken_match_is_named(self, used, engine):
        with engine.begin() as connection:
            connection.execute(text("UPDATE events SET json = replace(json, '1', '2') WHERE match = 2 AND seq = 3"))
            connection.execute(text("DELETE FROM events WHERE match = 4 AND seq = 2"))
        found = check_database(used, silent)
        assert (found.damage, found.broken) == ((), (f"{2:016x}", f"{4:016x}"))

    def test_damaged_pages_are_named(self, used, engine):
        engine.dispose()
        damage_rows(database_file(used), b"match_started")
        found = check_database(used, silent)
        assert found.damage
        assert not found.sound

    def test_check_writes_nothing(self, used, engine, tmp_path):
        backup_database(used, tmp_path / "copy", silent)
        before = (tmp_path / "copy").read_bytes()
        check_database(f"sqlite:///{tmp_path}/copy", silent)
        assert (tmp_path / "copy").read_bytes() == before

    @pytest.mark.parametrize("content", [b"no database" * 1000, b""])
    def test_foreign_file_is_refused(self, tmp_path, content):
        (tmp_path / "notes").write_bytes(content)
        with pytest.raises(DatabaseUnusableError, match="notes"):
            check_database(f"sqlite:///{tmp_path}/notes", silent)
