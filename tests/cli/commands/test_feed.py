"""`evilpegs feed`, in child processes beside a real server and a real broker."""

import asyncio
import json
import signal
import subprocess
import sys
from datetime import UTC
from subprocess import DEVNULL

import aiomqtt
import pytest

from evilpegs.commands.feed import event_line
from evilpegs_clients.feed.watch_feed import KnownMatch, MatchBook
from evilpegs_game.errors import quoted
from evilpegs_protocol.codec import decode_record_event
from support.brokers import Mosquitto

OVER = (
    '{"type":"game_over","match":"00112233445566aa","seq":5,"at":1800000000000,"game":1,"outcome":"solved",'
    '"guesses":5,"elapsed_ms":10,"secret":"1234","nonce":null}'
)

pytestmark = pytest.mark.usefixtures("measured_children")


@pytest.fixture
def broker(tmp_path):
    """A broker that runs."""
    mosquitto = Mosquitto(tmp_path)
    asyncio.run(mosquitto.start())
    yield mosquitto
    mosquitto.kill()


def first_result(child, run, url):
    """Let a bot play until the child has printed the end of a match; return its lines."""
    lines = []
    assert run("bot", "minimax", "--ladder", "classic-evil", "--server", url).status == 0
    while not lines or "match_over" not in lines[-1]:
        lines.append(child.next_line())
    return [json.loads(line) for line in lines]


def assert_is_one_match(events):
    assert len({event["match"] for event in events}) == 1
    assert [event["seq"] for event in events] == sorted({event["seq"] for event in events})
    assert events[-1]["outcomes"] == ["solved"] * 4


def test_feed_prints_watched_events(start, serve):
    """A bot plays match after match, because the feed needs a moment to connect."""
    server = serve()
    child = start("feed", "classic-evil", "--server", server.url, "--json")
    start("bot", "minimax", "--ladder", "classic-evil", "--server", server.url, "--matches", "500", stderr=DEVNULL)
    events = []
    while not events or events[-1]["type"] != "match_over":
        event = json.loads(child.next_line())
        if events or event["type"] == "match_started":
            events.append(event)
    assert_is_one_match(events)


def test_feed_prints_published_events(run, start, serve, broker):
    server = serve("--mqtt", broker.url)
    child = start("feed", "classic-evil", "--mqtt", broker.url, "--json")
    asyncio.run(broker.wait_for_log("evilpegs/v1/+/match/+/result", 1))
    assert_is_one_match(first_result(child, run, server.url))


def test_feed_prints_lines_for_people(run, start, serve, broker):
    server = serve("--mqtt", broker.url)
    child = start("feed", "--mqtt", broker.url)
    asyncio.run(broker.wait_for_log("evilpegs/v1/+/match/+/result", 1))
    assert run("bot", "minimax", "--ladder", "classic-evil", "--server", server.url).status == 0
    begin, turn = child.next_line(), child.next_line()
    assert all(fact in begin for fact in ("minimax-ann", "classic-evil"))
    assert all(fact in turn for fact in ("minimax-ann", "game 1, turn 1"))


def test_feed_hints_at_missing_ladder(start, serve, broker):
    """The control is a ladder that the server offers."""
    serve("--mqtt", broker.url)
    asyncio.run(broker.wait_for_log("ladder/classic-evil/live", 1))
    child, control = (start("feed", name, "--mqtt", broker.url) for name in ("nosuch", "classic-evil"))
    line = child.process.stderr.readline().decode()
    asyncio.run(broker.wait_for_log("ladder/classic-evil/live", 3))
    assert "nosuch" in line
    assert [one.end(signal.SIGINT).err for one in (child, control)] == ["", ""]


@pytest.mark.parametrize("name", ["+", "#", "Classic", "a/b", "a" * 41, ""])
def test_feed_refuses_what_is_no_ladder(run, name):
    result = run("feed", name, "--mqtt", "mqtt://127.0.0.1:1")
    assert result.status == 2
    assert quoted(name) in result.complaint


@pytest.mark.parametrize("host", ["a..b", "a" * 64])
def test_feed_refuses_impossible_host(run, host):
    result = run("feed", "--mqtt", f"mqtt://{host}:1883")
    assert result.status == 2
    assert host in result.complaint


def test_feed_ends_quietly_on_interrupt(start, broker):
    child = start("feed", "--mqtt", broker.url)
    asyncio.run(broker.wait_for_log("evilpegs/v1/+/match/+/result", 1))
    result = child.end(signal.SIGINT)
    assert (result.status, result.out, result.err) == (130, "", "")


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


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_feed_survives_hostile_messages(start, broker, options):
    child = start("feed", "--mqtt", broker.url, *options)
    asyncio.run(broker.wait_for_log("evilpegs/v1/+/match/+/result", 1))
    last = with_fields(seq=100, guesses=77)
    asyncio.run(publish(broker, *((topic, text) for topic in TOPICS for text in HOSTILE), (f"{MATCH}/event", last)))
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


@pytest.mark.parametrize("server", ["ws://127.0.0.1:1/v1", "ws://127.0.0.1:8765/v1"])
def test_feed_reads_one_source(run, monkeypatch, server):
    monkeypatch.delenv("EVILPEGS_MQTT", raising=False)
    result = run("feed", "--mqtt", "mqtt://127.0.0.1:1", "--server", server)
    assert result.status == 2
    assert {"--mqtt", "--server"} <= set(result.complaint.split())


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
    assert run("feed").complaint == "environment variable EVILPEGS_MQTT: port 99999 is not 1 to 65535"
    assert run("feed", "--mqtt", "mqtt://127.0.0.1:0").complaint == "port 0 is not 1 to 65535"


def test_feed_names_host_that_does_not_exist(run):
    assert run("feed", "--mqtt", "mqtt://nosuch.invalid:1883").complaint == (
        "there is no host 'nosuch.invalid'; check --mqtt"
    )


WITHOUT_AIOMQTT = """
import sys
sys.modules["aiomqtt"] = None
from evilpegs.main import main
sys.exit(main([sys.argv[1], "--server", "ws://127.0.0.1:1/v1"]))
"""


@pytest.mark.parametrize("command", ["feed", "watch"])
def test_server_is_read_without_the_extra_mqtt(command):
    child = subprocess.run(
        [sys.executable, "-c", WITHOUT_AIOMQTT, command], check=False, capture_output=True, text=True
    )
    assert child.returncode == 2
    assert "ws://127.0.0.1:1/v1" in child.stderr
    assert len(child.stderr.splitlines()) == 1
