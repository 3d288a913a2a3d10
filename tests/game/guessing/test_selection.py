from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, code_at, column_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import Turn, feedback
from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, LEXICOGRAPHIC, MINIMAX, MOST_PARTS, TWO_PLY
from evilpegs_game.guessing.search import tries_others
from evilpegs_game.guessing.selection import best_guess, best_guess_at, guessed_color_mask
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.partition import part_sizes
from evilpegs_game.rules import Rules
from support.examples import share
from support.plain_partition import partition_counts

CRITERIA = [MINIMAX, LEXICOGRAPHIC, EXPECTED_SIZE, ENTROPY, MOST_PARTS]
SMALL = [Rules(2, 4), Rules(3, 3), Rules(4, 2), Rules(3, 4, repeats=False), Rules(1, 7), Rules(2, 5)]
CLASSIC = Rules(4, 6)


def plain_codes(columns):
    return [column_code(columns, index) for index in range(columns.shape[1])]


def plain_best(position, criterion, candidates_only):
    """Return the best guess by the rule as it is written, over all guesses."""
    candidates = plain_codes(position.candidates)
    if len(candidates) <= 2:
        return candidates[0]
    guesses = candidates if candidates_only else plain_codes(position.all_codes)
    best = guesses[:1]
    for guess in guesses[1:]:
        pair = [part_sizes(position.candidates, one) for one in (best[0], guess)]
        table = np.stack(pair, axis=1).astype("int32")
        winners = criterion.best(table).tolist()
        if winners == [1]:
            best = [guess]
        elif winners == [0, 1]:
            best.append(guess)
    return next((guess for guess in best if guess in candidates), best[0])


@st.composite
def positions(draw):
    rules = draw(st.sampled_from(SMALL))
    codes = st.integers(0, rules.size - 1).map(lambda index: code_at(index, rules))
    secret, guesses = draw(codes), draw(st.lists(codes, max_size=2))
    return Position(rules, tuple(Turn(guess, feedback(guess, secret)) for guess in guesses), LiveSets())


@pytest.mark.parametrize("candidates_only", [False, True])
@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: criterion.name)
@settings(max_examples=share(20))
@given(position=positions())
def test_best_guess_equals_written_rule(criterion, candidates_only, position):
    expected = plain_best(position, criterion, candidates_only)
    assert best_guess(position, criterion, candidates_only) == expected


@pytest.mark.parametrize("candidates_only", [False, True])
@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: criterion.name)
@settings(max_examples=share(10))
@given(position=positions())
def test_best_of_is_same_with_threads(criterion, candidates_only, position):
    assume(position.count > 2)
    live, guessed, measure = (
        position.candidates,
        guessed_color_mask(position.history),
        criterion.measure(position.count),
    )
    with ThreadPoolExecutor(2) as threads:
        chosen = best_guess_at(live, position.rules, guessed, measure, candidates_only, threads)
    assert chosen == best_guess(position, criterion, candidates_only)


def test_best_guess_plays_first_of_two_candidates():
    position = Position(Rules(1, 3), (Turn((1,), feedback((1,), (0,))),), LiveSets())
    assert position.count == 2
    assert best_guess(position, MINIMAX) == (0,)


def test_best_guess_budget_counts_first_guess_patterns():
    # 1111 1112 1122 1123 1234 and their permutations: the set partitions of four pegs, 15 of them.
    budget = 15 * 1296
    assert best_guess(Position(CLASSIC, (), LiveSets(), budget), MINIMAX) == (0, 0, 1, 1)
    with pytest.raises(OverBudgetError, match=r"\b19,440\b.*\b19,439\b"):
        best_guess(Position(CLASSIC, (), LiveSets(), budget - 1), MINIMAX)


def test_two_ply_budget_counts_both_plies():
    # with 1,296 candidates only these are tried, the set partitions above; the second ply takes 8 guesses
    work = 15 * 1296 + 8 * 1296**2
    assert best_guess(Position(CLASSIC, (), LiveSets(), work), TWO_PLY) == (0, 0, 1, 2)
    with pytest.raises(OverBudgetError, match=rf"\b{work:,}\b.*\b{work - 1:,}\b"):
        best_guess(Position(CLASSIC, (), LiveSets(), work - 1), TWO_PLY)


def test_two_ply_tries_only_candidates_of_many():
    assert [tries_others(TWO_PLY.rule, codes, 8, 5) for codes in (655, 656)] == [True, False]
    assert [tries_others(TWO_PLY.rule, codes, 6, 4) for codes in (640, 641)] == [True, False]
    assert tries_others(ENTROPY.rule, 10**6, 10, 6)


def test_best_guess_without_budget_ends_game():
    position = Position(Rules(2, 2), (Turn((0, 0), feedback((0, 0), (0, 1))),), LiveSets(), budget=0)
    assert best_guess(position, MINIMAX) == (0, 1)


def test_part_sizes_survive_renaming_of_fresh_colors():
    codes = plain_codes(all_codes(Rules(3, 4)))
    sizes = [sorted(partition_counts(guess, codes).items()) for guess in [(0, 0, 1), (2, 2, 3), (3, 3, 0)]]
    assert sizes[0] == sizes[1] == sizes[2]


def fresh_in_order(guess, guessed):
    """Return whether the colors that were never guessed come in rising order, the least first."""
    fresh = [color for color in range(max(guess) + 1) if color not in guessed]
    come = [color for color in dict.fromkeys(guess) if color not in guessed]
    return come == fresh[: len(come)]


@pytest.mark.parametrize("candidates_only", [False, True])
@settings(max_examples=share(30))
@given(position=positions())
def test_best_guess_budget_counts_distinct_guesses(candidates_only, position):
    assume(position.count > 2)
    guessed = {color for turn in position.history for color in turn.guess}
    guesses = plain_codes(position.candidates if candidates_only else position.all_codes)
    work = position.count * sum(fresh_in_order(guess, guessed) for guess in guesses)
    enough, too_little = (Position(position.rules, position.history, budget=budget) for budget in (work, work - 1))
    best_guess(enough, MINIMAX, candidates_only)
    with pytest.raises(OverBudgetError, match=rf"\b{work:,}\b.*\b{work - 1:,}\b"):
        best_guess(too_little, MINIMAX, candidates_only)


def test_best_guess_refuses_too_many_codes():
    rules = Rules(9, 12)
    guess, secret = (0, 0, 0, 1, 1, 1, 2, 2, 2), (0, 0, 0, 1, 1, 1, 2, 3, 3)
    position = Position(rules, (Turn(guess, feedback(guess, secret)),), LiveSets())
    with pytest.raises(TooLargeError, match=r"9x12.*\b5,159,780,352\b"):
        best_guess(position, MINIMAX)
