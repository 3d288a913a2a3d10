"""One server per database, by whatever name it knows the file, and a check that the file is in its place."""

import fcntl
import os
import subprocess
import sys
from contextlib import contextmanager

import pytest
from sqlalchemy import text

from evilpegs_server.storage.database import open_database, open_existing_database
from evilpegs_server.storage.errors import DatabaseInUseError, DatabaseMovedError
from evilpegs_server.storage.location import database_file
from evilpegs_server.storage.lock import DatabaseLock
from evilpegs_server.storage.log.archive import load_players

WRITE_ELSEWHERE = """
import sqlite3, sys
try:
    sqlite3.connect(sys.argv[1], timeout=0).execute("BEGIN IMMEDIATE")
except sqlite3.OperationalError as error:
    print(error)
else:
    print("written")
"""


@contextmanager
def held(url, kind=DatabaseLock):
    lock = kind(url)
    try:
        yield lock
    finally:
        lock.release()


class NameLock:
    """A lock on a file beside the database, the control of the tests below."""

    def __init__(self, url):
        self._file = database_file(url + ".lock").open("a")
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def release(self):
        self._file.close()


def by_symbolic_link(path):
    (link := path.with_name("link")).symlink_to(path)
    return link


def by_hard_link(path):
    (link := path.with_name("hard")).hardlink_to(path)
    return link


def by_dots(path):
    return path.parent / ".." / path.parent.name / path.name


def without_lock_file(path):
    path.with_name(path.name + ".lock").unlink(missing_ok=True)
    return path


OTHER_NAMES = [by_symbolic_link, by_hard_link, by_dots, without_lock_file]


class TestNames:
    @pytest.mark.parametrize("other_name", OTHER_NAMES)
    def test_other_name_of_locked_database_is_refused(self, database, other_name):
        with held(database):
            url = f"sqlite:///{other_name(database_file(database))}"
            with pytest.raises(DatabaseInUseError, match="another server is running"):
                DatabaseLock(url)
        DatabaseLock(url).release()

    @pytest.mark.parametrize("other_name", [by_symbolic_link, by_hard_link, without_lock_file])
    def test_lock_of_name_admits_second_server(self, database, other_name):
        """The control: what the test above is about does happen."""
        with held(database, DatabaseLock):
            pass
        with held(database, NameLock), held(f"sqlite:///{other_name(database_file(database))}", NameLock):
            pass

    def test_relative_path_is_locked_as_absolute(self, database, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with held(f"sqlite:///{database_file(database).name}"), pytest.raises(DatabaseInUseError):
            DatabaseLock(database)

    def test_names_count_hard_links(self, database):
        with held(database) as lock:
            assert lock.names == 1
            by_hard_link(database_file(database))
            assert lock.names == 2

    def test_dangling_link_is_created_and_locked(self, tmp_path):
        (tmp_path / "link").symlink_to(tmp_path / "target")
        with held(f"sqlite:///{tmp_path}/link"), pytest.raises(DatabaseInUseError):
            DatabaseLock(f"sqlite:///{tmp_path}/target")

    def test_lock_beside_database_excludes_where_flock_interacts(self, database, monkeypatch):
        monkeypatch.setattr("evilpegs_server.storage.lock.FLOCK_IS_INDEPENDENT", False)
        with held(database):
            link = by_symbolic_link(database_file(database))
            with pytest.raises(DatabaseInUseError):
                DatabaseLock(f"sqlite:///{link}")


class TestLocksOfSqlite:
    """SQLite's own locks, which closing any descriptor of the file would drop, and the lock of the server."""

    def write_elsewhere(self, path):
        printed = subprocess.run(
            [sys.executable, "-S", "-c", WRITE_ELSEWHERE, path], check=False, capture_output=True, text=True
        )
        return printed.stdout.strip()

    def test_write_lock_survives_checks_of_file(self, database):
        path = database_file(database)
        with held(database) as lock:
            engine = open_database(database)
            engine.guard(lock)
            with engine.connect() as connection:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                lock.check()
                with pytest.raises(DatabaseInUseError):
                    DatabaseLock(f"sqlite:///{path.parent}/../{path.parent.name}/{path.name}").release()
            engine.dispose()

    def test_checks_leave_write_lock_alone(self, database):
        path = database_file(database)
        with held(database) as lock:
            engine = open_database(database)
            with engine.connect() as connection:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                lock.check()
                assert self.write_elsewhere(path) == "database is locked"
            engine.dispose()
            assert self.write_elsewhere(path) == "written"

    def test_closing_descriptor_drops_locks(self, database):
        """The control of the test above: the server may not open the file."""
        path = database_file(database)
        engine = open_database(database)
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA journal_mode=DELETE")
            connection.commit()
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            assert self.write_elsewhere(path) == "database is locked"
            os.close(os.open(path, os.O_RDONLY))
            assert self.write_elsewhere(path) == "written"
        engine.dispose()

    def test_lock_survives_connections_that_close(self, database):
        with held(database):
            for _ in range(3):
                engine = open_database(database)
                with engine.connect() as connection:
                    connection.execute(text("SELECT 1"))
                engine.dispose()
            with pytest.raises(DatabaseInUseError):
                DatabaseLock(database)

    def test_readers_need_no_lock(self, database):
        open_database(database).dispose()
        with held(database):
            engine = open_existing_database(database)
            assert len(load_players(engine)) == 0
            engine.dispose()


class TestPlace:
    def test_moved_file_is_noticed_until_it_is_back(self, database):
        path = database_file(database)
        with held(database) as lock:
            lock.check()
            path.rename(away := path.with_name("away"))
            with pytest.raises(DatabaseMovedError, match="moved or deleted"):
                lock.check()
            path.touch()
            with pytest.raises(DatabaseMovedError, match="replaced"):
                lock.check()
            away.replace(path)
            lock.check()

    def test_file_that_was_cut_to_nothing_is_noticed(self, engine, database):
        with held(database) as lock:
            engine.guard(lock)
            assert len(load_players(engine)) == 0
            os.truncate(database_file(database), 0)
            with pytest.raises(DatabaseMovedError, match=r"cut to nothing.*evilpegs database backup"):
                load_players(engine)

    def test_changed_symbolic_link_is_noticed(self, tmp_path):
        (link := tmp_path / "link").symlink_to(tmp_path / "first")
        with held(f"sqlite:///{link}") as lock:
            link.unlink()
            link.symlink_to(tmp_path / "second")
            (tmp_path / "second").touch()
            with pytest.raises(DatabaseMovedError):
                lock.check()

    def test_moved_directory_is_noticed(self, tmp_path):
        with held(f"sqlite:///{tmp_path}/folder/database") as lock:
            (tmp_path / "folder").rename(tmp_path / "elsewhere")
            with pytest.raises(DatabaseMovedError):
                lock.check()

    def test_guarded_engine_reads_nothing_while_file_is_away(self, engine, database):
        path = database_file(database)
        with held(database) as lock:
            engine.guard(lock)
            assert len(load_players(engine)) == 0
            path.rename(away := path.with_name("away"))
            for _ in range(20):
                with pytest.raises(DatabaseMovedError):
                    load_players(engine)
            assert not path.exists()
            away.rename(path)
            assert len(load_players(engine)) == 0

    def test_unguarded_engine_reads_file_that_was_moved(self, engine, database):
        """The control of the test above."""
        path = database_file(database)
        load_players(engine)
        path.rename(path.with_name("away"))
        assert len(load_players(engine)) == 0
