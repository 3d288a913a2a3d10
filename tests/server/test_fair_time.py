"""Fair time: a monotonic clock with the stalls taken out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_server.fair_time import BEAT_MS, STALL_MS, FairTime

LONGEST_GAP = STALL_MS + BEAT_MS


class Looks:
    """A monotonic clock in seconds that goes on by a given gap (in milliseconds) at each look."""

    def __init__(self, gaps):
        self._ms, self._gaps = 1_000_000.0, iter([0.0, *gaps])

    def __call__(self):
        self._ms += next(self._gaps)
        return self._ms / 1000


def looks(gaps):
    """What fair time says at each look, from 0, and the stalls it has taken out at the end."""
    fair_time = FairTime(Looks([0.0, *gaps]))
    start = fair_time.now()
    return [fair_time.now() - start for _ in gaps], fair_time.stalled_ms


def test_without_stalls_it_is_the_time():
    times, stalled = looks([20, 20, 60, LONGEST_GAP - 1])
    assert times == pytest.approx([20, 40, 100, 100 + LONGEST_GAP - 1])
    assert stalled == 0


def test_a_stall_is_taken_out_except_for_the_beat():
    times, stalled = looks([20, 5_000, 20])
    assert times == pytest.approx([20, 20 + BEAT_MS, 40 + BEAT_MS])
    assert stalled == pytest.approx(5_000 - BEAT_MS)


def test_stalls_add_up():
    _, stalled = looks([1_000, 20, 2_000])
    assert stalled == pytest.approx(3_000 - 2 * BEAT_MS)


@given(st.lists(st.floats(0, 100_000)))
def test_it_never_goes_backwards_nor_faster_than_the_time(gaps):
    times, stalled = looks(gaps)
    for before, after, gap in zip([0.0, *times], times, gaps, strict=False):
        assert -1e-6 <= after - before <= min(gap, LONGEST_GAP) + 1e-6
    assert stalled + (times[-1] if times else 0) == pytest.approx(sum(gaps), abs=1e-5)
