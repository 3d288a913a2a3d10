"""Rounds of equal entrants, where a claim is an error, and of two good strategies among twenty names."""

from itertools import product

import numpy as np
import pytest

from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import seeded_choice
from evilpegs_game.codemakers.codemaker import Fixed
from evilpegs_game.evaluation.exact import play_turns
from evilpegs_game.feedback import Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import adjusted_score, load_value_curve
from evilpegs_game.statistics.rounds import Entrant, round_table
from support.score_sources import GUESS_LIMIT, MILLION, RULES, evil_source, fixed_source

trials_of = pytest.mark.parametrize("trials", [400, pytest.param(2_000, marks=pytest.mark.statistics)])


@trials_of
@pytest.mark.parametrize("source", [fixed_source("entropy"), evil_source("first-consistent")], ids=["fixed", "evil"])
def test_equal_players_do_not_play_better(source, trials):
    """Thirty equal players of 30 to 250 games who fail 0 to 5 % of them: at most 5 %, and its error of 2,000 rounds."""
    rng = np.random.default_rng(11)
    wrong = 0
    for _ in range(trials):
        entrants = []
        for games, failures in zip(rng.integers(30, 251, 30).tolist(), rng.uniform(0, 0.05, 30), strict=True):
            failed = int(rng.binomial(games, failures))
            scores = rng.choice(source.adjusted, games - failed, p=source.chances) / MILLION
            entrants.append(Entrant(f"player {len(entrants)}", scores.tolist(), failed))
        wrong += any(row.plays_better_than for row in round_table(entrants, GUESS_LIMIT))
    print(f"rounds in which anybody plays better than an equal: {wrong / trials:.2%} of {trials:,}")
    assert wrong / trials <= 0.065


def adjusted_scores(strategy):
    """Return the luck-adjusted score against every secret, with the curve of the ladder `classic`."""
    curve, live_sets, choose = load_value_curve(RULES, GUESS_LIMIT), LiveSets(), seeded_choice(strategy, 0)
    scores = []
    for secret in product(range(RULES.colors), repeat=RULES.pegs):
        turns = play_turns(choose, Fixed(secret), Position(RULES, (), live_sets))
        scores.append(adjusted_score(RULES, [Turn(each.guess, each.feedback) for each in turns], curve, live_sets))
    return np.array(scores)


@trials_of
def test_two_hundred_games_separate_minimax_and_entropy(trials):
    """Of twenty names, ten play each strategy; the share of rounds in which the first of each are told apart."""
    rng, scores = np.random.default_rng(12), {name: adjusted_scores(STRATEGIES[name]()) for name in NAMES}
    apart = 0
    for _ in range(trials):
        entrants = [Entrant(f"{name} {i}", rng.choice(scores[name], 200)) for i in range(10) for name in NAMES]
        (row,) = (row for row in round_table(entrants, GUESS_LIMIT) if row.name == "entropy 0")
        apart += "minimax 0" in row.ahead_of
    print(f"rounds in which entropy is ahead of minimax: {apart / trials:.2%} of {trials:,}")
    assert apart / trials > 0.7


NAMES = ("entropy", "minimax")
