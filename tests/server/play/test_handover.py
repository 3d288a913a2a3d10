"""Servers on one PostgreSQL database: a player may use any of them, and a match has one owner."""

import asyncio
import json
import stat
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit

import httpx
import pytest
import structlog

from evilpegs_clients.verification.verify import verify_match
from evilpegs_server.play.eligibility import MAX_OPEN_MATCHES
from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.play.runner import MatchRunner
from evilpegs_server.play.stall_free_clock import StallFreeClock
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.engines.postgres_node import ServerNode
from evilpegs_server.storage.errors import DatabaseUnavailableError
from evilpegs_server.storage.location import database_file
from evilpegs_server.storage.log.rounds import Round, open_round
from evilpegs_server.storage.queries import read
from evilpegs_server.storage.reads import BusyError
from evilpegs_server.timing import Timing
from support.in_process import serving
from support.named_players import given_names
from support.patience import PATIENCE
from support.servers import dial
from support.waiting import until

ANSWERS = ("error", "match_started")


@pytest.fixture
def engine(postgres_url):
    engine = open_database(postgres_url)
    yield engine
    engine.dispose()


@pytest.fixture
async def start(postgres_url, tmp_path):
    """Start servers by name on one database; they share the key that signs records."""
    async with AsyncExitStack() as stack:

        async def start(name, stack=stack, **given):
            given |= {"server_key": tmp_path / "key", "solved": tmp_path / f"solved-{name}"}
            return await stack.enter_async_context(serving(postgres_url, node=name, lease_seconds=60, **given))

        yield start


@asynccontextmanager
async def returning(url, token, match):
    """Connect to a server and resume a match there; yield the connection and what is heard first."""
    async with dial(url) as raw:
        welcome = await raw.hello(token=token)
        assert [each["match"] for each in welcome["open"]] == [match]
        yield raw, await raw.ask("resumed", "error", type="resume", match=match, seq=0)


async def test_player_moves_between_nodes_in_every_turn(start, engine):
    """The match ends with one chain of events, as one that was played on one node."""
    urls = [(await start(name)).url for name in ("one", "two")]
    async with dial(urls[0]) as raw:
        await raw.hello()
        token, match = raw.token, await raw.play("classic-evil")
    for turn in range(1, 5):
        async with returning(urls[turn % 2], token, match) as (raw, resumed):
            assert resumed["state"] == "turn"
            assert (await raw.hear("turn"))["turn"] == turn
            assert (await raw.guess(match, 1, turn, "1122"))["type"] == "feedback"
    async with returning(urls[0], token, match) as (raw, _):
        await raw.say(type="resign", match=match)
        await raw.hear("match_over")
    rows = read(engine, "SELECT node, json FROM events ORDER BY seq")
    assert verify_match([json.loads(text) for _, text in rows]) == []
    assert {node for node, _ in rows} == {"one", "two"}
    assert read(engine, "SELECT * FROM owners") == []


class PlainClock(StallFreeClock):
    """Knows no stalls: before a move they are charged to nobody, and not in the record of the node that answers."""

    long_stalls_ms = short_stalls_ms = 0.0

    def now(self):
        return 1000 * asyncio.get_running_loop().time()


async def test_clock_stands_still_only_while_a_match_moves(start):
    """It charges what the player can measure from outside, less at most the time of each resume."""
    now = asyncio.get_running_loop().time
    urls = [(await start(name, clock=PlainClock(now))).url for name in ("one", "two")]
    least = most = charged = 0.0
    async with dial(urls[0]) as raw:
        await raw.hello()
        token, asked = raw.token, now()
        match, heard, left = await raw.play("classic-evil"), now(), 60_000
    for turn in range(1, 7):
        async with returning(urls[turn % 2], token, match) as (raw, _):
            resume_seconds = raw.heard_at - raw.said_at
            await raw.hear("turn")
            least += now() - heard - resume_seconds
            feedback = await raw.guess(match, 1, turn, "1122")
            heard = now()
            most += heard - asked
            asked = raw.said_at
        charged += left + 1000 - feedback["left_ms"] + feedback.get("stalled_ms", 0)
        left = feedback["left_ms"]
    assert least - 0.01 <= charged / 1000 <= most + 0.01


async def test_matches_of_a_node_that_ended_are_played_by_another(start, engine, postgres_url):
    """As this node has ended, the other takes its match without being asked."""
    async with AsyncExitStack() as dying:
        first = await start("one", dying)
        raw = await dying.enter_async_context(dial(first.url))
        await raw.hello()
        token, match = raw.token, await raw.play("classic-evil")
        second = await start("two")
    await until(lambda: read(engine, "SELECT node FROM owners") == [("two",)])
    async with returning(second.url, token, match) as (raw, resumed):
        assert resumed["state"] == "turn"


async def test_time_in_which_another_node_had_a_match_is_not_charged(start, engine):
    """As this node stood still, another took the match, and has ended now."""
    async with dial((one := await start("one")).url) as raw:
        await raw.hello()
        token, match = raw.token, await raw.play("classic-evil")
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE owners SET node = 'two', epoch = epoch + 1")
        assert (await raw.hear("notice"))["kind"] == "seat_taken"
        async with returning(one.url, token, match) as (back, resumed):
            assert resumed["state"] == "turn"
            assert (await back.hear("turn"))["left_ms"] == 60_000
            assert (await back.guess(match, 1, 1, "1122"))["type"] == "feedback"


@pytest.fixture
async def behind(start, engine):
    """The server of a node that looks only when told, with a match that others have had since; its runner's state."""
    server = await start("one", timing=Timing(look_seconds=3600, hand_over_seconds=3600))
    async with dial(server.url) as raw:
        await raw.hello()
        match = await raw.play("classic-evil")
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE owners SET epoch = epoch + 1, wanted = 'two'")
        yield server.registry, match


async def test_node_that_is_behind_hands_over_no_time(behind, engine):
    """The clock of its runner ran on while others played the match, perhaps to another turn."""
    registry, _ = behind
    await registry.node.look()
    assert read(engine, "SELECT node FROM owners") == [("one",)]
    await registry.node.adopt()
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE owners SET wanted = 'two'")
    await registry.node.look()
    assert read(engine, "SELECT node, spent_ms FROM owners") == [("two", None)]


async def test_node_that_is_behind_reads_a_match_when_its_answer_is_out(behind, monkeypatch):
    registry, match = behind
    stale = registry.open.get(match)
    with monkeypatch.context() as patch:
        patch.setattr(MatchRunner, "hand_over", lambda _: None)
        await registry.node.adopt()
    assert registry.open.get(match) is stale
    await registry.node.adopt()
    assert registry.open.get(match) is not stale


async def test_match_that_was_taken_and_not_read_is_played_at_last(start, engine, monkeypatch):
    """Nobody else may take it from a living node, and its player may never come."""
    failures = iter([DatabaseUnavailableError("gone"), BusyError("busy")])
    resume, resumed = MatchRegistry.resume, []

    async def fail_first(registry, match, times):
        for failure in failures:
            raise failure
        await resume(registry, match, times)
        resumed.append(match)

    async with dial((await start("one")).url) as raw:
        await raw.hello()
        match = await raw.play("classic-evil")
    monkeypatch.setattr(MatchRegistry, "resume", fail_first)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE owners SET node = 'two', epoch = epoch + 1")
    await until(lambda: resumed)
    assert resumed == [match]


async def test_record_that_cannot_be_read_keeps_no_other_from_being_played(start, engine, monkeypatch):
    resume, tried = MatchRegistry.resume, []

    async def fail_one(registry, match, times):
        tried.append(match)
        if match == matches[0]:
            raise ValueError("damaged")
        await resume(registry, match, times)

    server = await start("one")
    async with dial(server.url) as raw:
        await raw.hello()
        matches = [await raw.play("classic-evil") for _ in range(2)]
    stale = server.registry.open.get(matches[1])
    monkeypatch.setattr(MatchRegistry, "resume", fail_one)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE owners SET node = 'two', epoch = epoch + 1")
    await until(lambda: server.registry.open.get(matches[1]) not in {None, stale})
    await server.registry.node.adopt()
    assert sorted(tried) == matches


def test_no_connection_is_left_open(engine):
    """A statement that still runs when a server stops ends a little later, in a thread of its own."""
    late = engine.connect()
    driver = late.connection.driver_connection
    engine.dispose()
    assert not driver.closed
    late.close()
    assert driver.closed


async def test_node_that_stopped_begins_again_under_its_name(start):
    async with AsyncExitStack() as stopping:
        raw = await stopping.enter_async_context(dial((await start("one", stopping)).url))
        await raw.hello()
        token, match = raw.token, await raw.play("classic-evil")
    async with returning((await start("one")).url, token, match) as (raw, resumed):
        assert resumed["state"] == "turn"


async def test_files_beside_the_database_are_private(start, postgres_url, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", f"{tmp_path}/new/home")
    await start("one")
    folder = database_file(postgres_url).parent
    assert {stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "new", folder)} == {0o700}


async def test_names_and_tokens_are_those_of_the_database(start):
    urls = [(await start(name)).url for name in ("one", "two")]
    async with dial(urls[0]) as first, dial(urls[1]) as second:
        await first.hello("annette")
        taken = await second.ask(
            "error", "welcome", type="hello", name="annette", kind="bot", client={"name": "raw", "version": "1"}
        )
        assert taken["code"] == "name_taken"
    async with dial(urls[1]) as again:
        assert (await again.hello(token=first.token))["player"] == "annette"


async def test_open_matches_are_counted_on_all_nodes(start):
    urls = [(await start(name)).url for name in ("one", "two")]
    async with dial(urls[0]) as first, dial(urls[1]) as second:
        await first.hello("annette")
        await second.hello(token=first.token)
        for number in range(MAX_OPEN_MATCHES):
            started = await (first, second)[number % 2].ask("match_started", type="play", ladder="classic-evil")
            assert started["ladder"] == "classic-evil"
        refused = await first.ask("error", "match_started", type="play", ladder="classic-evil")
        assert refused["code"] == "too_many_matches"


async def test_match_may_be_left_out_if_it_is_the_only_one_of_all_nodes(start):
    urls = [(await start(name)).url for name in ("one", "two")]
    async with dial(urls[0]) as first, dial(urls[1]) as second:
        await first.hello("annette")
        await second.hello(token=first.token)
        matches = [await first.play("classic-evil") for _ in range(2)]
        refused = await second.ask("error", "resumed", type="resume", seq=0)
        assert refused["code"] == "bad_message"
        await first.ask("match_over", type="resign", match=matches[0])
        assert (await second.ask("error", "resumed", type="resume", seq=0))["match"] == matches[1]


async def test_player_enters_a_round_on_one_node_only(start, engine):
    """Both ask at the same moment, when neither node knows of the other's match."""
    servers = [await start(name) for name in ("one", "two")]
    async with dial(servers[0].url) as first, dial(servers[1].url) as second:
        await first.hello("annette")
        await second.hello(token=first.token)
        open_round(engine, Round("friday", "classic", 10, sealed=False, opens=0, closes=None, published=None), None)
        await until(lambda: all("friday" in server.registry.ladders.known for server in servers))
        heard = await asyncio.gather(*(raw.ask(*ANSWERS, type="play", ladder="friday") for raw in (first, second)))
    assert sorted(each.get("code", "began") for each in heard) == ["already_entered", "began"]
    assert read(engine, "SELECT count(*) FROM matches") == [(1,)]


@pytest.mark.parametrize("is_over", [False, True])
async def test_second_match_of_a_round_is_refused_as_at_the_same_node(start, engine, postgres_url, is_over):
    """The node that is asked has not looked since the match began at the other."""
    token = given_names(postgres_url, ["annette"])["annette"]
    open_round(engine, Round("friday", "classic", 10, sealed=False, opens=0, closes=None, published=None), None)
    servers = [await start(name, timing=Timing(look_seconds=3600)) for name in ("one", "two")]
    async with dial(servers[0].url) as first, dial(servers[1].url) as second:
        for raw in (first, second):
            await raw.hello(token=token)
        match = (await first.ask(*ANSWERS, type="play", ladder="friday"))["match"]
        if is_over:
            await first.ask("match_over", type="resign", match=match)
        same = await first.ask(*ANSWERS, type="play", ladder="friday")
        await second.say(type="play", ladder="friday", id="play")
        await second.say(type="ready", game=1, id="ready")  # of a match that may be beginning
        refused = {each["re"]: each for each in [await second.hear("error") for _ in range(2)]}
        assert refused["play"] == same | {"re": "play"}
        assert (same["code"], refused.keys()) == ("already_entered", {"play", "ready"})
        async with httpx.AsyncClient(timeout=PATIENCE) as web:
            ready = await web.get(f"http://{urlsplit(servers[1].url).netloc}/readyz")
        assert ready.status_code == 200
        assert (await second.ask("resumed", type="resume", match=match, seq=0))["match"] == match


async def test_player_whose_matches_cannot_be_read_is_sent_away(start, monkeypatch):
    """The operator reads one line, and the player is let in when the database is back."""

    def fail(*_):
        raise DatabaseUnavailableError("the database cannot be used now")

    server = await start("one")
    with structlog.testing.capture_logs() as logged, monkeypatch.context() as patch:
        patch.setattr(ServerNode, "open_matches", fail)
        async with dial(server.url) as raw:
            refused = await raw.ask("error", type="hello", client={"name": "raw", "version": "1"})
            assert (refused["code"], refused["fatal"]) == ("storage_unavailable", True)
            assert await raw.closed() == 1011
    assert [each["why"] for each in logged if each["log_level"] == "error"] == ["the database cannot be used now"]
    async with dial(server.url) as raw:
        assert (await raw.hello())["type"] == "welcome"
