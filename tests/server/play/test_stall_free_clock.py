"""The stall-free clock leaves out long stalls; short ones are credited up to a bound per turn and game."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.play.stall_free_clock import (
    GAME_CREDIT_MS,
    LONG_STALL_MS,
    STALL_MS,
    TICK_MS,
    TURN_CREDIT_MS,
    StallCredit,
    StallFreeClock,
)


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


class Stalls:
    """The credit of a player on a clock whose stalls a test sets."""

    def __init__(self):
        self.source = SimpleNamespace(short_stalls_ms=0.0, long_stalls_ms=0.0)
        self.credit = StallCredit(self.source)
        self.credit.begin_turn(first=True)

    def short(self, ms, *, withhold=False):
        """Let a short stall pass; return how much of it is charged."""
        self.source.short_stalls_ms += ms
        return ms - self.credit.take(lambda: withhold)


def test_short_stalls_are_credited_up_to_turn_limit():
    stalls = Stalls()
    assert [stalls.short(900) for _ in range(4)] == [0, 0, 700, 900]
    assert stalls.credit.uncharged_ms == TURN_CREDIT_MS


def test_each_turn_has_its_own_credit_up_to_game_limit():
    stalls, charged = Stalls(), 0
    for turn in range(7):
        stalls.credit.begin_turn(first=turn == 0)
        charged += sum(stalls.short(500) for _ in range(4))
    assert charged == 7 * 2_000 - GAME_CREDIT_MS
    stalls.credit.begin_turn(first=True)
    assert stalls.short(500) == 0


def test_no_credit_while_over_limit():
    stalls = Stalls()
    assert stalls.short(500, withhold=True) == 500
    assert stalls.short(0) == 0
    assert stalls.credit.uncharged_ms == 0
    assert stalls.short(500) == 0


def test_stalls_between_turns_are_not_credited():
    stalls = Stalls()
    stalls.source.short_stalls_ms += 800
    stalls.credit.begin_turn(first=False)
    assert stalls.short(100) == 0
    assert stalls.credit.uncharged_ms == 100


def test_long_stall_is_never_charged():
    stalls = Stalls()
    stalls.source.long_stalls_ms += 12_000
    assert stalls.credit.take(lambda: True) == 0
    assert stalls.credit.uncharged_ms == 12_000


def test_stall_that_becomes_long_is_not_credited_twice():
    stalls = Stalls()
    assert stalls.short(600) == 0
    stalls.source.short_stalls_ms, stalls.source.long_stalls_ms = 0.0, 1_200.0
    assert stalls.credit.take(lambda: False) == -600
    assert stalls.credit.uncharged_ms == 1_200


@given(st.lists(st.tuples(st.integers(50, 1_000), st.booleans(), st.booleans()), max_size=60))
def test_credit_never_exceeds_limits(steps):
    stalls, total, turn = Stalls(), 0, 0
    for ms, withhold, new_turn in steps:
        if new_turn:
            stalls.credit.begin_turn(first=False)
            turn = 0
        credited = ms - stalls.short(ms, withhold=withhold)
        total, turn = total + credited, turn + credited
        assert credited >= 0
        assert turn <= TURN_CREDIT_MS
        assert total <= GAME_CREDIT_MS
        assert not withhold or credited == 0
