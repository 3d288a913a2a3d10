import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.optimal.search_state import NO_BOUND, look_up, new_totals, store

words = st.integers(1, 2**64 - 1).map(np.uint64)


@given(words, words, st.integers(3, 5000), st.integers(5, 2**20), st.integers(5, 2**20))
def test_totals_table_recall_what_was_noted(key, check, codes, one, other):
    totals = new_totals(8)
    assert look_up(totals, key, check) == (0, NO_BOUND)
    store(totals, key, check, codes, min(one, other), max(one, other))
    assert look_up(totals, key, check) == (min(one, other), max(one, other))


def test_totals_table_keep_best_bounds():
    totals, key, check = new_totals(8), np.uint64(1 << 40), np.uint64(7)
    store(totals, key, check, 9, 20, NO_BOUND)
    store(totals, key, check, 9, 18, 27)
    assert look_up(totals, key, check) == (20, 27)
    store(totals, key, check, 9, 23, 30)
    assert look_up(totals, key, check) == (23, 27)


def test_totals_table_compare_both_words():
    totals, key = new_totals(8), np.uint64(12)
    store(totals, key, np.uint64(1), 9, 20, 20)
    assert look_up(totals, key, np.uint64(2)) == (0, NO_BOUND)


def test_totals_table_drop_fewest_codes_first():
    totals, check = new_totals(4), np.uint64(5)
    for codes in (40, 10, 30, 20):
        store(totals, np.uint64(codes), check, codes, 2 * codes, NO_BOUND)
    store(totals, np.uint64(50), check, 50, 100, NO_BOUND)
    known = [look_up(totals, np.uint64(codes), check)[0] for codes in (10, 20, 30, 40, 50)]
    assert known == [0, 40, 60, 80, 100]


def test_totals_table_ignore_half_written_entry():
    totals, key, check = new_totals(4), np.uint64(99), np.uint64(5)
    store(totals, key, check, 9, 20, 25)
    written = totals.copy()
    store(totals, key, check, 9, 21, 24)
    for word in range(3):
        torn = totals.copy()
        torn[:, word] = written[:, word]
        assert look_up(torn, key, check) == (0, NO_BOUND)
    assert look_up(totals, key, check) == (21, 24)
