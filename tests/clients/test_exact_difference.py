"""The exact difference of two strategies over all secrets."""

from fractions import Fraction

import pytest

from evilpegs_clients.paired_games import exact_means, has_exact_mean, mean_score
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_game.rules import Rules


def means(*names, rules="4x6", limit=10):
    first, second = map(load_strategy, names)
    return exact_means((first, second), Rules.parse(rules), limit)


def test_exact_means_of_published_strategies():
    """5801 and 5722 guesses for all 1,296 secrets: Knuth's strategy, and Neuwirth's."""
    exact = means("minimax", "entropy")
    assert (exact.first, exact.second) == (Fraction(5801, 1296), Fraction(5722, 1296))
    assert exact.difference == Fraction(-79, 1296)


def test_strategy_is_equal_to_itself():
    assert means("minimax", "minimax", rules="3x3").difference == 0


@pytest.mark.parametrize(("limit", "total"), [(5, 3 + 3 * 2 + 2 * 5), (4, 3 + 3 * 2 + 2 * 5), (2, 3 + 3 * 2 + 2 * 3)])
def test_mean_score_counts_unsolved_games_as_one_more_than_limit(limit, total):
    assert mean_score((3, 3, 0, 0, 2), limit) == Fraction(total, 8)


@pytest.mark.parametrize(
    ("name", "rules", "is_exact"),
    [
        ("minimax", "5x8", True),
        ("minimax", "6x10", False),
        ("optimal", "4x6", True),
        ("first-consistent", "5x8", False),
        ("random-consistent", "2x2", False),
        ("sampled", "2x2", False),
    ],
)
def test_exact_mean_needs_fixed_choices_and_small_rules(name, rules, is_exact):
    assert has_exact_mean(load_strategy(name), Rules.parse(rules)) == is_exact
