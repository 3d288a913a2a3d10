"""`evilpegs feed`, in child processes beside a real server and a real broker."""

import asyncio
import json
import select
import signal
import subprocess
import sys
from datetime import UTC
from subprocess import DEVNULL

import aiomqtt
import pytest

from evilpegs.kit.match_events import event_line
from evilpegs_clients.feed.watch_feed import KnownMatch, MatchBook
from evilpegs_protocol.codec import decode_record_event
from support.brokers import Mosquitto
from support.patience import PATIENCE

OVER = (
    '{"type":"game_over","match":"00112233445566aa","seq":5,"at":1800000000000,"game":1,"outcome":"solved",'
    '"guesses":5,"elapsed_ms":10,"secret":"1234","nonce":null}'
)

pytestmark = pytest.mark.usefixtures("measured_children")


SUBSCRIBED = "evilpegs/v1/+/match/+/result (QoS"
"""What the log of the broker says when a feed has subscribed."""


@pytest.fixture(scope="module")
def broker(tmp_path_factory):
    """A broker that runs."""
    mosquitto = Mosquitto(tmp_path_factory.mktemp("broker"))
    asyncio.run(mosquitto.start())
    yield mosquitto
    mosquitto.kill()


@pytest.fixture(scope="module")
def publishing(server, broker, tmp_path_factory):
    """A server like the shared one, which publishes its events to the broker."""
    folder = tmp_path_factory.mktemp("publishing")
    with type(server)(folder / "server.sqlite3", "--mqtt", broker.url, stderr=DEVNULL) as running:
        yield running


@pytest.fixture
def subscribe(start, broker):
    """Start the command with each of these options, and wait until all have subscribed."""

    def subscribe(*each):
        before = broker.log_text.count(SUBSCRIBED)
        children = [start("feed", *options, "--mqtt", broker.url) for options in each]
        asyncio.run(broker.wait_for_log(SUBSCRIBED, before + len(children)))
        return children

    return subscribe


@pytest.fixture
def play(run, publishing):
    """Let a bot play a match on classic-evil, and return its id."""

    def play(name):
        bot = ("bot", "minimax", "--ladder", "classic-evil", "--server", publishing.url, "--name", name, "--json")
        (match,) = run(*bot).document["matches"]
        return match["match"]

    return play


def assert_is_one_match(events):
    assert len({event["match"] for event in events}) == 1
    assert [event["seq"] for event in events] == sorted({event["seq"] for event in events})
    assert events[-1]["outcomes"] == ["solved"] * 4


def is_readable(child):
    return bool(select.select([child.process.stdout], [], [], 0)[0])


def test_feed_prints_watched_events(start, publishing, play):
    """A bot plays match after match, because the feed needs a moment to connect."""
    child = start("feed", "classic-evil", "--server", publishing.url, "--json")
    while not is_readable(child):
        play("watched")
    match = play("watched")
    lines = iter(child.next_line, None)
    events = (event for event in map(json.loads, lines) if event["match"] == match)
    watched = [next(events)]
    while watched[-1]["type"] != "match_over":
        watched.append(next(events))
    assert watched[0]["type"] == "match_started"
    assert_is_one_match(watched)


def test_feed_prints_published_events(subscribe, play):
    """As JSON and as lines for people, until it is interrupted; results of earlier matches may come first."""
    as_json, for_people = subscribe(["classic-evil", "--json"], [])
    match = play("published")
    events = [{}]
    while (events[-1].get("match"), events[-1].get("type")) != (match, "match_over"):
        events.append(json.loads(as_json.next_line()))
    assert_is_one_match([event for event in events if event.get("match") == match])
    while "published" not in (begin := for_people.next_line()):
        pass
    assert "classic-evil" in begin
    turn = for_people.next_line()
    assert all(fact in turn for fact in ("published", "game 1, turn 1"))
    for child in (as_json, for_people):
        result = child.end(signal.SIGINT)
        assert (result.status, result.err) == (130, "")


def test_feed_hints_at_missing_ladder(subscribe, publishing, broker):
    """The control is the test above: on a ladder that the server offers, it has nothing to say."""
    asyncio.run(broker.wait_for_log("ladder/classic-evil/live", 1))
    (child,) = subscribe(["nosuch"])
    assert "nosuch" in child.process.stderr.readline().decode()
    assert child.end(signal.SIGINT).err == ""


def with_fields(**fields):
    return json.dumps(json.loads(OVER) | fields).encode()


HOSTILE = [
    b"",
    b"{",
    b"\xff",
    b"[]",
    b'{"a":' * 500 + b"1" + b"}" * 500,
    b"[" * 100_000,
    with_fields(seq=1, at=999999999999999),
    with_fields(seq=2, at=-(10**18)),
    with_fields(seq=3, at=10**30),
    with_fields(seq=4, guesses=10**18),
    with_fields(seq=6, secret=None, outcome="x"),
    with_fields(seq=7, type="match_started"),
    with_fields(seq=8, match="ffffffffffffffff"),
    b'{"matches":[{"match":"00112233445566aa","player":' + b"[" * 1000 + b"]" * 1000 + b"}]}",
    b'{"matches":[null,[],{"match":[]},{"match":"x","player":null}]}',
]
MATCH = "evilpegs/v1/hall/match/00112233445566aa"
TOPICS = [f"{MATCH}/event", f"{MATCH}/result", "evilpegs/v1/hall/ladder/classic/live"]


async def publish(broker, *messages):
    async with aiomqtt.Client("127.0.0.1", broker.port) as client:
        for topic, payload in messages:
            await client.publish(topic, payload, qos=1)


def test_feed_survives_hostile_messages(subscribe, broker):
    children = subscribe([], ["--json"])
    last = with_fields(seq=100, guesses=77)
    asyncio.run(publish(broker, *((topic, text) for topic in TOPICS for text in HOSTILE), (f"{MATCH}/event", last)))
    for child in children:
        while "77" not in child.next_line():
            pass
        result = child.end(signal.SIGINT)
        assert (result.status, result.err) == (130, "")


@pytest.mark.parametrize("at", [999999999999999, -(10**18), 2**63])
def test_event_line_without_possible_time_has_dashes(at):
    event = decode_record_event(OVER).model_copy(update={"at": at})
    assert event_line(event, KnownMatch("ann", "classic"), UTC).split()[:2] == ["--:--:--", "ann"]


def test_event_line_names_player():
    line = event_line(decode_record_event(OVER), KnownMatch("ann", "classic"), UTC)
    assert line.split()[:2] == ["08:00:00", "ann"]
    assert all(fact in line for fact in ("game 1", "solved", "5 guesses"))


def test_event_line_without_player_names_match():
    assert "00112233445566aa" in event_line(decode_record_event(OVER), KnownMatch())


def test_match_book_drops_doubles():
    book, event = MatchBook(), decode_record_event(OVER)
    assert [book.is_new(event), book.is_new(event)] == [True, False]
    assert book.is_new(event.model_copy(update={"seq": 6}))


def test_feed_prefers_typed_server_to_variable(run, monkeypatch):
    monkeypatch.setenv("EVILPEGS_MQTT", "mqtt://127.0.0.1:1")
    assert "ws://127.0.0.1:1/v1" in run("feed", "--server", "ws://127.0.0.1:1/v1").complaint


def test_feed_prefers_broker_to_server_of_variables(run, monkeypatch):
    monkeypatch.setenv("EVILPEGS_MQTT", "mqtt://127.0.0.1:2")
    monkeypatch.setenv("EVILPEGS_SERVER", "ws://127.0.0.1:1/v1")
    assert "127.0.0.1:2" in run("feed").complaint


def test_feed_prefers_typed_broker_to_variable(run, monkeypatch):
    monkeypatch.setenv("EVILPEGS_SERVER", "ws://127.0.0.1:1/v1")
    assert "127.0.0.1:2" in run("feed", "--mqtt", "mqtt://127.0.0.1:2").complaint


def test_feed_names_variable_that_is_wrong(run, monkeypatch):
    monkeypatch.setenv("EVILPEGS_MQTT", "mqtt://127.0.0.1:99999")
    facts = "environment variable EVILPEGS_MQTT: ", "'mqtt://127.0.0.1:99999'", "port 99999 is not 1 to 65535"
    assert all(fact in run("feed").complaint for fact in facts)


WITHOUT_AIOMQTT = """
import sys
sys.modules["aiomqtt"] = None
from evilpegs.main import main
assert [main([command, "--server", "ws://127.0.0.1:1/v1"]) for command in ("feed", "watch")] == [2, 2]
"""


def test_server_is_read_without_the_extra_mqtt():
    words = [sys.executable, "-c", WITHOUT_AIOMQTT]
    child = subprocess.run(words, check=False, capture_output=True, text=True, timeout=PATIENCE)
    assert child.returncode == 0, child.stderr
    assert ["ws://127.0.0.1:1/v1" in line for line in child.stderr.splitlines()] == [True, True]
