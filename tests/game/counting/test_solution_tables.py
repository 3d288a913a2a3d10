"""The codes that the tables of a count stand for."""

from collections import Counter
from itertools import permutations, product
from random import Random

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, column_code
from evilpegs_game.counting.first_code import MAX_NODES, first_code
from evilpegs_game.counting.solution_tables import SolutionTables
from evilpegs_game.errors import ContradictionError, TooLargeError
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.partition import select
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
def test_solution_tables_lists_candidates_in_code_order(found):
    rules, history, live = found
    tables = SolutionTables(rules, history, BYTES)
    assert tables.count == len(live)
    assert plain(tables.columns()) == live
    assert not tables.columns().flags.writeable


def test_solution_tables_takes_no_carry_for_a_score():
    """Sums of partial scores that no code has could equal, with a carry, a score that some have."""
    first, second = (1, 0, 1, 2, 0, 1, 2, 2, 0, 1), (0, 1, 2, 0, 0, 1, 1, 1, 1, 1)
    rules, history = Rules(10, 3), ((first, Feedback(1, 8)), (second, Feedback(4, 4)))
    live = all_codes(rules)
    for guess, given_feedback in history:
        live = select(live, guess, given_feedback)
    assert np.array_equal(SolutionTables(rules, history, BYTES).columns(), live)


@given(live_sets(), st.sampled_from([0, 3, 50, MAX_NODES]))
def test_first_code_is_independent_of_node_limit(found, nodes):
    rules, history, live = found
    assert first_code(rules, history, BYTES, max_nodes=nodes) == live[0]


def test_first_code_refuses_contradiction():
    contradiction = (((0, 0, 0), Feedback(3, 0)), ((1, 1, 1), Feedback(3, 0)))
    with pytest.raises(ContradictionError):
        first_code(Rules(3, 4), contradiction, BYTES)


def test_solution_tables_samples_uniformly():
    rules, each = Rules(4, 5), 50 if numba.config.DISABLE_JIT else 400
    history = (((0, 0, 1, 2), Feedback(1, 1)), ((0, 3, 3, 1), Feedback(1, 1)), ((4, 3, 1, 3), Feedback(1, 1)))
    codes = [c for c in product(range(5), repeat=4) if all(feedback(g, c) == f for g, f in history)]
    assert len(codes) in range(2, 30)
    tables, rng, draws = SolutionTables(rules, history, BYTES), Random(1), each * len(codes)
    drawn = Counter(tables.sample(rng) for _ in range(draws))
    assert set(drawn) == set(codes)
    chi_square = sum((drawn[code] - each) ** 2 / each for code in codes)
    assert chi_square < len(codes) - 1 + 3 * (2 * (len(codes) - 1)) ** 0.5


def test_solution_tables_refuses_contradiction_and_small_memory():
    contradiction = (((0, 0, 0), Feedback(3, 0)), ((1, 1, 1), Feedback(3, 0)))
    with pytest.raises(ContradictionError):
        SolutionTables(Rules(3, 4), contradiction, BYTES)
    with pytest.raises(TooLargeError, match="60,000"):
        SolutionTables(Rules(6, 9), (((0, 1, 2, 3, 4, 5), Feedback(1, 2)),), 60_000)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
def test_solution_tables_refuses_to_list_oversized_codes():
    rules = Rules(13, 34, repeats=False)
    first, last = tuple(range(13)), tuple(range(21, 34))
    tables = SolutionTables(rules, ((first, Feedback(12, 0)), (last, Feedback(0, 0))), 2 * BYTES)
    assert tables.count == 13 * 8
    with pytest.raises(TooLargeError, match=r"34\*\*13"):
        tables.columns()


def test_solution_tables_refuses_listing_over_memory():
    """Few rows stand for many codes: the tables fit where the edges that lead to the codes do not."""
    rules, few_bytes = Rules(5, 9), 150_000
    tables = SolutionTables(rules, (), few_bytes)
    bytes_used = tables.bytes_used
    for _ in range(2):
        with pytest.raises(TooLargeError, match=f"{few_bytes:,}"):
            tables.columns()
        assert tables.bytes_used == bytes_used
    roomy = SolutionTables(rules, (), BYTES)
    assert np.array_equal(roomy.columns(), all_codes(rules))
    assert roomy.bytes_used == bytes_used
