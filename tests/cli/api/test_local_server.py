"""`evilpegs.local_server` and the fixture for pytest."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from urllib.request import urlopen

import pytest

import evilpegs
from evilpegs.api import local_server as local_server_module
from evilpegs_clients.connection.tokens import TokenFile, token_variable
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


TINY = {"tiny": {"rules": "2x3", "codemaker": "fixed", "guess_limit": 9, "games": 1}}
BOT = ("bot", "minimax", "--ladder", "tiny", "--name", "bob")


def play(server, **options):
    return evilpegs.play(server=server.url, ladder="tiny", strategy="minimax", name="ann", **options)


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


def test_local_server_offers_own_ladders_and_keeps_tokens_apart(start, tmp_path):
    """Also those of bots in other processes, but not those that are wanted elsewhere."""
    opens = datetime(2020, 1, 1, tzinfo=UTC)
    with evilpegs.local_server(ladders={"tiny": TINY["tiny"] | {"opens": opens, "rated": True}}) as server:
        assert play(server).verified
        assert start(*BOT, "--server", server.url).end().status == 0
        assert TokenFile(server.token_file).names_at(server.url) == ["ann", "bob"]
        evilpegs.play(
            server=server.url, ladder="tiny", strategy="minimax", name="eve", token_file=tmp_path / "eve.json"
        )
        variable = token_variable(server.url)
        assert os.environ[variable]
    assert variable not in os.environ
    assert list(tmp_path.glob("**/*tokens.json*")) == []
    assert TokenFile(tmp_path / "eve.json").names_at(server.url) == ["eve"]


def test_data_keeps_matches_and_tokens_for_a_server_on_another_port(tmp_path):
    (tmp_path / "ladders.toml").write_text(
        'port = 1\n[ladders.tiny]\nrules = "2x3"\ncodemaker = "fixed"\nguess_limit = 9\n'
    )
    where = {"ladders": tmp_path / "ladders.toml", "data": tmp_path / "50% ?" / "data"}
    with evilpegs.local_server(**where) as server:
        before = play(server).matches[0].match
    port = int(server.url.split(":")[2].partition("/")[0])
    with socket.create_server(("127.0.0.1", port)), evilpegs.local_server(**where) as server:
        after = play(server).matches[0].match
        assert evilpegs.replay(before, server=server.url, analysis=False).player == "ann"
    assert evilpegs.replay(after, database=server.database, analysis=False).over
    assert {file.name for file in where["data"].iterdir()} >= {"local.sqlite3", "tokens.json"}
    assert not list(tmp_path.glob("data/**/tokens.json"))


def test_closed_registration_lets_nobody_claim_a_name():
    with (
        evilpegs.local_server(ladders=TINY, registration="closed") as server,
        pytest.raises(evilpegs.ClientError, match="name"),
    ):
        play(server)


def test_local_server_connects_to_broker():
    with socket.create_server(("127.0.0.1", 0)) as broker:
        broker.settimeout(PATIENCE)
        with evilpegs.local_server(mqtt=f"mqtt://127.0.0.1:{broker.getsockname()[1]}"):
            connection, _ = broker.accept()
            with connection:
                assert connection.recv(1) == b"\x10"  # CONNECT


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"ladders": {"tiny": {}}}, "ladders.tiny.rules"),
        ({"ladders": {"tiny": {"rules": ["2x3"]}}}, "2x3"),
        ({"ladders": {"classic": TINY["tiny"]}}, "classic"),
        ({"ladders": {"tiny": 3}}, "3"),
        ({"ladders": 3}, "3"),
        ({"ladders": "missing.toml"}, "missing.toml"),
        ({"ladders": "empty.toml"}, "empty.toml"),
        ({"ladders": "broken.toml"}, "line 1"),
        ({"registration": "shut"}, "registration must be open or closed"),
        ({"registration": None}, "None"),
        ({"mqtt": "http://127.0.0.1"}, "mqtt"),
        ({"mqtt": 1883}, "1883"),
        ({"data": "empty.toml"}, "empty.toml"),
        ({"data": 3}, "3"),
        ({"data": "\0"}, "0"),
    ],
)
def test_local_server_refuses_wrong_arguments(wrong, named, tmp_path):
    (tmp_path / "empty.toml").touch()
    (tmp_path / "broken.toml").write_text("ladders = [\0]")
    with pytest.raises(evilpegs.MalformedError) as caught, evilpegs.local_server(**wrong):
        pass
    assert named in str(caught.value)
    assert "evilpegs" not in str(caught.value)


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
