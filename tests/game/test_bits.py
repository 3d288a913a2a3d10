"""Kernels for single words agree with plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.kernels import mix, mix_each, popcount

WORDS = st.integers(0, 2**64 - 1)


@given(WORDS)
def test_popcount_matches_bit_count(word):
    assert popcount(np.uint64(word)) == word.bit_count()


@given(WORDS)
def test_mix_matches_integers(word):
    expected = word
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        expected = (expected ^ (expected >> shift)) * factor % 2**64
    expected ^= expected >> 31
    with np.errstate(over="ignore"):
        assert int(mix(np.uint64(word))) == expected


@given(st.lists(WORDS, min_size=6, max_size=6))
def test_mix_each_mixes_every_word(words):
    table = np.array(words, np.uint64).reshape(2, 3)
    with np.errstate(over="ignore"):
        assert mix_each(table).tolist() == [[int(mix(np.uint64(word))) for word in row] for row in table.tolist()]
