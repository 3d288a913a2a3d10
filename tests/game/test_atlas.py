"""The codes that the tables of a count stand for."""

from collections import Counter
from itertools import permutations, product
from random import Random

import numba
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.codes import column_code
from evilpegs_game.counting import atlas as atlas_file
from evilpegs_game.counting import first_code as first_code_file
from evilpegs_game.counting.atlas import Atlas
from evilpegs_game.counting.first_code import first_code
from evilpegs_game.errors import ContradictionError, TooLargeError
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.rules import Rules

SMALL = [Rules(3, 4), Rules(4, 5), Rules(5, 3), Rules(1, 4), Rules(4, 6, repeats=False), Rules(3, 9, repeats=False)]
BYTES = 32 << 20


@st.composite
def live_sets(draw):
    rules = draw(st.sampled_from(SMALL))
    colors = range(rules.colors)
    space = list(product(colors, repeat=rules.pegs) if rules.repeats else permutations(colors, rules.pegs))
    secret, *guesses = draw(st.lists(st.sampled_from(space), min_size=1, max_size=5))
    history = tuple((guess, feedback(guess, secret)) for guess in guesses)
    live = [code for code in space if all(feedback(guess, code) == answer for guess, answer in history)]
    return rules, history, live


def plain(columns):
    return [column_code(columns, place) for place in range(columns.shape[1])]


@given(live_sets())
def test_it_counts_and_lists_the_candidates_in_code_order(found):
    rules, history, live = found
    atlas = Atlas(rules, history, BYTES)
    assert atlas.count == len(live)
    assert plain(atlas.columns()) == live
    assert not atlas.columns().flags.writeable


@given(live_sets(), st.sampled_from([0, 3, 50, first_code_file.MOST_NODES]))
def test_the_first_code_is_found_by_search_or_by_counting_beginnings(found, nodes):
    rules, history, live = found
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(first_code_file, "MOST_NODES", nodes)
        assert first_code(rules, history, BYTES) == live[0]


def test_no_code_is_the_first_of_a_contradiction():
    clash = (((0, 0, 0), Feedback(3, 0)), ((1, 1, 1), Feedback(3, 0)))
    with pytest.raises(ContradictionError):
        first_code(Rules(3, 4), clash, BYTES)


def test_samples_are_uniform():
    rules, each = Rules(4, 5), 50 if numba.config.DISABLE_JIT else 400
    history = (((0, 0, 1, 2), Feedback(1, 1)), ((0, 3, 3, 1), Feedback(1, 1)), ((4, 3, 1, 3), Feedback(1, 1)))
    codes = [c for c in product(range(5), repeat=4) if all(feedback(g, c) == f for g, f in history)]
    assert len(codes) in range(2, 30)
    atlas, rng, draws = Atlas(rules, history, BYTES), Random(1), each * len(codes)
    drawn = Counter(atlas.sample(rng) for _ in range(draws))
    assert set(drawn) == set(codes)
    chi_square = sum((drawn[code] - each) ** 2 / each for code in codes)
    assert chi_square < len(codes) - 1 + 3 * (2 * (len(codes) - 1)) ** 0.5


def test_a_contradiction_and_too_little_room_are_said():
    clash = (((0, 0, 0), Feedback(3, 0)), ((1, 1, 1), Feedback(3, 0)))
    with pytest.raises(ContradictionError):
        Atlas(Rules(3, 4), clash, BYTES)
    with pytest.raises(TooLargeError, match="bytes"):
        Atlas(Rules(6, 9), (((0, 1, 2, 3, 4, 5), Feedback(1, 2)),), 60_000)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
def test_codes_whose_numbers_pass_a_word_are_not_listed():
    rules = Rules(13, 34, repeats=False)
    first, last = tuple(range(13)), tuple(range(21, 34))
    atlas = Atlas(rules, ((first, Feedback(12, 0)), (last, Feedback(0, 0))), 2 * BYTES)
    assert atlas.count == 13 * 8
    with pytest.raises(TooLargeError, match="over 2"):
        atlas.columns()


def test_listing_is_refused_where_what_leads_to_the_codes_does_not_fit_beside_the_tables(monkeypatch):
    rules, history = Rules(4, 6), (((0, 0, 1, 2), Feedback(1, 1)),)
    atlas = Atlas(rules, history, BYTES)
    listed = plain(atlas.columns())
    with monkeypatch.context() as patch:
        patch.setattr(atlas_file, "_EDGE_BYTES", BYTES // 4)
        with pytest.raises(TooLargeError, match="bytes"):
            atlas.columns()
    assert plain(atlas.columns()) == listed
