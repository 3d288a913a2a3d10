"""Every game of a deterministic strategy: one per secret, which ends at the guess limit at the latest."""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Code
from evilpegs_game.feedback import History, Turn, all_black
from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, MINIMAX, MOST_PARTS
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import ValueCurve, game_luck, raw_score
from evilpegs_game.rules import Rules

Choose = Callable[[Position], Code]

QUESTIONS = ((0, 0, 1, 1), (2, 2, 3, 3), (4, 4, 5, 0), (1, 1, 1, 1))


def first_candidate(position):
    return position.first_candidate


def fixed_questions(position):
    """Choose four fixed codes whatever the feedback, so that most are not candidates, and then the first candidate."""
    return QUESTIONS[position.turn - 1] if position.turn <= len(QUESTIONS) else position.first_candidate


def repeats_guesses(position):
    """Choose each code twice, so that every second guess reveals nothing."""
    if position.turn % 2 == 0 and position.count > 1:
        return position.history[-1].guess
    return position.first_candidate


def best_under(criterion):
    return lambda position: best_guess(position, criterion)


GOOD_STRATEGIES = {criterion.name: best_under(criterion) for criterion in (MINIMAX, ENTROPY, EXPECTED_SIZE, MOST_PARTS)}
STRATEGIES: dict[str, Choose] = {
    **GOOD_STRATEGIES,
    "first candidate": first_candidate,
    "fixed questions": fixed_questions,
    "repeated guesses": repeats_guesses,
}


def all_games(choose: Choose, rules: Rules, guess_limit: int) -> Iterator[tuple[History, int]]:
    """Yield the history of the game of every secret, each with the number of secrets that lead to this history.

    Several secrets lead to one history if the guess limit ends the game before they are told apart.
    """
    waiting = [Position(rules, (), LiveSets())]
    while waiting:
        position = waiting.pop()
        guess = choose(position)
        for answer, child in position.split(guess).items():
            if answer == all_black(rules.pegs) or position.turn == guess_limit:
                yield (*position.history, Turn(guess, answer)), child.count
            else:
                waiting.append(child)


@cache
def scores(name: str, curve: ValueCurve, guess_limit: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the scores and the luck of a strategy's games, as two arrays with one element per secret.

    ``name`` is a key of `STRATEGIES`. If every game is solved, the secrets are in code order.
    """
    live_sets, rows = LiveSets(), []
    games = all_games(STRATEGIES[name], curve.rules, guess_limit)
    for turns, secrets in sorted(games, key=lambda game: game[0][-1].guess):
        row = raw_score(curve.rules, turns, guess_limit), game_luck(curve.rules, turns, curve, live_sets)
        rows += [row] * secrets
    raw, luck = zip(*rows, strict=True)
    return np.array(raw), np.array(luck)
