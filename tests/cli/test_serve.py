"""`evilpegs serve`, in processes of its own."""

import json
import signal
import socket
import stat
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from evilpegs_clients.strategies.registry import STRATEGIES


def test_it_says_where_it_listens_and_what_to_type(server):
    listening, database, bot, play, _ = server.greeting
    assert listening == f"listening on {server.url}"
    assert urlsplit(server.url).hostname == "127.0.0.1"
    assert urlsplit(server.url).port > 0
    assert database == f"the database is {server.database}"
    words = bot.split(": ", 1)[1].split()
    assert words[:2] == ["evilpegs", "bot"]
    assert words[2] in STRATEGIES
    assert words[3:] == ["--server", server.url]
    assert play.endswith(f"evilpegs play --server {server.url}")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_in_order_and_logs_lines_of_json(serve, number):
    result = serve().end(number)
    assert result.status == 0
    lines = [json.loads(line) for line in result.err.splitlines()]
    assert [line["event"] for line in lines] == ["listening", "stopped"]
    assert all({"level", "timestamp"} <= set(line) for line in lines)


def test_other_machines_are_told_an_address_of_theirs(serve):
    host = urlsplit(serve("--host", "0.0.0.0").url).hostname
    assert host not in {"0.0.0.0", "", None}


def test_it_goes_on_where_it_stopped(run, serve):
    first = serve()
    assert run("bot", "minimax", "--server", first.url).status == 0
    assert first.end(signal.SIGTERM).status == 0
    second = serve()
    assert run("bot", "minimax", "--server", second.url, "--name", "second").status == 0
    document = run("leaderboard", "--database", second.database, "--json").document
    assert {row["player"] for row in document["ladders"][0]["rows"]} == {"minimax-ann", "second"}


def test_a_port_in_use(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("serve", "--port", port)
    assert result.status == 2
    line = result.err.splitlines()[-1]
    assert line == f"evilpegs: cannot listen on 127.0.0.1 port {port}: the port is in use; choose another with --port"


def test_a_database_in_use(run, serve):
    running = serve()
    result = run("serve", "--port", "0", "--database", running.database)
    assert result.status == 2
    assert "another server is running" in result.err.splitlines()[-1]


def test_closed_registration(run, serve):
    running = serve("--registration", "closed")
    result = run("bot", "minimax", "--server", running.url)
    assert result.status == 2
    assert "no new names" in result.complaint


def test_options_win_over_the_environment_and_that_over_the_file(start, tmp_path, monkeypatch):
    toml = f"port = 1\nhost = '127.0.0.2'\ndatabase = 'sqlite:///{tmp_path}/of-toml.sqlite3'\n"
    Path("evilpegs.toml").write_text(toml)
    monkeypatch.setenv("EVILPEGS_HOST", "127.0.0.1")
    monkeypatch.setenv("EVILPEGS_PORT", "2")
    child = start("serve", "--port", "0")
    address = urlsplit(child.next_line().removeprefix("listening on "))
    assert address.hostname == "127.0.0.1"
    assert address.port not in {1, 2}
    assert child.next_line() == f"the database is sqlite:///{tmp_path}/of-toml.sqlite3"
    assert child.end(signal.SIGTERM).status == 0


def test_a_directory_that_cannot_be_written(start, tmp_path):
    place = tmp_path / "closed"
    place.mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
    database = "/proc/x.sqlite3" if (place / "x").parent.stat().st_uid == 0 else place / "x.sqlite3"
    result = start("serve", "--port", "0", "--database", f"sqlite:///{database}").end()
    assert result.status == 2
    assert result.complaint.startswith("cannot use the database")
