from itertools import pairwise
from random import Random
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.errors import StuckError
from evilpegs_game.evaluation.simulation import Simulation, game_lengths
from evilpegs_game.rules import Rules
from support.simulate import simulate

RULES = Rules(2, 3)


def consistent(position, rng):
    return position.sample(rng)[0]


def first_consistent(position, rng):
    return position.first_candidate


class Draw:
    """A source of draws that always gives one number."""

    def __init__(self, number):
        self.number = number

    def randrange(self, stop):
        return self.number


def secret_is_number(number):
    """Give the generators of a game whose secret has its number; strategies draw 0."""
    return lambda turn: Draw(0 if turn else number)


def random_game(number):
    return lambda turn: Random(f"{number} {turn}")


def test_simulate_every_secret_equals_evaluation():
    played = simulate(first_consistent, Rules(3, 3), range(27), secret_is_number)
    assert played.distribution == (1, 3, 12, 9, 2)
    assert (played.count, played.total, played.max, played.mean) == (27, 89, 5, 89 / 27)


@given(st.lists(st.integers(0, 30), min_size=2, max_size=12, unique=True))
def test_simulate_blocks_add_up(cuts):
    first, *_, last = sorted(cuts)
    blocks = [game_lengths(consistent, RULES, range(one, two), random_game) for one, two in pairwise(sorted(cuts))]
    whole = game_lengths(consistent, RULES, range(first, last), random_game)
    assert b"".join(blocks) == whole
    assert len(whole) == last - first


def test_simulated_game_depends_on_its_draws_alone():
    alone = simulate(consistent, RULES, range(7, 8), random_game)
    games = [simulate(consistent, RULES, range(number, number + 1), random_game).max for number in range(20)]
    assert games[7] == alone.max
    assert len(set(games)) > 1


@given(st.lists(st.integers(1, 9), min_size=2, max_size=40))
def test_simulation_mean_and_interval_by_textbook(lengths):
    distribution = tuple(lengths.count(guesses) for guesses in range(1, max(lengths) + 1))
    played = Simulation(RULES, distribution)
    assert played.mean == pytest.approx(mean(lengths))
    if len(set(lengths)) == 1:
        assert played.interval is None
        return
    low, high = played.interval
    assert (low + high) / 2 == pytest.approx(mean(lengths))
    quantile = (high - low) / 2 / (stdev(lengths) / len(lengths) ** 0.5)
    assert 1.95996 < quantile < 12.71


@pytest.mark.parametrize(
    ("games", "quantile"), [(2, 12.7062), (3, 4.3027), (11, 2.2281), (12, 2.2010), (31, 2.0423), (121, 1.9799)]
)
def test_simulation_interval_uses_student_quantiles(games, quantile):
    """The quantiles are those of the printed tables of Student's t."""
    lengths = [1] * (games - 1) + [2]
    low, high = Simulation(RULES, (games - 1, 1)).interval
    assert (high - low) / 2 == pytest.approx(quantile * stdev(lengths) / games**0.5, rel=1e-4)


@pytest.mark.parametrize("distribution", [(0, 0, 1), (0, 7)])
def test_simulation_without_spread_has_no_interval(distribution):
    assert Simulation(RULES, distribution).interval is None


def test_simulate_refuses_stuck_strategy():
    with pytest.raises(StuckError, match=r"2x3.*\b200\b"):
        simulate(lambda position, rng: (0, 0), RULES, range(1), lambda number: lambda turn: Draw(8))


def test_simulated_interval_holds_mean_of_two_codes():
    low, high = simulate(consistent, Rules(1, 2), range(1000), random_game).interval
    assert low < 1.5 < high
    assert high - low < 0.07
