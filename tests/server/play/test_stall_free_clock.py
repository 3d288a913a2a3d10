"""The stall-free clock is a monotonic clock without long stalls, and counts the shorter ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.play.stall_free_clock import LONG_STALL_MS, STALL_MS, TICK_MS, StallFreeClock


class World:
    """A stall-free clock on a clock that a test sets, in milliseconds since the start."""

    def __init__(self):
        self.ms = 0.0
        self.clock = StallFreeClock(lambda: self.ms / 1000)

    def at(self, ms):
        self.ms = ms
        return self.clock.now()

    def tick(self, ms):
        self.ms = ms
        self.clock.tick()


def test_regular_ticks_keep_clock_time():
    world = World()
    for ms in range(20, 2000, 20):
        assert world.at(ms - 1) == pytest.approx(ms - 1)
        world.tick(ms)
    assert (world.clock.long_stalls_ms, world.clock.short_stalls_ms) == (0, 0)


def test_slightly_late_tick_is_no_stall():
    world = World()
    world.tick(TICK_MS + STALL_MS)
    assert world.at(71) == pytest.approx(71)
    assert world.clock.short_stalls_ms == 0


def test_short_stall_is_counted_and_stays_in_time():
    world = World()
    world.tick(TICK_MS + 51)
    assert world.clock.short_stalls_ms == pytest.approx(51)
    assert world.clock.long_stalls_ms == 0
    assert world.at(TICK_MS + 61) == pytest.approx(TICK_MS + 61)


def test_long_stall_is_removed_whole():
    world = World()
    world.tick(TICK_MS + 12_000)
    assert world.clock.long_stalls_ms == pytest.approx(12_000)
    assert world.clock.short_stalls_ms == 0
    assert world.at(TICK_MS + 12_010) == pytest.approx(TICK_MS + 10)


def test_stall_in_progress_counts_by_its_length_so_far():
    world = World()
    assert world.at(TICK_MS + 600) == pytest.approx(TICK_MS + 600)
    assert world.clock.short_stalls_ms == pytest.approx(600)
    assert world.at(TICK_MS + 1_200) == pytest.approx(TICK_MS)
    assert (world.clock.short_stalls_ms, world.clock.long_stalls_ms) == (0, pytest.approx(1_200))


def test_many_short_callbacks_count_as_stall():
    world = World()
    for ms in range(0, 420, 10):
        world.at(ms)
    world.tick(426)
    assert world.clock.short_stalls_ms == pytest.approx(406)


def test_stalls_add_up_by_length():
    world = World()
    world.tick(1_000)
    world.tick(1_020)
    world.tick(3_040)
    assert world.clock.short_stalls_ms == pytest.approx(980)
    assert world.clock.long_stalls_ms == pytest.approx(2_000)


@given(st.lists(st.tuples(st.floats(0, 10_000), st.booleans())))
def test_stall_free_clock_never_outruns_its_clock(steps):
    world, highest = World(), 0.0
    for gap, ticks in steps:
        before, world.ms = world.clock.now(), world.ms + gap
        if ticks:
            world.clock.tick()
        now = world.clock.now()
        assert now - before <= gap + 1e-6
        assert now >= highest - LONG_STALL_MS - 1e-6
        assert now + world.clock.long_stalls_ms <= world.ms + 1e-6
        highest = max(highest, now)
