"""Pairs of games: the same secret for both strategies, and nothing else in common."""

from statistics import fmean

import pytest

from evilpegs_clients.paired_games import PairedGames
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import draw_secret, game_seed
from evilpegs_game.feedback import feedback
from evilpegs_game.luck.game_luck import load_value_curve
from evilpegs_game.rules import Rules

CLASSIC = Rules(4, 6)


class Spy:
    """A strategy that remembers every history and random number it got, and plays the first candidate."""

    uses_rng = True

    def __init__(self, name="spy"):
        self.name = name
        self.histories = []
        self.draws = []
        self.codes = []

    def choose(self, position, rng):
        self.histories.append(position.history)
        self.draws.append(rng.random())
        self.codes.append(position.all_codes)  # one array per cache
        return position.first_candidate


def paired(*strategies, rules=CLASSIC, limit=10, curve=None, seed=0):
    return PairedGames(strategies, rules, limit, curve, seed)


def test_both_strategies_get_one_secret():
    first, second = Spy(), Spy()
    games = paired(first, second, seed=5)
    for number in range(20):
        assert games.play(number).first == games.play(number).second
    secrets = [draw_secret(game_seed(5, number), CLASSIC) for number in range(20)]
    answered = {history for history in first.histories if history}
    assert all(any(all(feedback(g, s) == f for g, f in history) for s in secrets) for history in answered)
    assert len(set(secrets)) > 15


def test_strategies_share_no_random_numbers_and_no_cache():
    first, second = Spy(), Spy()
    paired(first, second).play(0)
    assert first.histories == second.histories
    assert not set(first.draws) & set(second.draws)
    assert first.codes[0] is first.codes[-1]
    assert first.codes[0] is not second.codes[0]


def test_pair_depends_on_seed_and_number_alone():
    strategies = load_strategy("random-consistent"), load_strategy("random-consistent")
    forward = [paired(*strategies, seed=3).play(number) for number in range(12)]
    games = paired(*strategies, seed=3)
    assert [games.play(number) for number in reversed(range(12))][::-1] == forward
    assert [paired(*strategies, seed=4).play(number) for number in range(12)] != forward
    assert any(first != second for first, second in forward)


def test_unsolved_game_scores_one_more_than_limit():
    scores = [paired(Spy(), Spy(), limit=2).play(number).first for number in range(30)]
    assert set(scores) <= {1, 2, 3}
    assert scores.count(3) > 15


def test_adjusted_scores_are_close_to_the_mean_of_the_strategy():
    curve = load_value_curve(CLASSIC, 10)
    strategies = load_strategy("minimax"), load_strategy("entropy")
    scores = [paired(*strategies, curve=curve).play(number) for number in range(40)]
    assert fmean(score.first for score in scores) == pytest.approx(5801 / 1296, abs=0.15)
    assert fmean(score.second for score in scores) == pytest.approx(5722 / 1296, abs=0.15)
    assert all(score.first != round(score.first) for score in scores)


def test_adjusted_and_raw_games_are_the_same_games():
    curve = load_value_curve(CLASSIC, 10)
    one, two = Spy(), Spy()
    paired(one, Spy()).play(7)
    paired(two, Spy(), curve=curve).play(7)
    assert (one.histories, one.draws) == (two.histories, two.draws)
