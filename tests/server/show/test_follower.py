"""The follower hands on every stored event once, in order, and none that its player does not have yet."""

import contextlib

import pytest
import structlog
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_server.show import follower as module
from evilpegs_server.show.follower import Follower, load_events, load_match_events
from evilpegs_server.storage.log.archive import load_last_event_id
from evilpegs_server.timing import Timing
from support.matches import TINY
from support.stored_matches import StoredPlay, store, store_players
from support.waiting import loop_turns, until


@contextlib.asynccontextmanager
async def following(engine, *, sent=..., timing=Timing()):
    """A follower that runs during the block, and the events that it has handed on."""
    sent, seen = load_last_event_id(engine) if sent is ... else sent, []
    follower = Follower(engine, structlog.get_logger(), sent, timing=timing)
    follower.listen(seen.extend)
    follower.start()
    try:
        yield follower, seen
    finally:
        await follower.close()


@pytest.fixture
def steps(engine):
    """The steps of two matches, none of which is stored yet."""
    store_players(engine)
    return [step for number in (1, 2) for step in StoredPlay(number, TINY).play(("solved", [1, 2]))]


class TestFollower:
    async def test_events_from_before_are_not_handed_on(self, engine, steps):
        store(engine, *steps[:3])
        async with following(engine) as (follower, seen):
            store(engine, *steps[3:])
            follower.note_sent(load_last_event_id(engine))
            await until(lambda: follower.position == load_last_event_id(engine))
        assert [event.id for event in seen] == list(range(4, 11))

    async def test_events_with_new_ids_are_not_handed_on_again(self, engine, steps):
        """Where the log was copied again, the follower goes on after all that was copied."""
        store(engine, *steps[:4])
        ends, seen = [(4, 0)], []
        follower = Follower(engine, structlog.get_logger(), None, lambda: ends[-1])
        follower.listen(seen.extend)
        follower.start()
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE events SET id = id + 4")
        ends.append((8, 4))
        await until(lambda: follower.position == 8)
        store(engine, *steps[4:])
        ends.append((14, 4))
        await until(lambda: follower.position == 14)
        await follower.close()
        assert [event.id for event in seen] == list(range(9, 15))

    async def test_no_event_is_handed_on_before_it_was_sent(self, engine, steps):
        async with following(engine) as (follower, seen):
            store(engine, *steps)
            for last in (2, 7):
                follower.note_sent(last)
                await until(lambda: follower.position >= last)  # noqa: B023 - awaited in the loop
                assert [event.id for event in seen] == list(range(1, last + 1))

    async def test_stored_events_are_handed_on_without_server(self, engine, steps):
        async with following(engine, sent=None) as (_, seen):
            store(engine, *steps)
            await until(lambda: len(seen) == 10)
        assert {event.match for event in seen} == {f"{number:016x}" for number in (1, 2)}

    async def test_nothing_is_read_while_nobody_listens(self, engine, steps, monkeypatch):
        """Who begins to listen gets all events above the position, and none below it."""
        reads, listening, seen, woken = [], [False], [], []
        monkeypatch.setattr(module, "load_events", lambda *args: reads.append(args) or load_events(*args))
        follower = Follower(engine, structlog.get_logger(), load_last_event_id(engine))
        follower.listen(seen.extend, lambda: listening[0])
        follower.wake(lambda: woken.append(True))
        follower.start()
        store(engine, *steps)
        follower.note_sent(4)
        await until(lambda: follower.position == 4)
        assert (reads, seen, woken) == ([], [], [True])
        listening[0] = True
        follower.note_sent(10)
        await until(lambda: follower.position == 10)
        await follower.close()
        assert [event.id for event in seen] == list(range(5, 11))

    @pytest.mark.parametrize("few", [0, 50])
    async def test_many_events_come_in_batches(self, few, engine, steps, monkeypatch):
        """Read on a thread, and at once."""
        monkeypatch.setattr(module, "FEW_EVENTS", few)
        monkeypatch.setattr(module, "MAX_EVENTS", 3)
        batches = []
        async with following(engine) as (follower, seen):
            follower.listen(lambda events: batches.append(len(events)))
            store(engine, *steps)
            follower.note_sent(10)
            await until(lambda: follower.position == 10)
        assert (batches, len(seen)) == ([3, 3, 3, 1], 10)

    async def test_failed_read_is_repeated(self, engine, steps, monkeypatch):
        failures = [OSError("the disk is away"), OSError("the disk is away")]

        def load(*args):
            if failures:
                raise failures.pop()
            return load_events(*args)

        monkeypatch.setattr(module, "load_events", load)
        async with following(engine, timing=Timing(log_retry_seconds=0)) as (follower, seen):
            store(engine, *steps)
            follower.note_sent(10)
            await until(lambda: len(seen) == 10)
        assert not failures

    async def test_failing_looks_are_logged_once(self, engine, steps):
        """No event is to be read in the meantime, so only the looks for new ones fail."""
        failures = [OSError("the disk is away")] * 3

        def look():
            if failures:
                raise failures.pop()
            return load_last_event_id(engine), 0

        with structlog.testing.capture_logs() as logged:
            follower = Follower(
                engine, structlog.get_logger(), None, look, Timing(log_look_seconds=0, log_retry_seconds=0)
            )
            follower.start()
            store(engine, *steps)
            await until(lambda: follower.position == 10)
            await follower.close()
        assert [line["why"] for line in logged] == ["the disk is away"]


def test_match_has_its_own_events_only(engine, steps):
    store(engine, *steps)
    events = load_match_events(engine, f"{2:016x}", 8)
    assert [(event.id, event.seq) for event in events] == [(6, 1), (7, 2), (8, 3)]
    assert load_match_events(engine, "nothing", 8) == []


@given(sent=st.lists(st.integers(0, 10), max_size=5))
@settings(max_examples=10)
async def test_sent_numbers_in_any_order_lose_and_double_nothing(tmp_path_factory, sent):
    from evilpegs_server.storage.database import open_database

    engine = open_database(f"sqlite:///{tmp_path_factory.mktemp('log') / 'log.sqlite3'}")
    store_players(engine)
    follower, seen = Follower(engine, structlog.get_logger(), load_last_event_id(engine)), []
    store(engine, *(step for number in (1, 2) for step in StoredPlay(number, TINY).play(("solved", [1, 2]))))
    follower.listen(seen.extend)
    follower.start()
    for last in sent:
        follower.note_sent(last)
        await loop_turns()
    await until(lambda: follower.position == max(sent, default=0))
    await follower.close()
    engine.dispose()
    assert [event.id for event in seen] == list(range(1, max(sent, default=0) + 1))
