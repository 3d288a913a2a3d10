"""Streams: every event once and in order, from where the reader left off, and an end for those who do not read."""

import asyncio
import json
import threading
from dataclasses import replace

import pytest

from evilpegs_server.show import streams as module
from evilpegs_server.show.follower import FollowedEvent, load_match_events
from evilpegs_server.show.streams import ALL, HEARTBEAT, Streams
from evilpegs_server.storage.log.archive import load_log_id
from evilpegs_server.storage.log.rounds import Round, open_round
from evilpegs_server.storage.reads import BusyError, Reads
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
            number = int(fields["id"].rsplit("-", 1)[1]) if "id" in fields else None
            parsed.append((fields.get("event", "message"), number, data.get("type")))
    return parsed


class Reading:
    """A stream with a client, and what was written to it."""

    def __init__(self, stream):
        self.stream = stream
        self.chunks = []
        stream.begin(self.chunks.append)

    def take(self):
        """Return what was written since the last call."""
        chunks = parse(self.chunks)
        self.chunks.clear()
        return chunks

    def numbers(self):
        """Return the numbers of the events that were written since the last call."""
        return [number for _, number, _ in self.take()]


@pytest.fixture
def steps(engine):
    """The steps of a match of one game with two guesses: five events."""
    store_players(engine)
    return StoredPlay(1, TINY).play(("solved", [1, 2]))


@pytest.fixture
def shown(engine):
    """A follower and the streams that it feeds."""
    follower, reads = FakeFollower(engine), Reads()
    yield follower, Streams(engine, follower, reads, load_log_id(engine), most=2, heartbeat_seconds=PATIENCE)
    reads.close()


def id_of(engine, place):
    """Return the id of an event in a stream."""
    return f"{load_log_id(engine)}-{place}"


TYPES = ["match_started", "feedback", "feedback", "game_over", "match_over"]


class TestMatch:
    async def test_stream_has_past_and_next_events_and_ends_with_match(self, engine, steps, shown):
        follower, streams = shown
        store(engine, *steps[:2])
        follower.follow()
        reading = Reading(await streams.open_match(FIRST))
        store(engine, *steps[2:4])
        follower.follow()
        assert not reading.stream.over.is_set()
        store(engine, *steps[4:])
        follower.follow()
        assert reading.take() == [("message", n, kind) for n, kind in enumerate(TYPES, 1)]
        assert reading.stream.over.is_set()

    async def test_stream_does_not_show_what_its_player_has_not_got(self, engine, steps, shown):
        follower, streams = shown
        store(engine, *steps[:3])
        follower.follow(2)
        reading = Reading(await streams.open_match(FIRST))
        assert reading.numbers() == [1, 2]
        follower.follow(3)
        assert reading.numbers() == [3]

    @pytest.mark.parametrize("after", range(6))
    async def test_finished_match_goes_on_after_given_event(self, engine, steps, shown, after):
        follower, streams = shown
        store(engine, *steps)
        follower.follow()
        stream = await streams.open_match(FIRST, id_of(engine, after))
        assert stream.over.is_set()
        assert stream.is_empty == (after == 5)
        assert Reading(stream).numbers() == [*range(after + 1, 6)]

    async def test_match_whose_player_has_nothing_yet_is_followed(self, engine, steps, shown):
        follower, streams = shown
        store(engine, *steps[:2])
        reading = Reading(await streams.open_match(FIRST))
        assert reading.take() == []
        follower.follow()
        assert reading.numbers() == [1, 2]

    async def test_unknown_match_has_no_stream(self, shown):
        _, streams = shown
        assert await streams.open_match("nothing") is None
        assert streams.open == 0

    async def test_event_between_opening_and_reading_comes_once(self, engine, steps, shown, monkeypatch):
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
        opening = asyncio.create_task(streams.open_match(FIRST))
        await reading.wait()
        store(engine, *steps[2:])
        follower.follow()
        go_on.set()
        assert Reading(await opening).numbers() == [1, 2, 3, 4, 5]

    async def test_many_streams_wait_for_their_turn_to_read(self, engine, steps, monkeypatch):
        store(engine, *steps[:2])
        follower, reads = FakeFollower(engine), Reads(threads=1, max_pending=module.MAX_READING)
        streams = Streams(engine, follower, reads, load_log_id(engine), most=100, heartbeat_seconds=PATIENCE)
        follower.follow()
        opened = await asyncio.gather(*(streams.open_match(FIRST) for _ in range(100)))
        assert [Reading(stream).numbers() for stream in opened] == [[1, 2]] * 100
        reads.close()

    async def test_stream_that_cannot_be_read_does_not_stay(self, shown, monkeypatch):
        def fail(*_):
            raise BusyError

        monkeypatch.setattr(module, "load_match_events", fail)
        _, streams = shown
        with pytest.raises(BusyError):
            await streams.open_match(FIRST)
        assert streams.open == 0


class TestLadder:
    async def test_stream_begins_with_next_event_of_ladder(self, engine, steps, shown):
        follower, streams = shown
        store(engine, *steps[:2])
        follower.follow()
        own, other, everything = [Reading(await streams.open_topic(topic)) for topic in (TINY.id, "classic", ALL)]
        assert [each.take() for each in (own, other, everything)] == [[("place", 2, None)]] * 3
        store(engine, *steps[2:4])
        follower.follow()
        expected = [("message", 3, "feedback"), ("message", 4, "game_over")]
        assert [each.take() for each in (own, other, everything)] == [expected, [], expected]
        assert streams.count("classic", TINY.id) == 2
        for each in (own, other, everything):
            each.stream.close()
        assert streams.count("classic", TINY.id, ALL) == streams.open == 0

    async def test_stream_goes_on_after_given_event(self, engine, steps, shown):
        follower, streams = shown
        store(engine, *steps)
        follower.follow()
        for topic in (TINY.id, ALL):
            assert Reading(await streams.open_topic(topic, id_of(engine, f"{FIRST}-2"))).numbers() == [3, 4, 5]
        assert Reading(await streams.open_topic("classic", id_of(engine, f"{FIRST}-2"))).numbers() == []

    @pytest.mark.parametrize("event", [None, f"{FIRST}-99", f"{SECOND}-1", f"{FIRST}-2", "7", "x-y"])
    async def test_stream_says_when_events_were_missed(self, engine, steps, shown, monkeypatch, event):
        monkeypatch.setattr(module, "RESUMABLE", 2)
        follower, streams = shown
        store(engine, *steps)
        follower.follow()
        assert Reading(await streams.open_topic(ALL, id_of(engine, event))).take() == [("reset", 5, None)]


class TestReaders:
    async def test_heartbeat_keeps_connection_open(self, engine):
        reads = Reads()
        streams = Streams(engine, FakeFollower(engine), reads, load_log_id(engine), most=2, heartbeat_seconds=0.001)
        stream, written = await streams.open_topic(ALL), asyncio.Queue()
        stream.begin(written.put_nowait)
        await written.get()
        async with asyncio.timeout(PATIENCE):
            assert [await written.get(), await written.get()] == [HEARTBEAT, HEARTBEAT]
        stream.close()
        reads.close()

    async def test_events_of_a_batch_are_written_at_once_and_in_order(self, shown):
        follower, streams = shown
        reading = Reading(await streams.open_topic(ALL))
        reading.take()
        follower.hand_on([FollowedEvent(n, FIRST, TINY.id, n, "feedback", '{"type":"feedback"}') for n in range(100)])
        assert len(reading.chunks) == 1
        assert reading.numbers() == list(range(100))

    async def test_closing_ends_all_streams_and_begins_no_more(self, shown):
        _, streams = shown
        stream = await streams.open_topic(ALL)
        assert not streams.is_full
        assert not stream.over.is_set()
        streams.close()
        assert stream.over.is_set()
        assert streams.is_full
        assert (await streams.open_topic(ALL)).over.is_set()

    async def test_number_of_streams_is_limited(self, shown):
        _, streams = shown
        stream, _ = [await streams.open_topic(ALL) for _ in range(2)]
        assert streams.is_full
        stream.close()
        stream.close()  # to no effect
        assert not streams.is_full


async def test_sealed_events_neither_count_nor_are_named(engine, steps, shown, monkeypatch):
    """Else the edge of what can be resumed would count them, and their last number could be found."""
    monkeypatch.setattr(module, "RESUMABLE", 2)
    open_round(engine, Round("final", TINY.id, 2, sealed=True, opens=0, closes=None, published=None), [])
    follower, streams = shown
    store(engine, *steps[:1])
    store(engine, *StoredPlay(2, replace(TINY, id="final"), "bob").play(("solved", [1, 2, 3])))
    store(engine, *steps[1:3])
    follower.follow()
    assert Reading(await streams.open_topic(ALL, id_of(engine, f"{FIRST}-1"))).numbers() == [2, 3]
    assert Reading(await streams.open_topic(ALL, id_of(engine, f"{SECOND}-1"))).take() == [("reset", 3, None)]
    store(engine, *steps[3:])
    follower.follow()
    assert Reading(await streams.open_topic(ALL, id_of(engine, f"{FIRST}-1"))).take() == [("reset", 5, None)]


async def test_numbers_of_the_log_are_in_no_id(engine, steps, shown):
    """Their gaps would count the guesses of others, which a sealed round hides."""
    follower, streams = shown
    store(engine, StoredPlay(2, TINY, "bob").start())
    follower.follow()
    reading = Reading(await streams.open_topic(ALL))
    store(engine, *steps[:2])
    follower.follow()
    assert reading.numbers() == [1, 1, 2]


@pytest.mark.parametrize(("text", "numbers"), [("{log}-3", [4, 5]), ("3", [1, 2, 3, 4, 5]), ("0-3", [1, 2, 3, 4, 5])])
async def test_ids_of_another_log_are_unknown(engine, steps, shown, text, numbers):
    follower, streams = shown
    store(engine, *steps)
    follower.follow()
    assert Reading(await streams.open_match(FIRST, text.format(log=load_log_id(engine)))).numbers() == numbers
