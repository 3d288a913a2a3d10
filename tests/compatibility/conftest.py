"""Copies of the files of an earlier version, and the command to open them with."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from evilpegs.main import main
from support.patience import PATIENCE

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
        command = [sys.executable, "-m", "evilpegs", "serve", "--no-site", "--port", "0", "--database", self.database]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            yield process.stdout.readline().decode().split()[-1]
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
            process.communicate()


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
