"""`evilpegs serve`, in child processes."""

import json
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from evilpegs.main import app
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_server.listening import AddressUnusableError
from evilpegs_server.server import serve_until_stopped
from evilpegs_server.storage.errors import DatabaseInUseError
from evilpegs_server.timing import Timing
from support.certificates import make_certificate
from support.patience import PATIENCE

GREETING = "listening on "


def log_lines(result):
    """Return the lines of a server's log, without those about running as root and about compiling kernels."""
    lines = map(json.loads, result.err.splitlines())
    return [line for line in lines if not re.search(r"\broot\b|\bkernels\b", line["event"])]


def test_serve_greets_with_url_and_commands(server):
    listening, _site, database, bot, play, _ = server.greeting
    assert listening == f"{GREETING}{server.url}"
    assert urlsplit(server.url).hostname == "127.0.0.1"
    assert urlsplit(server.url).port > 0
    assert database.split()[-1] == server.database
    words = bot.split(": ", 1)[1].split()
    assert words[:2] == ["evilpegs", "bot"]
    assert words[2] in STRATEGIES
    assert words[3:] == ["--server", server.url]
    assert play.endswith(f"evilpegs play --server {server.url}")


def test_serve_greets_with_outer_address_and_logs_text(serve, monkeypatch):
    monkeypatch.setenv("EVILPEGS_GAME_URL", "wss://games.example/v1")
    monkeypatch.setenv("EVILPEGS_LOG_FORMAT", "text")
    running = serve("--no-site")
    assert running.greeting[1] == "players connect to wss://games.example/v1"
    assert running.greeting[3].endswith("--server wss://games.example/v1")
    assert_text(running.end(signal.SIGTERM))


def assert_text(result):
    first, *_, last = [line for line in result.err.splitlines() if "as root" not in line]
    assert "listening" in first
    assert "port=" in first
    assert "stopped" in last


def test_serve_greets_with_site_that_answers(serve):
    running = serve("--site-port", "0")
    assert running.site in running.greeting[1]
    game = running.url.replace("ws://", "http://").removesuffix("v1")
    assert httpx.get(game + "readyz", timeout=PATIENCE).json() == {"status": "ready"}
    assert httpx.get(running.site + "healthz", timeout=PATIENCE).json() == {"status": "ok"}
    assert httpx.get(game, timeout=PATIENCE).headers["location"] == running.site
    assert_json(running.end(signal.SIGTERM))


def assert_json(result):
    lines = log_lines(result)
    assert result.status == 0
    assert [line["event"] for line in lines if line["level"] != "warning"] == ["listening", "stopped"]
    assert all({"level", "timestamp"} <= set(line) for line in lines)


def test_serve_everywhere_announces_reachable_host_and_warns_of_tokens_in_clear(serve):
    running = serve("--host", "0.0.0.0")
    assert urlsplit(running.url).hostname not in {"0.0.0.0", "", None}
    result = running.end(signal.SIGINT)
    assert_json(result)
    # on a slow machine there may be others, such as that the worker did not hand over what it solved
    [warning] = [line for line in log_lines(result) if "--tls-cert" in line["event"]]
    assert warning["level"] == "warning"


@pytest.mark.parametrize(("command", "kibibytes"), [("serve", 150_000), ("show", 400_000), ("serve", 600_000)])
def test_too_little_address_space_is_one_line(command, kibibytes):
    """In less of it, libraries fail to load, each in its own way."""
    shell = f"ulimit -v {kibibytes}; exec {sys.executable} -m evilpegs {command}"
    result = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, timeout=PATIENCE, check=False)
    (line,) = result.stderr.splitlines()
    assert (result.returncode, result.stdout) == (2, "")
    assert "ulimit -v" in line
    assert f"{kibibytes // 1024} " in line


def test_clock_before_1970_is_one_line(run, monkeypatch, tmp_path):
    monkeypatch.setattr(time, "time_ns", lambda: -3 * 86_400 * 10**9)
    result = run("serve", "--port", "0", "--no-site", "--database", f"sqlite:///{tmp_path}/a.sqlite3")
    assert (result.status, result.out) == (2, "")
    assert "3 days before 1970" in result.complaint
    assert list(tmp_path.iterdir()) == []


def test_serve_refuses_site_port_in_use(run, monkeypatch):
    impatient = partial(serve_until_stopped, timing=Timing(port_release_seconds=0))
    monkeypatch.setattr("evilpegs.commands.serve.serve_until_stopped", impatient)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("serve", "--port", "0", "--site-port", port)
    assert result.status == 2
    line = result.err.splitlines()[-1]
    assert all(fact in line for fact in ("evilpegs: ", "127.0.0.1", str(port), "--site-port"))


def test_restarted_serve_keeps_matches(run, serve):
    bot = ("bot", "first-consistent", "--ladder", "classic-evil")
    first = serve("--no-site")
    assert run(*bot, "--server", first.url, "--name", "first").status == 0
    assert first.end(signal.SIGTERM).status == 0
    second = serve("--no-site")
    assert run(*bot, "--server", second.url, "--name", "second").status == 0
    (standings,) = run("leaderboard", "--database", second.database, "--json").document["ladders"]
    assert {row["player"] for row in standings["rows"]} == {"first", "second"}


def test_serve_refuses_port_in_use(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("serve", "--no-site", "--port", port)
        with pytest.raises(AddressUnusableError):
            app(["serve", "--no-site", "--port", str(port)])
    assert result.status == 2
    line = result.err.splitlines()[-1]
    assert all(fact in line for fact in ("evilpegs: ", "127.0.0.1", str(port), "--port"))


def test_serve_refuses_database_in_use(run, server):
    result = run("serve", "--no-site", "--port", "0", "--database", server.database)
    assert result.status == 2
    place = server.database.removeprefix("sqlite:///")
    line = result.err.splitlines()[-1]
    assert all(fact in line for fact in ("evilpegs: ", place, "--database"))
    with pytest.raises(DatabaseInUseError):
        app(["serve", "--no-site", "--port", "0", "--database", server.database])


def test_options_override_environment_and_file(start, tmp_path, monkeypatch):
    toml = f"port = 1\nhost = '127.0.0.2'\ndatabase = 'sqlite:///{tmp_path}/of-toml.sqlite3'\n"
    Path("evilpegs.toml").write_text(toml)
    monkeypatch.setenv("EVILPEGS_HOST", "127.0.0.1")
    monkeypatch.setenv("EVILPEGS_PORT", "2")
    monkeypatch.setenv("EVILPEGS_LOG_FORMAT", "json")
    child = start("serve", "--no-site", "--port", "0", "--log-format", "text")
    address = urlsplit(child.next_line().removeprefix(GREETING))
    assert address.hostname == "127.0.0.1"
    assert address.port not in {1, 2}
    assert child.next_line().split()[-1] == f"sqlite:///{tmp_path}/of-toml.sqlite3"
    assert_text(child.end(signal.SIGTERM))


def test_serve_refuses_missing_directory_of_settings(run):
    Path("evilpegs.toml").write_text("database = 'sqlite:///lost/contest.sqlite3'\n")
    result = run("serve", "--no-site", "--port", "0")
    assert (result.status, "lost" in result.complaint) == (2, True)
    assert not Path("lost").exists()


def test_serve_creates_default_directory(start, tmp_path):
    assert not (tmp_path / "data").exists()
    child = start("serve", "--no-site", "--port", "0")
    assert child.next_line().startswith(GREETING)
    assert (tmp_path / "data" / "evilpegs" / "evilpegs.sqlite3").exists()
    assert child.end(signal.SIGTERM).status == 0


def test_serve_refuses_unwritable_directory(run, tmp_path):
    place = tmp_path / "closed"
    place.mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
    database = "/proc/x.sqlite3" if (place / "x").parent.stat().st_uid == 0 else place / "x.sqlite3"
    result = run("serve", "--no-site", "--port", "0", "--database", f"sqlite:///{database}")
    assert result.status == 2
    assert all(fact in result.complaint for fact in (str(database), "--database"))


def test_serve_with_certificate_is_played_on(serve, run, monkeypatch, tmp_path):
    cert, key = make_certificate(tmp_path)
    running = serve("--no-site", "--tls-cert", cert, "--tls-key", key)
    assert running.url.startswith("wss://127.0.0.1:")
    bot = ("bot", "first-consistent", "--ladder", "classic-practice", "--server")
    assert running.url in run(*bot, running.url).complaint
    plain = running.url.replace("wss:", "ws:")
    assert plain in run(*bot, plain).complaint
    monkeypatch.setenv("SSL_CERT_FILE", str(cert))
    assert run(*bot, running.url).status == 0
    assert running.end(signal.SIGTERM).status == 0
