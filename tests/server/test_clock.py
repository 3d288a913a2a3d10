"""Clocks: their text, what they charge, and the one moment at which the flag falls."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.clock import GameClock, TimeControl

CONTROL = TimeControl(10_000, 1_000)
TIMES = st.integers(0, 30_000)


@pytest.mark.parametrize(
    ("text", "base_ms", "increment_ms"),
    [("60+1", 60_000, 1_000), ("5+0", 5_000, 0), ("0+1", 0, 1_000), ("99999+9999", 99_999_000, 9_999_000)],
)
def test_a_clock_is_read_and_written(text, base_ms, increment_ms):
    control = TimeControl.parse(text)
    assert control == TimeControl(base_ms, increment_ms)
    assert str(control) == text


@pytest.mark.parametrize(
    "text",
    ["", "60", "60+", "+1", "-1+0", "60+1s", " 60+1", "60+1\n", "1.5+0", "60+1+1", "100000+0", "1+10000", "６+1"],
)
def test_what_is_no_clock_is_refused(text):
    with pytest.raises(ValueError, match=r"not a clock.*60\+1"):
        TimeControl.parse(text)


def test_a_refusal_does_not_repeat_a_long_text():
    with pytest.raises(ValueError, match="not a clock") as caught:
        TimeControl.parse("9" * 10_000)
    assert len(str(caught.value)) < 120


def test_it_runs_only_between_start_and_stop():
    clock = GameClock(CONTROL)
    assert not clock.running
    assert clock.took_ms(5_000) == 0
    clock.start(5_000)
    assert clock.running
    assert clock.took_ms(5_700) == 700
    assert clock.stop(5_900) == 900
    assert not clock.running
    assert clock.took_ms(9_000) == 0


def test_a_turn_is_charged_and_the_increment_added():
    clock = GameClock(CONTROL)
    clock.charge(2_500)
    assert (clock.left_ms, clock.elapsed_ms) == (8_500, 2_500)
    clock.charge(100)
    assert (clock.left_ms, clock.elapsed_ms) == (9_400, 2_600)


def test_the_flag_falls_after_the_last_millisecond_not_at_it():
    clock = GameClock(CONTROL)
    clock.start(1_000)
    assert clock.flag_at() == 11_000
    assert not clock.has_flagged(11_000)
    assert clock.has_flagged(11_001)


def test_the_flag_cannot_fall_while_the_clock_stands():
    clock = GameClock(CONTROL)
    assert clock.flag_at() is None
    assert not clock.has_flagged(10**9)


def test_an_untimed_clock_counts_but_never_flags():
    clock = GameClock(None)
    clock.start(0)
    assert clock.flag_at() is None
    assert not clock.has_flagged(10**12)
    clock.charge(clock.stop(7_000))
    assert (clock.left_ms, clock.elapsed_ms) == (None, 7_000)


def test_an_arrival_before_the_start_took_no_time():
    clock = GameClock(CONTROL)
    clock.start(1_000)
    assert clock.took_ms(900) == 0


@given(st.lists(TIMES))
def test_what_is_left_grows_by_the_increment_at_most_and_is_never_negative(times):
    clock = GameClock(CONTROL)
    for took in times:
        before = clock.left_ms
        clock.charge(took)
        assert CONTROL.increment_ms <= clock.left_ms <= before + CONTROL.increment_ms
    assert clock.elapsed_ms == sum(times)


@given(st.lists(st.tuples(st.floats(0, 5_000), st.floats(0, 5_000))))
def test_a_clock_rebuilt_from_what_turns_took_equals_the_one_that_ran(turns):
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
    assert vars(rebuilt) == vars(ran)
