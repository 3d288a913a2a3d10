"""The application around a fake server, in states that a real one reaches only under load, and its middleware."""

import asyncio
from types import SimpleNamespace

import httpx
import pytest
import structlog
from starlette.responses import Response

from evilpegs_server.hosts import AllowedHosts, PublicAddress
from evilpegs_server.leaderboard.live_leaderboards import LiveLeaderboards
from evilpegs_server.show.crowd import Crowd
from evilpegs_server.show.streams import Streams
from evilpegs_server.site.analysis import PATIENCE_SECONDS, PositionAnswers
from evilpegs_server.site.app import Guard, HostCheck, create_app
from evilpegs_server.site.bounds import ladder_list
from evilpegs_server.site.site import Site
from evilpegs_server.storage.errors import DatabaseMovedError
from evilpegs_server.storage.reads import BusyError, Reads
from evilpegs_server.timing import Timing
from support.fake_follower import FakeFollower
from support.fake_server import FakePool
from support.patience import PATIENCE
from support.results import derived_of
from support.waiting import loop_turns, until
from support.workspaces import new_workspace


class BusyThreads:
    async def run(self, *_):
        raise BusyError


class BusyAnalyses:
    async def text(self, match):
        message = f"too many matches wait before {match}"
        raise BusyError(message)


class FilledLeaderboards:
    async def wait_until_derived(self):
        pass


@pytest.fixture
def site(fake_server):
    """What the application answers from; tests may change it."""
    reads, follower = Reads(), FakeFollower(fake_server.engine)
    yield Site(
        all_ladders=fake_server.registry.ladders.known,
        ladders=ladder_list(fake_server.registry.ladders.known, ()),
        engine=fake_server.engine,
        follower=follower,
        leaderboards=FilledLeaderboards(),
        reads=reads,
        analyses=None,
        positions=None,
        crowd=Crowd(),
        streams=Streams(fake_server.engine, follower, reads, "log", 2000, heartbeat_seconds=PATIENCE),
        rounds=(),
        metrics=None,
        public_metrics=False,
        allow_origins=["https://dash.example"],
        hosts=AllowedHosts(),
        game=None,
        address=PublicAddress("http", "/", 80),
        public_keys=["key"],
        log=fake_server.services.log,
        page=None,
    )
    reads.close()


@pytest.fixture
async def web(site):
    """A client of the application."""
    transport = httpx.ASGITransport(create_app(site))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=PATIENCE) as client:
        yield client


async def live(web, **params):
    return (await web.get("/api/v1/live", params=params)).json()


async def test_busy_threads_are_answered_with_retry(web, site):
    site.reads = BusyThreads()
    answer = await web.get("/api/v1/matches")
    assert (answer.status_code, answer.json()["status"]) == (503, 503)
    assert int(answer.headers["retry-after"]) > 0


async def test_lists_say_how_far_the_results_are(web, site, engine):
    derived = derived_of(engine)
    derived.cursor.share_done = 0.4
    site.leaderboards = LiveLeaderboards(derived, {}, None, lambda: 0, Timing(first_count_seconds=0.01))
    answers = [await web.get(f"/api/v1/{path}") for path in ("matches", "ladders/tiny/leaderboard")]
    assert [answer.status_code for answer in answers] == [503, 503]
    assert all("40%" in answer.json()["detail"] for answer in answers)


async def test_lists_do_not_wait_for_the_count(web, site, engine):
    derived = derived_of(engine)
    site.engine = derived.engine
    site.leaderboards = LiveLeaderboards(derived, {}, None, lambda: 0, Timing(first_count_seconds=0.01))
    site.leaderboards.counting.share_done = 0.7
    matches, leaderboard = [await web.get(f"/api/v1/{path}") for path in ("matches", "ladders/tiny/leaderboard")]
    assert (matches.status_code, leaderboard.status_code) == (200, 503)
    assert "70%" in leaderboard.json()["detail"]


async def test_late_show_refuses_lists_and_no_leaderboard(web, site):
    site.crowd.late = 0.5
    for path in ("/api/v1/matches", "/api/v1/live", "/api/v1/players"):
        answer = await web.get(path)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2"), path
    assert (await web.get("/api/v1/ladders")).status_code == 200
    site.crowd.late = 2.0
    again = await web.get("/api/v1/events", headers={"last-event-id": "log-0"})
    assert (again.status_code, site.crowd.refused) == (503, {"list": 3, "resumed stream": 1})


async def test_busy_analyses_are_answered_with_retry(web, site):
    site.analyses = BusyAnalyses()
    answer = await web.get("/api/v1/matches/0123456789abcdef/analysis")
    assert answer.status_code == 503
    assert "wait" in answer.json()["detail"]


async def test_unreadable_database_is_a_logged_failure(web, site, fake_server):
    site.engine = SimpleNamespace()
    answer = await web.get("/api/v1/players")
    assert (answer.status_code, answer.json()["detail"]) == (500, "the server failed to handle this request")
    [entry] = fake_server.take_log()
    assert entry["path"] == "/api/v1/players"


async def test_database_that_was_moved_is_answered_with_retry(web, site):
    def refuse():
        message = "the database /home/ann/a.sqlite3 was moved"
        raise DatabaseMovedError(message)

    site.engine = SimpleNamespace(connect=refuse)
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


async def test_live_match_counts_streams_of_match_and_ladder(web, site, ann):
    match = await ann.play("tiny")
    site.follower.follow()
    streams = [await site.streams.open_match(match), await site.streams.open_topic("tiny")]
    assert (await live(web))["matches"][0]["watchers"] == 2
    for stream in streams:
        stream.close()
    assert (await live(web))["matches"][0]["watchers"] == 0


@pytest.mark.parametrize("visitor", ["192.0.2.7", None])
async def test_positions_are_counted_by_visitor(site, visitor):
    """Not by the address that connects, which may be that of a proxy for all visitors."""
    asked = []

    async def text(_position, address):
        asked.append(address)
        return b"{}"

    site.positions = SimpleNamespace(text=text)
    app = create_app(site)

    async def answer(scope, receive, send):
        await app(scope | {"state": {"visitor": visitor}}, receive, send)

    async with client(answer) as web:
        assert (await web.get("/api/v1/position")).status_code == 200
    assert asked == [visitor]


async def test_position_of_visitor_who_has_left_is_dropped(site):
    pool = FakePool(new_workspace())
    pool.paused = True
    site.positions = PositionAnswers(pool, 1, 1)
    app = create_app(site)
    request = {"type": "http", "method": "GET", "http_version": "1.0", "path": "/api/v1/position", "headers": []}

    asking = asyncio.create_task(app(request | {"query_string": b"rules=2x3"}, None, None))
    await until(lambda: pool.submitted)
    asking.cancel()
    await asyncio.wait([asking])
    pool.seconds += PATIENCE_SECONDS
    pool.run_pending()
    pool.paused = False
    await loop_turns(3)
    async with client(app) as web:
        assert (await web.get("/api/v1/position?rules=2x3")).status_code == 200
    assert len(pool.submitted) == 2  # nothing was kept of the first


def client(app):
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost", timeout=PATIENCE)


async def fine(scope, receive, send):
    await Response("fine")(scope, receive, send)


async def failing(scope, receive, send):
    message = "with a secret"
    raise RuntimeError(message)


async def endless(scope, receive, send):
    await asyncio.Event().wait()


async def failing_late(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    raise RuntimeError


async def test_failure_is_logged_and_answered_without_its_reason():
    with structlog.testing.capture_logs() as logged:
        async with client(Guard(failing, structlog.get_logger())) as web:
            answer = await web.get("/path")
    assert answer.status_code == answer.json()["status"] == 500
    assert "secret" not in answer.text
    assert [(entry["log_level"], entry["path"]) for entry in logged] == [("error", "/path")]


async def test_late_failure_is_logged_and_not_answered_twice():
    sent = []

    async def send(message):
        sent.append(message["type"])

    with structlog.testing.capture_logs() as logged:
        await Guard(failing_late, structlog.get_logger())({"type": "http", "path": "/"}, None, send)
    assert sent == ["http.response.start"]
    assert len(logged) == 1


async def test_request_over_time_is_answered_with_retry():
    async with client(Guard(endless, structlog.get_logger(), seconds=0.01)) as web:
        answer = await web.get("/")
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([("host", "localhost:8000")], 200),
        ([("host", "evil.example")], 421),
        ([("host", "")], 421),
        ([("host", "localhost"), ("host", "localhost")], 421),
    ],
)
async def test_host_is_checked(headers, status):
    async with client(HostCheck(fine, AllowedHosts())) as web:
        answer = await web.send(httpx.Request("GET", "http://localhost/", headers=headers))
    assert answer.status_code == status
    if status == 421:
        assert answer.json()["status"] == 421


@pytest.mark.parametrize(("version", "status"), [("1.0", 200), ("1.1", 421)])
async def test_host_may_be_missing_in_old_protocol_only(version, status):
    sent = []

    async def send(message):
        sent.append(message.get("status"))

    scope = {"type": "http", "http_version": version, "headers": [], "method": "GET", "path": "/"}
    await HostCheck(fine, AllowedHosts())(scope, None, send)
    assert sent[0] == status


class TestOtherOrigins:
    async def test_named_site_may_read(self, web):
        answer = await web.get("/api/v1/ladders", headers={"Origin": "https://dash.example"})
        assert answer.headers["access-control-allow-origin"] == "https://dash.example"
        assert "ETag" in answer.headers["access-control-expose-headers"]

    @pytest.mark.parametrize("origin", ["https://other.example", "http://dash.example", "null"])
    async def test_other_site_may_not(self, web, origin):
        answer = await web.get("/api/v1/ladders", headers={"Origin": origin})
        assert "access-control-allow-origin" not in answer.headers

    async def test_stream_may_be_resumed_from_there(self, web):
        asked = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "last-event-id"}
        answer = await web.options("/api/v1/events", headers=asked | {"Origin": "https://dash.example"})
        assert answer.status_code == 200
