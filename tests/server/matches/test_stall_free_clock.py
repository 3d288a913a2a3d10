"""Fair time is a monotonic clock from which the stalls of the event loop are removed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.matches.stall_free_clock import BEAT_MS, STALL_MS, FairTime


class World:
    """Fair time on a clock that a test sets, in milliseconds since the start."""

    def __init__(self):
        self.ms = 0.0
        self.fair_time = FairTime(lambda: self.ms / 1000)

    def at(self, ms):
        self.ms = ms
        return self.fair_time.now()

    def beat(self, ms):
        self.ms = ms
        self.fair_time.beat()


def test_regular_beats_keep_clock_time():
    world = World()
    for ms in range(20, 2000, 20):
        assert world.at(ms - 1) == pytest.approx(ms - 1)
        world.beat(ms)
    assert world.fair_time.stalled_ms == 0


def test_slightly_late_beat_removes_nothing():
    world = World()
    world.beat(BEAT_MS + STALL_MS)
    assert world.at(71) == pytest.approx(71)


def test_stall_is_removed_whole():
    world = World()
    world.beat(BEAT_MS + 51)
    assert world.fair_time.stalled_ms == pytest.approx(51)
    assert world.at(BEAT_MS + 61) == pytest.approx(BEAT_MS + 10)


def test_time_stands_still_during_stall():
    world = World()
    assert [world.at(ms) for ms in (100, 200, 426)] == pytest.approx([BEAT_MS] * 3)
    assert world.fair_time.stalled_ms == pytest.approx(406)


def test_many_short_callbacks_count_as_stall():
    world = World()
    readings = [world.at(ms) for ms in range(0, 420, 10)]
    world.beat(426)
    assert max(readings) <= BEAT_MS + STALL_MS
    assert world.fair_time.stalled_ms == pytest.approx(406)
    assert world.at(430) == pytest.approx(BEAT_MS + 4)


def test_stalls_add_up():
    world = World()
    world.beat(1_000)
    world.beat(1_020)
    world.beat(3_040)
    assert world.fair_time.stalled_ms == pytest.approx(980 + 2_000)


@given(st.lists(st.tuples(st.floats(0, 10_000), st.booleans())))
def test_fair_time_never_outruns_clock(steps):
    world, highest = World(), 0.0
    for gap, beats in steps:
        before, world.ms = world.fair_time.now(), world.ms + gap
        if beats:
            world.fair_time.beat()
        now = world.fair_time.now()
        assert now - before <= gap + 1e-6
        assert now >= highest - STALL_MS - 1e-6
        assert now + world.fair_time.stalled_ms <= world.ms + 1e-6
        highest = max(highest, now)
