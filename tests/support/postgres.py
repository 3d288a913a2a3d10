"""A PostgreSQL cluster of the tests' own, with a new database for each test that asks for one."""

import itertools
import os
import pwd
import shutil
import subprocess
from pathlib import Path

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
