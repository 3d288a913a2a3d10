"""Dropping the worst early: what is dropped is worse, and the intervals of all pairs hold together."""

from functools import cache
from itertools import combinations

import numpy as np

from evilpegs_game.statistics import elimination
from evilpegs_game.statistics.confidence_sequences import asymptotic_half_width
from evilpegs_game.statistics.elimination import ERROR, FIRST_GAMES, Elimination

MARGIN = 0.02
TRIALS, GAMES = 60, 150


def play(rng, means, games, deviation=0.7):
    """Play until it is decided; all share the luck of the secret."""
    elimination = Elimination(len(means), MARGIN)
    for _ in range(games):
        luck = rng.normal(0, 0.5)
        elimination.add([means[each] + luck + rng.normal(0, deviation) for each in elimination.left])
        if elimination.is_decided:
            break
    return elimination


def test_clearly_worse_is_dropped_and_the_others_play_on():
    elimination = play(np.random.default_rng(1), [4.4, 4.4, 5.5], 300)
    assert elimination.left == [0, 1]
    assert FIRST_GAMES <= elimination.games[2] < elimination.games[0] == elimination.games[1] == 300
    low, high = elimination.interval(2, elimination.leader)
    assert 0 < low < 1.1 < high


def test_last_one_decides():
    elimination = play(np.random.default_rng(2), [5.5, 4.4, 6.0], 2_000)
    assert elimination.left == [elimination.leader] == [1]
    assert elimination.is_decided


def test_equal_ones_are_decided_by_the_margin():
    elimination = Elimination(2, MARGIN)
    while not elimination.is_decided:
        elimination.add([4.0, 4.0])
    assert elimination.left == [0, 1]
    low, high = elimination.interval(1, 0)
    assert -MARGIN < low < 0 < high < MARGIN


def test_mean_is_that_of_own_games():
    elimination = Elimination(2, MARGIN)
    for scores in ([4.0, 5.0], [5.0, 9.0]):
        elimination.add(scores)
    assert [elimination.mean(each) for each in range(2)] == [4.5, 7.0]
    assert elimination.leader == 0


def runs_with_errors(error, monkeypatch):
    """Return in how many runs one of five equal strategies is dropped."""
    monkeypatch.setattr(elimination, "asymptotic_half_width", cache(asymptotic_half_width))
    monkeypatch.setattr(elimination, "ERROR", error)
    runs = [play(np.random.default_rng(trial), [4.4] * 5, GAMES) for trial in range(TRIALS)]
    return sum(len(each.left) < 5 for each in runs)


def test_errors_are_as_rare_as_stated(monkeypatch):
    assert runs_with_errors(ERROR, monkeypatch) <= TRIALS * ERROR


def test_errors_are_not_rare_without_a_share_for_each_pair(monkeypatch):
    """The control of the test above."""
    assert runs_with_errors(10 * ERROR, monkeypatch) > TRIALS * ERROR


def test_more_strategies_get_wider_intervals():
    widths = []
    for strategies in (2, 10):
        elimination, rng = Elimination(strategies, MARGIN), np.random.default_rng(3)
        for _ in range(FIRST_GAMES - 1):
            elimination.add(rng.normal(4, 1, 10)[:strategies].tolist())
        low, high = elimination.interval(0, 1)
        widths.append(high - low)
        assert all(
            np.allclose(elimination.interval(b, a), [-end for end in elimination.interval(a, b)[::-1]])
            for a, b in combinations(range(strategies), 2)
        )
    assert widths[0] < widths[1]
