"""A server of one's own on this machine, for tests and notebooks."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Final

from evilpegs_clients.strategies.program_guard import ProgramGuard
from evilpegs_game.errors import EvilpegsError

STOP_SECONDS: Final = 15.0


@dataclass(frozen=True, slots=True)
class LocalServer:
    """The addresses of a server that `local_server` runs: ``ws://`` for players and ``http://`` for its site."""

    url: str
    site_url: str
    database: str
    """The URL of its database, ``sqlite:///FILE``."""


@contextmanager
def local_server() -> Iterator[LocalServer]:
    """Run a server on free ports of this machine during the block, with an empty database that ends with it.

    It is a process of its own, which ignores ``evilpegs.toml`` and the environment, and needs the extra ``server``::

        >>> with evilpegs.local_server() as server:  # doctest: +SKIP
        ...     run_my_client(server.url)

    Raises:
        EvilpegsError: the server did not start, or had ended before the block did.
    """
    with tempfile.TemporaryDirectory(prefix="evilpegs-local-") as folder:
        database, log = f"sqlite:///{folder}/local.sqlite3", Path(folder, "log")
        where = ["--host", "127.0.0.1", "--port", "0", "--site-port", "0", "--database", database]
        command = [sys.executable, "-m", "evilpegs", "serve", *where]
        env = {name: value for name, value in os.environ.items() if not name.upper().startswith("EVILPEGS_")}
        guard = ProgramGuard(Path(folder))  # it ends the server even if this process is killed
        try:
            with log.open("wb") as errors:
                process = subprocess.Popen(  # noqa: S603 - this Python
                    command, stdin=DEVNULL, stdout=PIPE, stderr=errors, cwd=folder, env=env, process_group=guard.group
                )
            with process:
                try:
                    assert process.stdout is not None  # noqa: S101 - a pipe
                    addresses = [line.decode().split()[-1] for line in islice(process.stdout, 2)]
                    if len(addresses) == 2:
                        yield LocalServer(addresses[0], addresses[1], database)
                finally:
                    process.terminate()
                    status = process.wait(STOP_SECONDS)
                if status != 0 or len(addresses) < 2:
                    *_, last = ["it said nothing", *log.read_text(errors="replace").splitlines()]
                    raise EvilpegsError(f"the server ended with status {status}: {last}")
        finally:
            guard.kill()
