"""Time controls as text, the charges of a game clock, and the moment at which its flag falls."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.match.clock import GameClock, TimeControl

CONTROL = TimeControl(10_000, 1_000)
TIMES = st.integers(0, 30_000)


@pytest.mark.parametrize(
    ("text", "base_ms", "increment_ms"),
    [("60+1", 60_000, 1_000), ("5+0", 5_000, 0), ("0+1", 0, 1_000), ("99999+9999", 99_999_000, 9_999_000)],
)
def test_time_control_is_parsed_from_seconds(text, base_ms, increment_ms):
    assert TimeControl.parse(text) == TimeControl(base_ms, increment_ms)
    assert str(TimeControl.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "60", "60+", "+1", "-1+0", "60+1s", " 60+1", "60+1\n", "1.5+0", "60+1+1", "100000+0", "1+10000", "６+1"],
)
def test_time_control_refuses_malformed_text(text):
    with pytest.raises(ValueError, match=re.escape(repr(text)) + r".*60\+1"):
        TimeControl.parse(text)


def test_time_control_refusal_shortens_long_text():
    with pytest.raises(ValueError, match="9" * 20) as caught:
        TimeControl.parse("9" * 10_000)
    assert len(str(caught.value)) < 120


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
