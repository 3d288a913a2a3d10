"""`evilpegs feed`, in child processes beside a real server and a real broker."""

import asyncio
import json
import signal
from datetime import UTC
from subprocess import DEVNULL

import pytest

from evilpegs.commands.feed.board import board_table
from evilpegs.commands.feed.lines import event_line, printable
from evilpegs_clients.feed.match_book import KnownMatch, MatchBook
from evilpegs_protocol.codec import decode_record_event
from support.brokers import Mosquitto

OVER = (
    '{"type":"game_over","match":"00112233445566aa","seq":5,"at":1800000000000,"game":1,"outcome":"solved",'
    '"guesses":5,"elapsed_ms":10,"secret":"1234","nonce":null}'
)
ROW = {"player": "ann", "client": "x 1", "games": 4, "mean": 5.0, "low": None, "high": None, "solved": 1.0, "rank": 1}


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


def test_feed_ends_quietly_on_interrupt(start, broker):
    child = start("feed", "--mqtt", broker.url)
    asyncio.run(broker.wait_for_log("evilpegs/v1/+/match/+/result", 1))
    result = child.end(signal.SIGINT)
    assert (result.status, result.out, result.err) == (130, "", "")


def test_event_line_names_player():
    line = event_line(decode_record_event(OVER), KnownMatch("ann", "classic"), UTC)
    assert line.split()[:2] == ["08:00:00", "ann"]
    assert all(fact in line for fact in ("game 1", "solved", "5 guesses"))


def test_event_line_without_player_names_match():
    assert "00112233445566aa" in event_line(decode_record_event(OVER), KnownMatch())


def test_printable_hides_control_characters():
    assert printable("a\x1b[2Jb\x9bc\u202ed") == "a?[2Jb?c?d"


def test_match_book_drops_doubles():
    book, event = MatchBook(), decode_record_event(OVER)
    assert [book.is_new(event), book.is_new(event)] == [True, False]
    assert book.is_new(event.model_copy(update={"seq": 6}))


def test_board_shows_rows():
    document = {"ladder": "classic", "rules": "4x6", "codemaker": "fixed", "rows": [ROW]}
    assert board_table(document).row_count == 1


@pytest.mark.parametrize("rows", [[], None, [{"player": "ann"}], [ROW | {"games": "many"}], "rows", [None]])
def test_board_ignores_other_documents(rows):
    assert board_table({"ladder": "classic", "rules": "4x6", "codemaker": "fixed", "rows": rows}) is None
