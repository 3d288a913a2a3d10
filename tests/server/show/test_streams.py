"""Streams: every event once and in order, from where the reader left off, and an end for those who do not read."""

import asyncio
import contextlib
import json
import threading

import pytest

from evilpegs_server.show import streams as module
from evilpegs_server.show.follower import FollowedEvent, load_match_events
from evilpegs_server.show.streams import ALL, Streams
from evilpegs_server.storage.archive import load_log_id
from evilpegs_server.storage.reads import Reads
from support.fake_follower import FakeFollower
from support.matches import TINY
from support.patience import PATIENCE
from support.stored_matches import StoredPlay, store, store_players

FIRST, SECOND = f"{1:016x}", f"{2:016x}"


def parse(chunks):
    """Return the kinds, ids without the log's, and types of the events in the bytes of a stream."""
    parsed = []
    for block in b"".join(chunks).decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            data = json.loads(fields["data"]) if "data" in fields else {}
            number = int(fields["id"].split("-")[1]) if "id" in fields else None
            parsed.append((fields.get("event", "message"), number, data.get("type")))
    return parsed


async def take(stream, count):
    """Return the first ``count`` chunks of a stream."""
    async with asyncio.timeout(PATIENCE):
        return [await anext(stream) for _ in range(count)]


async def read(stream):
    """Return all chunks of a stream that ends."""
    async with asyncio.timeout(PATIENCE):
        return [chunk async for chunk in stream]


@pytest.fixture
def steps(engine):
    """The steps of a match of one game with two guesses: five events."""
    store_players(engine)
    return StoredPlay(1, TINY).play(("solved", [1, 2]))


@pytest.fixture
def shown(engine):
    """A follower and the streams that it feeds."""
    follower, reads = FakeFollower(engine), Reads()
    yield follower, Streams(engine, follower, reads, load_log_id(engine))
    reads.close()


TYPES = ["match_started", "feedback", "feedback", "game_over", "match_over"]


class TestMatch:
    async def test_stream_has_past_and_next_events_and_ends_with_match(self, engine, steps, shown):
        follower, streams = shown
        store(engine, *steps[:2])
        follower.follow()
        stream = streams.match(FIRST)
        first = await take(stream, 1)
        store(engine, *steps[2:])
        follower.follow()
        assert parse([*first, *await read(stream)]) == [("message", n, kind) for n, kind in enumerate(TYPES, 1)]

    async def test_stream_does_not_show_what_its_player_has_not_got(self, engine, steps, shown):
        follower, streams = shown
        store(engine, *steps[:3])
        follower.follow(2)
        stream = streams.match(FIRST)
        assert [number for _, number, _ in parse(await take(stream, 1))] == [1, 2]
        follower.follow(3)
        assert [number for _, number, _ in parse(await take(stream, 1))] == [3]
        await stream.aclose()

    @pytest.mark.parametrize("after", range(6))
    async def test_finished_match_goes_on_after_given_event(self, engine, steps, shown, after):
        follower, streams = shown
        store(engine, *steps)
        follower.follow()
        assert [number for _, number, _ in parse(await read(streams.match(FIRST, after)))] == [*range(after + 1, 6)]
        assert await streams.last_seq(FIRST) == (5, True)

    async def test_unknown_match_has_no_state(self, shown):
        assert await shown[1].last_seq("nothing") is None

    async def test_event_between_reading_and_following_comes_once(self, engine, steps, shown, monkeypatch):
        """The event is stored and followed while the stream reads the events before it."""
        follower, streams = shown
        store(engine, *steps[:2])
        follower.follow()
        loop, reading, go_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

        def load_slowly(*args):
            loop.call_soon_threadsafe(reading.set)
            go_on.wait(PATIENCE)
            return load_match_events(*args)

        monkeypatch.setattr(module, "load_match_events", load_slowly)
        stream = streams.match(FIRST)
        first = asyncio.ensure_future(take(stream, 1))
        await reading.wait()
        store(engine, *steps[2:])
        follower.follow()
        go_on.set()
        assert [number for _, number, _ in parse([*await first, *await read(stream)])] == [1, 2, 3, 4, 5]


class TestLadder:
    async def test_stream_begins_with_next_event_of_ladder(self, engine, steps, shown):
        follower, streams = shown
        store(engine, *steps[:2])
        follower.follow()
        own, other, everything = streams.new_events(TINY.id), streams.new_events("classic"), streams.new_events(ALL)
        first = [await take(each, 1) for each in (own, other, everything)]
        assert [parse(each) for each in first] == [[("place", 2, None)]] * 3
        store(engine, *steps[2:4])
        follower.follow()
        expected = [("message", 3, "feedback"), ("message", 4, "game_over")]
        assert parse(await take(own, 1)) == parse(await take(everything, 1)) == expected
        assert streams.count("classic", TINY.id) == 2
        for each in (own, other, everything):
            await each.aclose()
        assert streams.count("classic", TINY.id, ALL) == 0

    async def test_stream_goes_on_after_given_event(self, engine, steps, shown):
        follower, streams = shown
        store(engine, *steps)
        follower.follow()
        for topic, numbers in ((TINY.id, [3, 4, 5]), (ALL, [3, 4, 5])):
            stream = streams.events_after(topic, 2)
            assert [number for _, number, _ in parse(await take(stream, 1))] == numbers
            await stream.aclose()

    @pytest.mark.parametrize("event", [None, 99, 2])
    async def test_stream_says_when_events_were_missed(self, engine, steps, shown, monkeypatch, event):
        monkeypatch.setattr(module, "RESUMABLE", 2)
        follower, streams = shown
        store(engine, *steps)
        follower.follow()
        stream = streams.events_after(ALL, event)
        assert parse(await take(stream, 1)) == [("reset", 5, None)]
        await stream.aclose()


class TestReaders:
    async def test_heartbeat_keeps_connection_open(self, shown, monkeypatch):
        monkeypatch.setattr(module, "HEARTBEAT_SECONDS", 0.001)
        stream = shown[1].new_events(ALL)
        assert (await take(stream, 3))[1:] == [b":\n\n", b":\n\n"]
        await stream.aclose()

    async def test_reader_who_falls_behind_is_cut_off_and_another_is_not(self, shown, monkeypatch):
        monkeypatch.setattr(module, "MAX_WAITING_BYTES", 1_000)
        follower, streams = shown
        slow, fast = streams.new_events(ALL), streams.new_events(ALL)
        await take(slow, 1)
        await take(fast, 1)
        taken = []
        for number in range(100):
            follower.hand_on([FollowedEvent(number, FIRST, TINY.id, number, "feedback", '{"type":"feedback"}')])
            taken += await take(fast, 1)
        assert [number for _, number, _ in parse(taken)] == list(range(100))
        assert await read(slow) == []
        await fast.aclose()

    async def test_closing_ends_all_streams_and_begins_no_more(self, shown):
        _, streams = shown
        stream = streams.new_events(ALL)
        await take(stream, 1)
        assert not streams.is_full
        streams.close()
        assert await read(stream) == []
        assert streams.is_full

    async def test_number_of_streams_is_limited(self, shown, monkeypatch):
        monkeypatch.setattr(module, "MAX_STREAMS", 1)
        _, streams = shown
        async with contextlib.aclosing(streams.new_events(ALL)) as stream:
            await take(stream, 1)
            assert streams.is_full
        assert not streams.is_full


@pytest.mark.parametrize(
    ("text", "number"), [("{log}-7", 7), ("{log}-", None), ("{log}-x", None), ("7", None), ("0-7", None), ("", None)]
)
def test_ids_of_another_log_are_unknown(engine, shown, text, number):
    assert shown[1].parse_id(text.format(log=load_log_id(engine))) == number
