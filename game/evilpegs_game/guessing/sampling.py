"""A good guess with too many candidates to consider each: the best of some candidates drawn at random.

The idea to judge guesses by a sample is from L. Berghman, D. Goossens and R. Leus, Efficient solutions for Mastermind
using genetic algorithms (2009).
"""

from contextlib import suppress
from math import isqrt
from typing import Final

from evilpegs_game.codes import Code, to_columns
from evilpegs_game.errors import TooLargeError
from evilpegs_game.guessing.criteria import ENTROPY
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.position import Position
from evilpegs_game.partition import part_size_table
from evilpegs_game.random_source import RandomSource

MAX_SAMPLES: Final = 1000
DEFAULT_BUDGET: Final = 10**8
"""Feedback evaluations per guess without a budget; they take about a tenth of a second."""


def sampled_guess(position: Position, rng: RandomSource, candidates_only: bool = False) -> Code:
    """Draw candidates and return the one whose feedback has the most entropy among the drawn ones.

    At most `MAX_SAMPLES` are drawn, so few that comparing each with every other keeps within the budget. If all
    candidates can be compared, nothing is drawn: the result is the guess with the most entropy over all candidates. It
    is taken from all codes if the budget suffices and ``candidates_only`` is False, otherwise from the candidates.

    Raises ContradictionError, or TooLargeError if the codes cannot be counted within the bounds.
    """
    count = position.count
    if count <= 2:
        return position.first_candidate
    budget = DEFAULT_BUDGET if position.budget is None else position.budget
    size = max(1, min(count, MAX_SAMPLES, isqrt(budget)))
    if size == count:
        with suppress(TooLargeError):  # listing them can exceed the limits even if they are few
            return best_guess(position, ENTROPY, candidates_only or count * position.rules.size > budget)
    samples = sorted(set(position.sample(rng, size)))
    columns = to_columns(samples)
    return samples[int(ENTROPY.best(part_size_table(columns, columns))[0])]
