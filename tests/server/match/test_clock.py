"""The charges of a game clock, and the moment at which its flag falls."""

from hypothesis import given
from hypothesis import strategies as st

from evilpegs_protocol.server_messages import ClockInfo
from evilpegs_server.match.clock import GameClock

CONTROL = ClockInfo(base_ms=10_000, increment_ms=1_000)
TIMES = st.integers(0, 30_000)


def test_game_clock_runs_between_start_and_stop():
    clock = GameClock(CONTROL)
    assert not clock.running
    assert clock.took_ms(5_000) == 0
    clock.start(5_000)
    assert clock.running
    assert clock.took_ms(5_700) == 700
    assert clock.stop(5_900) == 900
    assert not clock.running
    assert clock.took_ms(9_000) == 0


def test_credit_moves_flag_and_is_not_charged():
    clock = GameClock(CONTROL)
    clock.credit(500)
    clock.start(5_000)
    clock.credit(300)
    assert clock.took_ms(5_700) == 400
    assert clock.flag_at() == 15_300


def test_charge_subtracts_turn_and_adds_increment():
    clock = GameClock(CONTROL)
    clock.charge(2_500)
    assert (clock.left_ms, clock.elapsed_ms) == (8_500, 2_500)
    clock.charge(100)
    assert (clock.left_ms, clock.elapsed_ms) == (9_400, 2_600)


def test_flag_falls_after_last_millisecond():
    clock = GameClock(CONTROL)
    clock.start(1_000)
    assert clock.flag_at() == 11_000
    assert not clock.has_flagged(11_000)
    assert clock.has_flagged(11_001)


def test_stopped_clock_never_flags():
    clock = GameClock(CONTROL)
    assert clock.flag_at() is None
    assert not clock.has_flagged(10**9)


def test_untimed_clock_counts_but_never_flags():
    clock = GameClock(None)
    clock.start(0)
    assert clock.flag_at() is None
    assert not clock.has_flagged(10**12)
    clock.charge(clock.stop(7_000))
    assert (clock.left_ms, clock.elapsed_ms) == (None, 7_000)


def test_arrival_before_start_takes_no_time():
    clock = GameClock(CONTROL)
    clock.start(1_000)
    assert clock.took_ms(900) == 0


@given(st.lists(TIMES))
def test_charge_bounds_time_left(times):
    clock = GameClock(CONTROL)
    for took in times:
        before = clock.left_ms
        clock.charge(took)
        assert CONTROL.increment_ms <= clock.left_ms <= before + CONTROL.increment_ms
    assert clock.elapsed_ms == sum(times)


@given(st.lists(st.tuples(st.floats(0, 5_000), st.floats(0, 5_000))))
def test_clock_rebuilt_from_turns_equals_original(turns):
    ran, rebuilt, now = GameClock(CONTROL), GameClock(CONTROL), 0.0
    for before, thinking in turns:
        now += before
        ran.start(now)
        now += thinking
        took = ran.stop(now)
        assert isinstance(took, int)
        expected = ran.left_after(took)
        ran.charge(took)
        rebuilt.charge(took)
        assert ran.left_ms == expected
    assert (rebuilt.left_ms, rebuilt.elapsed_ms, rebuilt.running) == (ran.left_ms, ran.elapsed_ms, ran.running)
