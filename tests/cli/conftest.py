"""Fixtures that run the command in this process and in child processes."""

import io
import json
import os
import select
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from evilpegs.main import main
from evilpegs_server.storage.database import open_database
from support.foreign_clients import lone_node, lone_python, node
from support.leftovers import no_thread_left
from support.named_players import given_names
from support.patience import PATIENCE


@dataclass(frozen=True)
class Result:
    """The output of a command, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def document(self):
        """The JSON document on standard output."""
        return json.loads(self.out)

    @property
    def complaint(self):
        """The only line on standard error, without the name of the command."""
        (line,) = self.err.splitlines()
        assert line.startswith("evilpegs: ")
        return line.removeprefix("evilpegs: ")


class Child:
    """The command in a child process, which is killed at the end of the block if it still runs."""

    def __init__(self, *arguments, **options):
        command = [sys.executable, "-m", "evilpegs", *map(str, arguments)]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "bufsize": 0}
        self.process = subprocess.Popen(command, **(pipes | options))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def next_line(self):
        """Wait for a line of standard output and return it."""
        deadline = time.monotonic() + PATIENCE
        line = b""
        while not line.endswith(b"\n"):
            left = max(0, deadline - time.monotonic())
            assert select.select([self.process.stdout], [], [], left)[0], "no line came"
            byte = self.process.stdout.read(1)
            assert byte, self.process.stderr.read().decode()
            line += byte
        return line.decode().rstrip("\n")

    def end(self, number=None, typed=None):
        """Send the signal of that number, write ``typed`` to standard input, and wait for the exit."""
        if number is not None:
            self.process.send_signal(number)
        out, err = self.process.communicate(typed, PATIENCE)
        return Result(self.process.returncode, (out or b"").decode(), (err or b"").decode())


class Server(Child):
    """A server in a child process that listens on a free port."""

    def __init__(self, database, *options, **how):
        self.database = f"sqlite:///{database}"
        has_site = "--no-site" not in options
        site = ("--site-port", "0") if has_site and "--site-port" not in options else ()
        super().__init__("serve", "--port", "0", "--database", self.database, *site, *options, **how)
        self.greeting = [self.next_line() for _ in range(6 if has_site else 5)]
        self.url = self.greeting[0].removeprefix("listening on ")
        self.site = self.greeting[1].split()[-1] if has_site else None


@pytest.fixture(autouse=True)
def at_home(monkeypatch, tmp_path):
    """Give each test a user without settings, with the data and working directories under ``tmp_path``."""
    for name in [name for name in os.environ if name.upper().startswith("EVILPEGS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LOGNAME", "ann")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(capsys):
    """Run the command in this process."""

    def run(*arguments):
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        return Result(status, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory):
    """The file of a database without players; to copy it is faster than to make another."""
    file = tmp_path_factory.mktemp("empty") / "games.sqlite3"
    open_database(f"sqlite:///{file}").dispose()
    return file


@pytest.fixture(scope="session")
def run_once():
    """Run the command in this process for a fixture of a module or of the session."""

    def run_once(*arguments):
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            status = main([str(argument) for argument in arguments])
        return Result(status, out.getvalue(), err.getvalue())

    return run_once


@pytest.fixture
def talker(tmp_path):
    """The file of a strategy that prints when it is loaded and when it chooses."""
    path = tmp_path / "talker.py"
    path.write_text(
        "print('loaded')\ndef choose(position, rng):\n    print('thinking')\n    return position.first_candidate\n"
    )
    return str(path)


@pytest.fixture
def start():
    """Start the command in a child process."""
    with ExitStack() as children:
        yield lambda *arguments, **options: children.enter_context(Child(*arguments, **options))


@pytest.fixture
def serve(tmp_path):
    """Start a server for this test alone, in a child process."""
    with ExitStack() as children:
        yield lambda *options, **how: children.enter_context(Server(tmp_path / "own.sqlite3", *options, **how))


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The server that tests share unless they need one of their own, which is patient with so many readers."""
    fast = os.environ | {"EVILPEGS_REQUESTS_PER_SECOND": "10000"}
    folder = tmp_path_factory.mktemp("server")
    with Server(folder / "server.sqlite3", stderr=subprocess.DEVNULL, env=fast, cwd=folder) as running:
        yield running


@pytest.fixture(scope="session")
def snapshot_server(tmp_path_factory):
    """A server on which only the snapshots play, and the directory with the tokens of their players."""
    folder = tmp_path_factory.mktemp("snapshots")
    log = folder / "server.log"
    # pytest removes the working directory of the first test, and some imports need one
    with log.open("wb") as file, Server(folder / "server.sqlite3", stderr=file, cwd=folder) as running:
        yield running, folder
    assert '"level": "error"' not in log.read_text(), log.read_text()


@pytest.fixture(scope="session")
def played(run_once, server, tmp_path_factory):
    """The JSON documents of a bot named minimax after a match on classic and one on classic-evil."""
    token = given_names(server.database, ["minimax"])["minimax"]
    bot = ("bot", "minimax", "--server", server.url, "--name", "minimax", "--token", token, "--json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("minimax")))
        return [run_once(*bot, "--ladder", ladder).document for ladder in ("classic", "classic-evil")]


@pytest.fixture(scope="session")
def evil_match(played):
    """The id of the match on classic-evil."""
    return played[1]["matches"][0]["match"]


@pytest.fixture
def tampered(server, evil_match, tmp_path):
    """Copy the database, run a statement on it, and return its URL; ``:match`` is the number of the evil match."""
    place = Path(server.database.removeprefix("sqlite:///"))
    for path in place.parent.glob(place.name + "*"):
        shutil.copy(path, tmp_path)

    def do(statement):
        connection = sqlite3.connect(tmp_path / place.name)
        (number,) = connection.execute("SELECT number FROM matches WHERE id = ?", [evil_match]).fetchone()
        connection.execute(statement, {"match": number})
        connection.commit()
        connection.close()
        return f"sqlite:///{tmp_path / place.name}"

    return do
