"""Part sizes counted color by color are those of all codes enumerated, and those of two plain counts."""

from itertools import permutations, product
from random import Random

import numba
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evilpegs_game.counting import part_counts
from evilpegs_game.counting.part_counts import count_parts
from evilpegs_game.counting.problem import exact_numbers, moduli
from evilpegs_game.errors import ContradictionError
from evilpegs_game.feedback import Feedback, feedback, feedbacks
from evilpegs_game.rules import Rules
from support.evil_games import SORTS, evil_game, guess_of
from support.examples import share
from support.plain_counting import parts_by_colors, parts_by_pegs, plain_part_sizes
from support.plain_partition import partition_counts

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")

SMALL = [Rules(4, 5), Rules(3, 4), Rules(5, 3), Rules(1, 3), Rules(3, 1), Rules(4, 6, repeats=False), Rules(2, 9)]

MIDDLING = {
    "6x7": 3,
    "5x34": 3,
    "9x4": 2,
    "12x3": 2,
    "16x2": 3,
    "16x1": 1,
    "1x34": 3,
    "7x9-distinct": 2,
}
"""Rules that take long to enumerate, and the turns that the plain counts play of them in half a second."""
MORE = {"7x5": 2, "6x10": 3, "9x4": 3, "16x3": 2, "7x9-distinct": 3, "8x10-distinct": 2}
"""Those that take a second."""
of_both = pytest.mark.parametrize(
    ("name", "turns"), [*MIDDLING.items(), *(pytest.param(*each, marks=pytest.mark.full) for each in MORE.items())]
)


def enumerate_codes(rules):
    colors = range(rules.colors)
    return list(product(colors, repeat=rules.pegs) if rules.repeats else permutations(colors, rules.pegs))


@st.composite
def small_positions(draw):
    """Draw rules, all their codes, a history that some code fits, and a guess."""
    rules = draw(st.sampled_from(SMALL))
    codes = enumerate_codes(rules)
    secret, asked, *guesses = draw(st.lists(st.sampled_from(codes), min_size=2, max_size=7))
    return rules, codes, tuple((guess, feedback(guess, secret)) for guess in guesses), asked


def check_plain_definition(position):
    rules, codes, history, asked = position
    live = [code for code in codes if all(feedback(guess, code) == answer for guess, answer in history)]
    counted = count_parts(rules, history, asked)
    found = {answer: size for answer, size in zip(feedbacks(rules.pegs), counted.sizes, strict=True) if size}
    assert found == partition_counts(asked, live)


@given(small_positions())
def test_count_parts_matches_plain_definition(position):
    check_plain_definition(position)


@settings(max_examples=share(30))
@given(small_positions())
def test_plain_counts_match_plain_definition(position):
    rules, codes, history, asked = position
    live = [code for code in codes if all(feedback(guess, code) == answer for guess, answer in history)]
    assert parts_by_colors(rules, history, asked) == partition_counts(asked, live)
    assert parts_by_pegs(rules, history, asked) == partition_counts(asked, live)


@compiled
@of_both
@settings(max_examples=share(2))
@given(data=st.data())
def test_count_parts_matches_plain_along_evil_games(name, turns, data):
    rules = Rules.parse(name)
    sorts = data.draw(st.lists(st.sampled_from(SORTS), min_size=turns, max_size=turns))
    rng = Random(data.draw(st.integers(0, 2**32)))
    for history, guess, counted, _ in evil_game(rules, [guess_of(sort, rules, rng) for sort in sorts]):
        assert counted.sizes == plain_part_sizes(rules, history, guess)


@compiled
@of_both
def test_count_parts_matches_plain_for_secrets(name, turns):
    """A secret also gives rare feedbacks with many blacks; evil only gives those of the largest parts."""
    rules, rng = Rules.parse(name), Random(name)
    for closeness in (0.3, 0.6, 0.9):
        secret = guess_of("random", rules, rng)
        near = [close_guess(secret, rules, closeness, rng) for _ in range(turns)]
        history = tuple((guess, feedback(guess, secret)) for guess in near[:-1])
        assert count_parts(rules, history, near[-1]).sizes == plain_part_sizes(rules, history, near[-1])


def close_guess(secret, rules, closeness, rng):
    """Return a guess that has many pegs of the secret."""
    other = guess_of("random", rules, rng)
    if rules.repeats:
        return tuple(mine if rng.random() < closeness else its for mine, its in zip(secret, other, strict=True))
    kept = [mine if rng.random() < closeness else None for mine in secret]
    free = iter([color for color in rng.sample(range(rules.colors), rules.colors) if color not in kept])
    return tuple(next(free) if mine is None else mine for mine in kept)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_count_parts_ignores_turn_order_and_repetition(order):
    rules, rng = Rules(4, 6), Random(4)
    secret, asked, *guesses = [guess_of("random", rules, rng) for _ in range(5)]
    history = tuple((guess, feedback(guess, secret)) for guess in guesses)
    turned = tuple(history[place] for place in order)
    assert count_parts(rules, turned + turned[:1], asked).sizes == count_parts(rules, history, asked).sizes


def test_count_parts_of_repeated_guess():
    rules, guess = Rules(4, 6), (0, 0, 1, 1)
    sizes = count_parts(rules, ((guess, Feedback(1, 0)),), guess).sizes
    assert {given: size for given, size in zip(feedbacks(4), sizes, strict=True) if size} == {Feedback(1, 0): 256}


@pytest.mark.parametrize(
    "history",
    [
        (((0, 0, 0), Feedback(3, 0)), ((1, 1, 1), Feedback(3, 0))),
        (((0, 0, 1), Feedback(1, 0)), ((0, 0, 1), Feedback(0, 1))),
        (((0, 1, 2), Feedback(2, 1)),),
        (((0, 0, 0), Feedback(1, 1)),),
    ],
)
def test_count_parts_refuses_contradiction(history):
    with pytest.raises(ContradictionError):
        count_parts(Rules(3, 4), history, (0, 1, 2))


@pytest.fixture
def larger_numbers(monkeypatch):
    """Count all rules as those of more codes than a word can number."""
    monkeypatch.setattr(part_counts, "moduli", lambda _: moduli(Rules(16, 34)))


@pytest.mark.usefixtures("larger_numbers")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=share(30))
@given(small_positions())
def test_count_parts_with_larger_numbers_matches_plain_definition(position):
    check_plain_definition(position)


@given(st.lists(st.integers(0, Rules(16, 34).size), max_size=9))
def test_exact_numbers_follow_from_residues(numbers):
    largest = moduli(Rules(16, 34))
    assert exact_numbers([[each % (modulus or 2**64) for each in numbers] for modulus in largest]) == tuple(numbers)
