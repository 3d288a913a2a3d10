"""The game port says over HTTP whether matches can start, and shows its metrics to this machine."""

from types import SimpleNamespace

import httpx
import pytest

from evilpegs_server.gateway.gateway import find_obstacle
from evilpegs_server.storage.engines.sqlite import SqliteStore
from evilpegs_server.storage.log.writer import STUCK_SECONDS, Writer
from support.in_process import serving
from support.patience import PATIENCE
from support.servers import dial
from support.shown_metrics import SCRAPERS, TEXT_FORMAT, values
from support.waiting import until


async def test_draining_server_is_not_ready(fake_server):
    assert find_obstacle(fake_server.services) is None
    await fake_server.registry.drain()
    assert "stop" in find_obstacle(fake_server.services)


async def test_failed_commit_ends_readiness_until_disk_recovers(fake_server, ann, broken_disk):
    broken_disk.on = True
    await ann.send(type="play", ladder="tiny")
    await until(lambda: find_obstacle(fake_server.services) is not None)
    fake_server.take_log()
    assert "commit failed" in find_obstacle(fake_server.services)
    broken_disk.on = False
    await fake_server.connect_player("bob")
    await until(lambda: find_obstacle(fake_server.services) is None)
    await ann.receive("error")


def test_stuck_commit_ends_readiness(engine):
    seconds = [0.0]
    writer = Writer(SqliteStore(engine), lambda report: report(), now=lambda: seconds[0])
    services = SimpleNamespace(writer=writer, registry=SimpleNamespace(draining=False))
    writer.submit([], lambda error: None)
    assert find_obstacle(services) is None
    seconds[0] = STUCK_SECONDS + 1
    assert "too long" in find_obstacle(services)
    writer.start()
    writer.close()
    assert find_obstacle(services) is None


def test_missing_file_ends_readiness_until_it_is_back(fake_server):
    fake_server.writer.health.obstacle = "the file was moved to /home/ann"
    assert "moved, deleted or replaced" in find_obstacle(fake_server.services)
    assert "/home" not in find_obstacle(fake_server.services)
    fake_server.writer.health.obstacle = None
    assert find_obstacle(fake_server.services) is None


@pytest.fixture
async def server(database):
    """A server without a site."""
    async with serving(database) as running:
        yield running


@pytest.fixture
async def web(server):
    """A client of the game port."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", timeout=PATIENCE) as client:
        yield client


async def test_server_says_that_it_runs_and_is_ready(web):
    for path, status in (("/healthz", "ok"), ("/readyz", "ready"), ("/readyz?now", "ready")):
        answer = await web.get(path)
        assert (answer.status_code, answer.json()) == (200, {"status": status})
        assert answer.headers["Content-Type"] == "application/json"
        assert answer.headers["Cache-Control"] == "no-store"
        head = await web.head(path)
        assert (head.status_code, head.content) == (200, b"")


async def test_server_that_stops_asks_to_try_again(web, server):
    server.registry.draining = True
    answer = await web.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, 503)
    assert answer.json()["detail"] == "the server is about to stop"
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert int(answer.headers["Retry-After"]) > 0
    assert (await web.get("/healthz")).status_code == 200


@pytest.mark.parametrize(("path", "status"), [("/healthz", 421), ("/readyz", 421), ("/metrics", 403)])
async def test_foreign_host_is_refused(web, path, status):
    assert (await web.get(path, headers={"Host": "stranger.example"})).status_code == status


async def test_only_get_and_head_are_answered(web):
    assert (await web.post("/healthz")).status_code == 404


async def test_request_for_upgrade_is_for_the_game_only(web):
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket"}
    assert (await web.get("/healthz", headers=upgrade)).status_code == 404


async def test_metrics_show_what_was_played_and_refused(web, server):
    async with dial(server.url) as player:
        await player.hello("ann")
        match = await player.play("classic-evil")
        await player.guess(match, 1, 1, "1122")
        await web.get("/nowhere")
        answer = await web.get("/metrics")
    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    shown = values(answer.content)
    assert (shown["evilpegs_guesses_total",], shown["evilpegs_open_matches", "classic-evil"]) == (1, 1)
    assert shown["evilpegs_http_refusals_total", "404"] == 1
    assert shown["process_open_fds",] > 0


async def test_metrics_of_game_are_not_for_proxies(web):
    answer = await web.get("/metrics", headers={"X-Forwarded-For": "192.0.2.7"})
    assert (answer.status_code, answer.json()["status"]) == (403, 403)
    assert "public_metrics" in answer.json()["detail"]


async def test_public_metrics_are_for_all(database):
    async with serving(database, public_metrics=True) as server, httpx.AsyncClient(timeout=PATIENCE) as web:
        url = f"http://127.0.0.1:{server.port}/metrics"
        for headers in ({"X-Forwarded-For": "192.0.2.7"}, *SCRAPERS):
            answer = await web.get(url, headers=headers, timeout=PATIENCE)
            assert "evilpegs_guesses_total" in answer.text
            assert answer.headers["Content-Type"] == TEXT_FORMAT
            assert (await web.head(url, headers=headers, timeout=PATIENCE)).status_code == 200
