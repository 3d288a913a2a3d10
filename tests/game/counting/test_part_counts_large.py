"""Faults that only large rules and long games can show: counts near the last bit, many guesses at once."""

import math
from random import Random

import numba
import numpy as np
import pytest

from evilpegs_game.codes import all_codes
from evilpegs_game.counting.part_counts import count_parts
from evilpegs_game.counting.problem import MAX_COUNT, MAX_WORDS, CountingProblem
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import Feedback, feedback, feedback_number, feedbacks
from evilpegs_game.partition import part_sizes, select
from evilpegs_game.rules import MAX_COLORS, MAX_PEGS, Rules
from support.evil_games import SORTS, evil_game, guess_of, transpositions
from support.plain_counting import plain_part_sizes

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")


def largest_countable(pegs, repeats):
    fitting = [
        Rules(pegs, colors, repeats)
        for colors in range(1 if repeats else pegs, MAX_COLORS + 1)
        if Rules(pegs, colors, repeats).size <= MAX_COUNT
    ]
    return fitting[-1]


LARGEST = [largest_countable(pegs, repeats=True) for pegs in range(10, MAX_PEGS + 1)]
LARGEST += [largest_countable(pegs, repeats=False) for pegs in range(10, 15)]
"""The rules with the most codes that 63 bits can count, for each number of pegs."""


def test_largest_countable_rules_are_near_63_bits():
    assert max(rules.size for rules in LARGEST) > 0.7 * MAX_COUNT
    assert Rules(16, 15) in LARGEST


@compiled
@pytest.mark.parametrize("rules", LARGEST, ids=str)
def test_count_parts_sums_near_last_bit(rules):
    rng = Random(str(rules))
    for colors in (1, 2, 3, 5) if rules.repeats else (rules.pegs,):
        guess = tuple((rng.sample(range(rules.colors), colors) * rules.pegs)[: rules.pegs])
        sizes = count_parts(rules, (), guess).sizes
        assert sum(sizes) == rules.size
        assert min(sizes) >= 0
        assert sizes[-1] == 1


@compiled
@pytest.mark.parametrize("name", ["8x10", "10x12", "12x14", "16x15", "13x28", "16x16", "16x34"])
def test_count_parts_of_one_color_guesses(name):
    """Once the number of pegs of the first colors is known, counting the next color is choosing pegs."""
    rules = Rules.parse(name)
    guesses = [(color,) * rules.pegs for color in range(rules.colors - 1)]
    turns = 0
    for history, _, counted, _ in evil_game(rules, guesses):
        free, arrangements = rules.pegs, 1
        for _, (black, _) in history:
            arrangements *= math.comb(free, black)
            free -= black
        others = rules.colors - len(history) - 1
        expected = dict.fromkeys(feedbacks(rules.pegs), 0)
        for black in range(free + 1):
            expected[Feedback(black, 0)] = arrangements * math.comb(free, black) * others ** (free - black)
        assert dict(zip(feedbacks(rules.pegs), counted.sizes, strict=True)) == expected
        turns += 1
    assert turns == rules.colors - 1


@compiled
@pytest.mark.parametrize("name", ["10x12", "12x14"])
def test_count_parts_after_wasteful_guesses(name):
    """The count of each color is known, so the parts of a guess of two colors follow from where those two are."""
    rules = Rules.parse(name)
    *_, (history, guess, counted, _) = evil_game(rules, [(color,) * rules.pegs for color in range(rules.colors - 1)])
    given = feedbacks(rules.pegs)[int(np.argmax(counted.sizes))]
    history = (*history, (guess, given))
    assert len(history) >= 11
    known = [black for _, (black, _) in history]
    known.append(rules.pegs - sum(known))
    one, other = sorted(range(rules.colors), key=lambda color: -known[color])[:2]
    half = rules.pegs // 2
    rest = math.factorial(rules.pegs - known[one] - known[other])
    for color in range(rules.colors):
        if color not in (one, other):
            rest //= math.factorial(known[color])
    expected = dict.fromkeys(feedbacks(rules.pegs), 0)
    matches = min(half, known[one]) + min(rules.pegs - half, known[other])
    for left in range(known[one] + 1):  # pegs of the first color in the left half, where the guess has it
        for right in range(known[other] + 1):  # pegs of the second color in the right half
            ways = math.comb(half, left) * math.comb(rules.pegs - half, known[one] - left)
            ways *= math.comb(rules.pegs - half - (known[one] - left), right)
            ways *= math.comb(half - left, known[other] - right)
            if ways:
                expected[Feedback(left + right, matches - left - right)] += ways * rest
    asked = (one,) * half + (other,) * (rules.pegs - half)
    sizes = count_parts(rules, history, asked).sizes
    assert dict(zip(feedbacks(rules.pegs), sizes, strict=True)) == expected


@compiled
@pytest.mark.parametrize("name", ["8x10", "10x12", "10x15-distinct"])
@pytest.mark.parametrize("sort", SORTS)
def test_count_parts_sum_to_previous_part(name, sort):
    rules, rng = Rules.parse(name), Random(name + sort)
    due = rules.size
    for _, _, counted, left in evil_game(rules, [guess_of(sort, rules, rng) for _ in range(5)]):
        assert sum(counted.sizes) == due
        assert min(counted.sizes) >= 0
        due = left


@compiled
@pytest.mark.parametrize("name", ["8x10", "10x12"])
def test_count_parts_sum_in_long_games(name):
    """Swapping two pegs reveals little: over 10,000 candidates are left after more turns than one word holds."""
    rules, rng = Rules.parse(name), Random(1)
    base = guess_of("distinct", rules, rng)
    due, turns = rules.size, 0
    played = list(evil_game(rules, transpositions(base, rng)[:18]))
    for _, _, counted, left in played:
        assert sum(counted.sizes) == due
        due, turns = left, turns + 1
    assert turns == 18
    assert due > 10_000
    history, guess, _, _ = played[-1]
    assert len(CountingProblem(rules, history, guess).layout.lanes.targets) == 2


@compiled
def test_count_parts_in_second_word_by_enumeration():
    rules, rng = Rules(7, 6), Random(2)
    base = guess_of("distinct", rules, rng)
    live, words = all_codes(rules), []
    for history, guess, counted, _ in evil_game(rules, transpositions(base, rng)):
        for asked, given in history[-1:]:
            live = select(live, asked, given)
        assert counted.sizes == tuple(part_sizes(live, guess).tolist())
        words.append(len(CountingProblem(rules, history, guess).layout.lanes.targets))
    assert words.count(2) >= 2


@compiled
@pytest.mark.parametrize("words", [2, MAX_WORDS])
@pytest.mark.parametrize("name", ["4x5", "6x4", "5x9-distinct", "9x2"])
def test_count_parts_of_several_words_match_plain_count(name, words):
    """Few codes fit many guesses against one secret; an overflowing field would lose or add some."""
    rules, rng = Rules.parse(name), Random(3)
    secret, asked = guess_of("random", rules, rng), guess_of("random", rules, rng)
    guesses = iter(dict.fromkeys(guess_of("random", rules, rng) for _ in range(180)))
    history = []
    while len(CountingProblem(rules, history, asked).layout.lanes.targets) < words:
        guess = next(guesses)
        history.append((guess, feedback(guess, secret)))
    for guess in [*guesses][:3]:
        history.append((guess, feedback(guess, secret)))
        sizes = count_parts(rules, history, asked).sizes
        assert sizes == plain_part_sizes(rules, history, asked)
        assert sizes[feedback_number(feedback(asked, secret), rules.pegs)] >= 1


@compiled
def test_count_parts_takes_two_dozen_guesses_and_refuses_too_many():
    """Also of the widest feedback; the program lists the codes of rules on which more guesses could be of use."""
    rules, rng = Rules(12, 14), Random(4)
    base = guess_of("distinct", rules, rng)
    history = [(guess, feedback(guess, base)) for guess in transpositions(base, rng)]
    assert min(sum(each) for _, each in history) == 12
    counted = count_parts(rules, [(base, Feedback(12, 0)), *history[:24]], base)
    assert sum(counted.sizes) == counted.sizes[-1] == 1
    with pytest.raises(TooLargeError, match="66 different guesses"):
        count_parts(rules, history, base)
