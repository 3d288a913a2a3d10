"""A player is credited short stalls up to a bound per turn and game, and none while their address is over a limit."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.play.player_clock import GAME_CREDIT_MS, TURN_CREDIT_MS, PlayerClock


class Stalls:
    """A player's clock on a clock whose time and stalls a test sets."""

    def __init__(self):
        self.ms = 0.0
        self.source = SimpleNamespace(short_stalls_ms=0.0, long_stalls_ms=0.0, now=lambda: self.ms)
        self.clock = PlayerClock(self.source)
        self.clock.begin_turn(first=True)

    def short(self, ms, *, withhold=False):
        """Let a short stall pass; return how far the player's clock went meanwhile."""
        before = self.clock.now()
        self.ms += ms
        self.source.short_stalls_ms += ms
        self.clock.credit_stalls(lambda: withhold)
        return self.clock.now() - before


def test_short_stalls_are_credited_up_to_turn_limit():
    stalls = Stalls()
    assert [stalls.short(900) for _ in range(4)] == [0, 0, 700, 900]
    assert stalls.clock.uncharged_ms == TURN_CREDIT_MS


def test_each_turn_has_its_own_credit_up_to_game_limit():
    stalls, charged = Stalls(), 0
    for turn in range(7):
        stalls.clock.begin_turn(first=turn == 0)
        charged += sum(stalls.short(500) for _ in range(4))
    assert charged == 7 * 2_000 - GAME_CREDIT_MS
    stalls.clock.begin_turn(first=True)
    assert stalls.short(500) == 0


def test_no_credit_while_over_limit():
    stalls = Stalls()
    assert stalls.short(500, withhold=True) == 500
    assert stalls.short(0) == 0
    assert stalls.clock.uncharged_ms == 0
    assert stalls.short(500) == 0


def test_stalls_between_turns_are_not_credited():
    stalls = Stalls()
    stalls.source.short_stalls_ms += 800
    stalls.clock.begin_turn(first=False)
    assert stalls.short(100) == 0
    assert stalls.clock.uncharged_ms == 100


def test_long_stall_is_never_charged():
    stalls = Stalls()
    stalls.source.long_stalls_ms += 12_000
    stalls.clock.credit_stalls(lambda: True)
    assert stalls.clock.now() == 0
    assert stalls.clock.uncharged_ms == 12_000


def test_stall_that_becomes_long_is_not_credited_twice():
    stalls = Stalls()
    assert stalls.short(600) == 0
    stalls.ms, stalls.source.short_stalls_ms, stalls.source.long_stalls_ms = 0.0, 0.0, 1_200.0
    stalls.clock.credit_stalls(lambda: False)
    assert stalls.clock.now() == 0
    assert stalls.clock.uncharged_ms == 1_200


def test_moment_of_turn_is_converted():
    stalls = Stalls()
    stalls.short(300)
    assert stalls.clock.convert(450.0) == pytest.approx(150)


@given(st.lists(st.tuples(st.integers(50, 1_000), st.booleans(), st.booleans()), max_size=60))
def test_credit_never_exceeds_limits(steps):
    stalls, total, turn = Stalls(), 0, 0
    for ms, withhold, new_turn in steps:
        if new_turn:
            stalls.clock.begin_turn(first=False)
            turn = 0
        credited = ms - stalls.short(ms, withhold=withhold)
        total, turn = total + credited, turn + credited
        assert credited >= 0
        assert turn <= TURN_CREDIT_MS
        assert total <= GAME_CREDIT_MS
        assert not withhold or credited == 0
