"""Copies of the files of an earlier version, and the command to open them with."""

import json
import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from websockets.sync.client import connect

from evilpegs.main import main
from support.local_worker import no_worker_process
from support.patience import PATIENCE
from support.threaded_server import server_in_thread

VERSIONS = sorted(path.name for path in Path(__file__).parent.glob("v*"))


@dataclass(frozen=True)
class Result:
    """The exit status and the output of a command."""

    status: int
    out: str
    err: str


class OldFiles:
    """A copy of the files of one version; ``expected`` is what that version said about them."""

    def __init__(self, directory):
        self.directory = directory
        self.database = f"sqlite:///{directory / 'evilpegs.sqlite3'}"
        self.expected = json.loads((directory / "expected.json").read_text())
        self.tokens = json.loads((directory / "tokens.json").read_text())[self.expected["url"]]

    def __truediv__(self, name):
        return self.directory / name

    @contextmanager
    def server(self):
        """Serve the copied database on a free port; yield the address."""
        with no_worker_process(), server_in_thread(self.database, site=False) as running:
            yield running.url

    @contextmanager
    def walker(self):
        """The player who was in the middle of three matches when the old server was killed, back on a new one."""
        with self.server() as url, connect(url, compression=None, open_timeout=PATIENCE) as socket:
            yield Walker(socket, self.tokens[self.expected["name"]][0])


class Walker:
    """A player who goes on with their matches."""

    def __init__(self, socket, token):
        self.socket = socket
        self.ask("welcome", type="hello", token=token, client={"name": "walker", "version": "1"})

    def ask(self, *types, **message):
        self.socket.send(json.dumps(message))
        return self.hear(*types)

    def hear(self, *types):
        while True:
            heard = json.loads(self.socket.recv(PATIENCE))
            assert heard["type"] != "error", heard
            if heard["type"] in types:
                return heard

    def go_on(self, match, game, turn, seq, **_):
        """Make a guess in a match that was open, and resign it."""
        self.ask("resumed", type="resume", match=match, seq=seq)
        reply = self.ask("feedback", type="guess", match=match, game=game, turn=turn, code="3456")
        assert reply["seq"] == seq + 1
        self.ask("match_over", type="resign", match=match)


@pytest.fixture(params=VERSIONS)
def old(request, tmp_path):
    """A fresh copy of the files of each earlier version."""
    directory = tmp_path / "old"
    shutil.copytree(Path(__file__).parent / request.param, directory)
    return OldFiles(directory)


@pytest.fixture
def home(monkeypatch, tmp_path):
    """The data directory of a user, without settings from outside."""
    for name in [name for name in os.environ if name.upper().startswith("EVILPEGS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data" / "evilpegs"


@pytest.fixture
def run(capsys, home):
    """Run the command in this process."""

    def run(*arguments):
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        return Result(status, *capsys.readouterr())

    return run
