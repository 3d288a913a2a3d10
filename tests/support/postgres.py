"""A PostgreSQL cluster of the tests' own, and databases on it."""

import itertools
import os
import pwd
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

import psycopg

from evilpegs_server.storage.engines.postgres import PostgresDatabase
from evilpegs_server.storage.log.tables import REVISION
from support.requirements import fail_or_skip

PROGRAMS = Path("/usr/lib/postgresql")
"""Where Debian puts each version."""
OPTIONS = "-c max_connections=200 -c listen_addresses='' -c logging_collector=off"


def find_program(name):
    """Return a program of PostgreSQL, the newest; without one skip the test, or fail it in CI."""
    found = sorted(PROGRAMS.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    path = found[-1] if found else shutil.which(name)
    return str(path) if path else fail_or_skip("databases need PostgreSQL; on Debian: apt install postgresql")


class Cluster:
    """A server of PostgreSQL in ``folder``, which listens on a socket there only; ``fsync`` as in its settings."""

    def __init__(self, folder, fsync="off"):
        self.folder, self._numbers, self._fsync = Path(folder), itertools.count(1), fsync
        self._data, self._sockets = self.folder / "data", self.folder / "socket"
        self._user = self._unprivileged()
        for path in (self.folder, self._sockets):
            path.mkdir(exist_ok=True)
            path.chmod(0o755)
            if self._user is not None:
                os.chown(path, self._user.pw_uid, self._user.pw_gid)
        self._run("initdb", "-D", self._data, "-U", "evilpegs", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
        self.start()

    def _unprivileged(self):
        if os.geteuid() != 0:
            return None
        try:
            return pwd.getpwnam("postgres")  # PostgreSQL refuses to run as root
        except KeyError:
            return pwd.getpwnam("nobody")

    def _run(self, program, *arguments):
        user = {} if self._user is None else {"user": self._user.pw_uid, "group": self._user.pw_gid}
        command = [find_program(program), *map(str, arguments)]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env=os.environ | {"LC_ALL": "C"},
            **user,
        )
        assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"

    def start(self):
        options = f"{OPTIONS} -c fsync={self._fsync} -k {self._sockets}"
        self._run(
            "pg_ctl", "-D", self._data, "-w", "-t", "240", "-s", "-l", self.folder / "log", "-o", options, "start"
        )

    def stop(self, mode="fast"):
        self._control("-m", mode, "stop")

    def _control(self, *arguments):
        self._run("pg_ctl", "-D", self._data, "-w", "-t", "240", "-s", *arguments)

    def url(self, name):
        return f"postgresql://evilpegs@/{name}?host={self._sockets}"

    def create(self, of=None):
        """Create an empty database, or a copy of the one at the URL ``of``, which nobody may use; return its URL."""
        name = f"test{next(self._numbers)}"
        template = () if of is None else ("-T", of.partition("@/")[2].partition("?")[0])
        self._run("createdb", "-h", self._sockets, "-U", "evilpegs", *template, name)
        return self.url(name)


FIRST_ROWS = f"""
    INSERT INTO alembic_version VALUES ('{REVISION}');
    INSERT INTO log (id) VALUES (substr(md5(gen_random_uuid()::text), 1, 16));
"""
END_OTHERS = """
    SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
# what a test may have changed besides rows: columns, indexes, triggers, functions and settings
FORM = """
    SELECT md5(string_agg(what, E'\\n' ORDER BY what)) FROM (
        SELECT format('%s.%s %s', attrelid::regclass, attname, atttypid::regtype) AS what
        FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid WHERE relnamespace = 'public'::regnamespace
        UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal
        UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        UNION ALL SELECT setconfig::text FROM pg_db_role_setting AS s JOIN pg_database AS d ON d.oid = setdatabase
        WHERE datname = current_database()
    ) AS form
"""
EMPTY = """
    DO $$ DECLARE name text; BEGIN
        SET LOCAL session_replication_role = replica;
        FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
            EXECUTE format('DELETE FROM %I', name);
        END LOOP;
        FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' LOOP
            EXECUTE format('ALTER SEQUENCE %I RESTART', name);
        END LOOP;
    END $$;
"""


class Tables:
    """Databases with the tables, of which one is emptied and used again: this takes 10 ms, and a new one 180."""

    def __init__(self, cluster):
        self._cluster, self._empty, self._form = cluster, [], None

    @contextmanager
    def database(self):
        """Lend the URL of a database that is as `create_tables` makes it."""
        url = self._empty.pop() if self._empty else self._new()
        yield url
        if self._make_empty(url):
            self._empty.append(url)

    def _new(self):
        PostgresDatabase.upgrade(url := self._cluster.create())
        if self._form is None:
            with psycopg.connect(url) as connection:
                self._form = connection.execute(FORM).fetchone()
        return url

    def _make_empty(self, url):
        """Return False if a test changed more than rows."""
        with psycopg.connect(url, autocommit=True, options="-c default_transaction_read_only=off") as connection:
            connection.execute(END_OTHERS)
            if connection.execute(FORM).fetchone() != self._form:
                return False
            connection.execute(EMPTY + FIRST_ROWS)
        return True
