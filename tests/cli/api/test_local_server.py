"""`evilpegs.local_server` and the fixture for pytest."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from urllib.request import urlopen

import pytest

import evilpegs
from evilpegs.api import local_server as local_server_module
from support.patience import PATIENCE
from support.processes import is_running
from support.servers import dial
from support.waiting import wait_until

CONFTEST = 'pytest_plugins = "evilpegs.pytest"\n'
TESTS = """\
def test_first(evilpegs_server):
    with open("first", "w") as file:
        file.write(evilpegs_server.database)


def test_second(evilpegs_server):
    assert open("first").read() == evilpegs_server.database
    assert evilpegs_server.url.startswith("ws://127.0.0.1:")
"""


async def claim(url, name):
    async with dial(url) as connection:
        return await connection.hello(name)


def test_server_plays_and_shows_and_ends_with_an_error_in_the_block(monkeypatch, tmp_path):
    monkeypatch.setenv("EVILPEGS_REGISTRATION", "closed")
    (tmp_path / "evilpegs.toml").write_text("port = 1\n")
    with pytest.raises(ZeroDivisionError), evilpegs.local_server() as server:  # noqa: PT012
        welcome = asyncio.run(claim(server.url, "ann"))
        with urlopen(f"{server.site_url}api/v1/game", timeout=PATIENCE) as answer:
            assert json.load(answer)["url"] == server.url
        database = Path(server.database.removeprefix("sqlite:///"))
        assert database.exists()
        1 / 0  # noqa: B018
    assert welcome["player"] == "ann"
    assert not database.parent.exists()


def test_server_that_does_not_start_says_why(monkeypatch):
    monkeypatch.setattr(local_server_module, "sys", SimpleNamespace(executable="/bin/false"))
    with pytest.raises(evilpegs.EvilpegsError, match="status 1"), evilpegs.local_server():
        pass


@pytest.mark.full
def test_server_that_was_killed_says_so():
    before = children_of(os.getpid())
    with pytest.raises(evilpegs.EvilpegsError, match="-9"), evilpegs.local_server():  # noqa: PT012
        _guard, server = [pid for pid in children_of(os.getpid()) if pid not in before]
        os.kill(server, signal.SIGKILL)
        wait_until(lambda: not is_running(server))


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_fixture_is_one_server_for_a_session_and_leaves_nothing_behind(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_mine.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stdout
    assert not Path((tmp_path / "first").read_text().removeprefix("sqlite:///")).parent.exists()


@pytest.mark.full
def test_server_ends_when_its_process_is_killed(tmp_path):
    code = (
        "import evilpegs, time\nwith evilpegs.local_server() as s:\n    print(s.database, flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        database = process.stdout.readline().strip().removeprefix("sqlite:///")
        process.kill()
    wait_until(lambda: not any(database in line for line in command_lines()))
    wait_until(lambda: not Path(database).parent.exists())


def command_lines():
    """Yield the command line of each process of this machine."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                yield (folder / "cmdline").read_text(errors="replace")
            except OSError:
                continue
