import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.optimal.totals_table import NO_BOUND, new_totals, note, recall

words = st.integers(1, 2**64 - 1).map(np.uint64)


@given(words, words, st.integers(3, 5000), st.integers(5, 2**20), st.integers(5, 2**20))
def test_solved_totals_recall_what_was_noted(key, check, codes, one, other):
    totals = new_totals(8)
    assert recall(totals, key, check) == (0, NO_BOUND)
    note(totals, key, check, codes, min(one, other), max(one, other))
    assert recall(totals, key, check) == (min(one, other), max(one, other))


def test_solved_totals_keep_best_bounds():
    totals, key, check = new_totals(8), np.uint64(1 << 40), np.uint64(7)
    note(totals, key, check, 9, 20, NO_BOUND)
    note(totals, key, check, 9, 18, 27)
    assert recall(totals, key, check) == (20, 27)
    note(totals, key, check, 9, 23, 30)
    assert recall(totals, key, check) == (23, 27)


def test_solved_totals_compare_both_words():
    totals, key = new_totals(8), np.uint64(12)
    note(totals, key, np.uint64(1), 9, 20, 20)
    assert recall(totals, key, np.uint64(2)) == (0, NO_BOUND)


def test_solved_totals_drop_fewest_codes_first():
    totals, check = new_totals(4), np.uint64(5)
    for codes in (40, 10, 30, 20):
        note(totals, np.uint64(codes), check, codes, 2 * codes, NO_BOUND)
    note(totals, np.uint64(50), check, 50, 100, NO_BOUND)
    known = [recall(totals, np.uint64(codes), check)[0] for codes in (10, 20, 30, 40, 50)]
    assert known == [0, 40, 60, 80, 100]


def test_solved_totals_ignore_half_written_entry():
    totals, key, check = new_totals(4), np.uint64(99), np.uint64(5)
    note(totals, key, check, 9, 20, 25)
    written = totals.copy()
    note(totals, key, check, 9, 21, 24)
    for word in range(3):
        torn = totals.copy()
        torn[:, word] = written[:, word]
        assert recall(torn, key, check) == (0, NO_BOUND)
    assert recall(totals, key, check) == (21, 24)
