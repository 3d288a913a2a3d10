"""The application around a fake server, in states that a real one reaches only under load."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from evilpegs_server.hosts import AllowedHosts
from evilpegs_server.site.analysis import AnalysesBusyError
from evilpegs_server.site.app import create_app
from evilpegs_server.storage.errors import DatabaseMovedError
from evilpegs_server.storage.reads import BusyError, Reads


@dataclass
class FakeServices:
    """The services that the tests need."""

    registry: Any
    engine: Any
    reads: Any
    log: Any
    analyses: Any = None
    metrics: Any = None
    public_metrics: bool = False
    hosts: AllowedHosts = field(default_factory=AllowedHosts)
    base_path: str = ""


class BusyThreads:
    async def run(self, *_):
        raise BusyError


class BusyAnalyses:
    async def text(self, match):
        message = f"too many matches wait before {match}"
        raise AnalysesBusyError(message)


@pytest.fixture
def services(fake_server):
    reads = Reads()
    yield FakeServices(fake_server.registry, fake_server.engine, reads, fake_server.services.log)
    reads.close()


@pytest.fixture
async def web(services):
    """A client of the application; tests may change the services."""
    transport = httpx.ASGITransport(create_app(services))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


async def live(web, **params):
    return (await web.get("/api/v1/live", params=params)).json()


async def test_busy_threads_are_answered_with_retry(web, services):
    services.reads = BusyThreads()
    answer = await web.get("/api/v1/matches")
    assert (answer.status_code, answer.json()["status"]) == (503, 503)
    assert int(answer.headers["retry-after"]) > 0


async def test_busy_analyses_are_answered_with_retry(web, services):
    services.analyses = BusyAnalyses()
    answer = await web.get("/api/v1/matches/0123456789abcdef/analysis")
    assert answer.status_code == 503
    assert "wait" in answer.json()["detail"]


async def test_unreadable_database_is_a_logged_failure(web, services, fake_server):
    services.engine = SimpleNamespace()
    answer = await web.get("/api/v1/players")
    assert (answer.status_code, answer.json()["detail"]) == (500, "the server failed to handle this request")
    [entry] = fake_server.take_log()
    assert entry["path"] == "/api/v1/players"


async def test_database_that_was_moved_is_answered_with_retry(web, services):
    def refuse():
        message = "the database /home/ann/a.sqlite3 was moved"
        raise DatabaseMovedError(message)

    services.engine = SimpleNamespace(connect=refuse)
    answer = await web.get("/api/v1/players")
    assert answer.status_code == 503
    assert "/home" not in answer.text


async def test_live_match_waits_for_its_player(web, ann):
    match = await ann.play("tiny", ready=False)
    [waiting] = (await live(web))["matches"]
    assert (waiting["match"], waiting["game"], waiting["turn"]) == (match, 1, 0)
    await ann.request(type="ready", match=match, game=1)
    [begun] = (await live(web))["matches"]
    assert (begun["game"], begun["turn"]) == (1, 1)


async def test_live_match_shows_only_what_is_stored(web, ann, fake_server):
    match = await ann.play("slow")
    fake_server.pool.paused = True
    request = await ann.send(type="guess", match=match, game=1, turn=1, code="112233")
    assert (await live(web))["matches"][0]["turn"] == 1
    fake_server.pool.run_pending()
    await ann.receive(re=request)
    assert (await live(web))["matches"][0]["turn"] == 2


async def test_live_matches_are_paged_newest_first(web, ann):
    matches = [await ann.play(ladder) for ladder in ("tiny", "evil", "tiny")]
    first = await live(web, limit=2)
    second = (await web.get(first["next"])).json()
    assert [match["match"] for page in (first, second) for match in page["matches"]] == matches[::-1]
    assert (first["total"], second["total"], second["next"]) == (3, 3, None)
    of_ladder = await live(web, ladder="tiny", limit=1)
    assert (of_ladder["total"], of_ladder["matches"][0]["match"]) == (2, matches[2])
    assert (await web.get("/api/v1/live", params={"ladder": "none"})).status_code == 404


async def test_live_match_counts_watchers_of_match_and_ladder(web, ann, fake_server):
    match = await ann.play("tiny")
    bob, carl = [await fake_server.connect_player(name) for name in ("bob", "carl")]
    await bob.request(type="watch", match=match)
    await bob.request(type="watch", ladder="tiny")
    await carl.request(type="watch", ladder="tiny")
    assert (await live(web))["matches"][0]["watchers"] == 2
    carl.session.leave()
    assert (await live(web))["matches"][0]["watchers"] == 1
