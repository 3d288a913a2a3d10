"""Fair time: a monotonic clock with the stalls of the event loop taken out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.fair_time import BEAT_MS, STALL_MS, FairTime


class World:
    """Fair time on a clock that a test sets, in milliseconds from the first moment on."""

    def __init__(self):
        self.ms = 0.0
        self.fair_time = FairTime(lambda: self.ms / 1000)

    def at(self, ms):
        self.ms = ms
        return self.fair_time.now()

    def beat(self, ms):
        self.ms = ms
        self.fair_time.beat()


def test_with_regular_beats_it_is_the_time():
    world = World()
    for ms in range(20, 2000, 20):
        assert world.at(ms - 1) == pytest.approx(ms - 1)
        world.beat(ms)
    assert world.fair_time.stalled_ms == 0


def test_a_beat_that_is_a_little_late_takes_nothing_out():
    world = World()
    world.beat(BEAT_MS + STALL_MS)
    assert world.at(71) == pytest.approx(71)


def test_a_stall_over_fifty_milliseconds_is_taken_out_whole():
    world = World()
    world.beat(BEAT_MS + 51)
    assert world.fair_time.stalled_ms == pytest.approx(51)
    assert world.at(BEAT_MS + 61) == pytest.approx(BEAT_MS + 10)


def test_who_looks_during_a_stall_sees_the_time_stand():
    world = World()
    assert [world.at(ms) for ms in (100, 200, 426)] == pytest.approx([BEAT_MS] * 3)
    assert world.fair_time.stalled_ms == pytest.approx(406)


def test_a_stall_made_of_many_short_callbacks_that_all_look_is_a_stall():
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
def test_it_never_gains_on_the_time_and_steps_back_by_no_more_than_a_stall(steps):
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
