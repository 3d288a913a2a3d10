"""The metrics of the site show what was done, to this machine only, and name nobody."""

from types import SimpleNamespace

import httpx
import pytest
import structlog
from fastapi import FastAPI

from evilpegs_game.live.cache import ByteCache
from evilpegs_server.settings import Settings
from evilpegs_server.show.crowd import Crowd
from evilpegs_server.site.metrics import ShowMetrics, SiteCounts
from evilpegs_server.site.routes import add_routes
from evilpegs_server.storage.log.rounds import Round
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.scheduler import ONE_AT_A_TIME
from support.in_process import running_server
from support.patience import PATIENCE
from support.shown_metrics import SCRAPERS, TEXT_FORMAT, values

NAME = "zebra-crossing"


class HeldExecutor:
    """An executor that starts tasks and never ends them."""

    def submit(self, task, done):
        pass


@pytest.fixture
def parts():
    """What the metrics are read from."""
    return SimpleNamespace(
        counts=SiteCounts(),
        streams=SimpleNamespace(open=0),
        crowd=Crowd(),
        follower=SimpleNamespace(sent=0, position=0),
        leaderboards=SimpleNamespace(
            counting=SimpleNamespace(broken=set(), awaited=[]), filled=False, why_unfilled="they are being counted"
        ),
        pool=TaskPool(ONE_AT_A_TIME, HeldExecutor(), lambda: 5.0),
        cache=ByteCache(100),
    )


@pytest.fixture
def metrics(parts):
    pools, caches = {"analyses": parts.pool}, {"analyses": parts.cache}
    return ShowMetrics(parts.counts, parts.streams, parts.crowd, parts.follower, parts.leaderboards, pools, caches)


@pytest.fixture
def ask(parts, metrics):
    """Ask the routes for a path as a client with some address."""

    async def ask(path, client="127.0.0.1", public=False, rounds=(), **headers):
        app = FastAPI(openapi_url=None)
        add_routes(app)
        app.state.site = SimpleNamespace(
            metrics=metrics,
            public_metrics=public,
            leaderboards=parts.leaderboards,
            rounds=SimpleNamespace(known={each.id: each for each in rounds}),
            all_ladders={each.id: SimpleNamespace(sealed=each.sealed) for each in rounds},
        )
        transport = httpx.ASGITransport(app, client=(client, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=PATIENCE) as browser:
            return await browser.get(path, headers=headers)

    return ask


def test_connections_and_refusals_are_shown(metrics, parts):
    parts.counts.connections, parts.counts.refused_connections = 3, 2
    for status in (200, 304, 404, 404, 421):
        parts.counts.note_status(status)
    shown = values(metrics.text())
    refusals = {labels[0]: value for (name, *labels), value in shown.items() if name == "evilpegs_site_refusals_total"}
    assert refusals == {"404": 2, "421": 1}
    assert (shown["evilpegs_site_connections",], shown["evilpegs_site_connections_refused_total",]) == (3, 2)


def test_what_follows_the_log_is_shown(metrics, parts):
    parts.streams.open, parts.follower.sent = 4, 7
    parts.leaderboards.counting = SimpleNamespace(broken={5}, awaited=range(10))
    shown = values(metrics.text())
    names = ("streams", "unread_events", "broken_matches", "unadjusted_games")
    assert [shown[f"evilpegs_{name}",] for name in names] == [4, 7, 1, 10]


def test_pool_and_cache_of_analyses_are_shown(metrics, parts):
    for player in range(3):
        parts.pool.submit(player, 1, None, None)
    parts.cache.put("key", "value", 7)
    for key in ("key", "other", "other"):
        parts.cache.get(key)
    shown = values(metrics.text())
    tasks = shown["evilpegs_show_tasks_running", "analyses"], shown["evilpegs_show_tasks_waiting", "analyses"]
    assert sum(tasks) == 3
    assert shown["evilpegs_show_cache_bytes", "analyses"] == 7
    names = ("evilpegs_show_cache_hits_total", "evilpegs_show_cache_misses_total")
    assert [shown[name, "analyses"] for name in names] == [1, 2]


def test_requests_to_site_are_counted(site, web):
    """Whatever a client sends, the label is the status."""
    before = values(web.get("/metrics").content)
    assert httpx.get(site.url, headers={"Host": "stranger.example"}, timeout=PATIENCE).status_code == 421
    assert web.get(f"/{NAME}").status_code == 404
    assert web.post("/healthz").status_code == 405
    after = values(web.get("/metrics").content)
    grown = {
        labels[0]
        for (name, *labels), value in after.items()
        if name == "evilpegs_site_refusals_total" and value > before.get((name, *labels), 0)
    }
    assert grown == {"404", "405", "421"}
    assert NAME not in web.get("/metrics").text
    assert after["evilpegs_site_connections",] >= 1
    assert after["evilpegs_streams",] >= 1


@pytest.mark.parametrize(
    ("client", "headers", "public", "status"),
    [
        ("127.0.0.1", {}, False, 200),
        ("192.0.2.7", {}, False, 403),
        ("127.0.0.1", {"X-Forwarded-For": "192.0.2.7"}, False, 403),
        ("192.0.2.7", {}, True, 200),
    ],
)
async def test_metrics_are_for_this_machine(ask, client, headers, public, status):
    response = await ask("/metrics", client, public, **headers)
    assert response.status_code == status
    assert ("evilpegs_site_connections" in response.text) == (status == 200)
    if status == 200:
        assert response.headers["Content-Type"].startswith("text/plain; version=")


async def test_every_scraper_is_answered(database):
    settings = Settings(port=0, site_port=0, public_metrics=True, database=database)
    async with running_server(settings, structlog.get_logger()) as server, httpx.AsyncClient(timeout=PATIENCE) as web:
        for headers in SCRAPERS:
            answer = await web.get(f"{server.site_url}metrics", headers=headers)
            assert "evilpegs_site_connections" in answer.text
            assert answer.headers["Content-Type"] == TEXT_FORMAT
            assert (await web.head(f"{server.site_url}metrics", headers=headers)).status_code == 200
        assert (await web.get(f"{server.site_url}readyz", headers=SCRAPERS[-1])).status_code == 421


async def test_site_is_ready_once_results_are_counted(ask, parts):
    answer = await ask("/readyz")
    assert (answer.status_code, answer.json()["detail"]) == (503, parts.leaderboards.why_unfilled)
    assert int(answer.headers["Retry-After"]) > 0
    assert (await ask("/healthz")).status_code == 200
    parts.leaderboards.filled = True
    assert (await ask("/readyz")).json() == {"status": "ready"}


@pytest.mark.parametrize(("sealed", "published", "status"), [(True, None, 403), (True, 1, 200), (False, None, 200)])
async def test_sealed_round_keeps_metrics_on_this_machine(ask, sealed, published, status):
    """They count work and commits, from which the guesses of the round follow."""
    rounds = [Round("final", "tiny", 2, sealed=sealed, opens=0, closes=None, published=published)]
    assert (await ask("/metrics", "192.0.2.7", public=True, rounds=rounds)).status_code == status
    assert (await ask("/metrics", rounds=rounds)).status_code == 200
