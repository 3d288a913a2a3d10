"""Scores in the lanes of a word."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.counting.layout import is_sum


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 15), st.integers(0, 15)), min_size=1, max_size=15))
def test_sum_is_one_only_if_no_lane_takes_a_carry(lanes):
    one = other = starts = shift = 0
    has_carry = False
    for width, *pair in lanes:
        first, second = (each % (1 << width) for each in pair)
        has_carry |= first + second >= 1 << width
        one, other, starts = one | first << shift, other | second << shift, starts | 1 << shift
        shift += width
    words = [np.uint64(each) for each in (one, other, one + other, starts | 1 << shift)]
    assert is_sum(*words) == (not has_carry)
    assert not is_sum(words[0], words[1], words[2] ^ np.uint64(1), words[3])
