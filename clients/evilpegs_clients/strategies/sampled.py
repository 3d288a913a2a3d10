"""The strategy `sampled`: entropy judged by samples, for games too large to look at every candidate."""

from contextlib import suppress
from dataclasses import dataclass
from math import isqrt
from random import Random
from typing import ClassVar, Final

from evilpegs_game.codes import Code, to_columns
from evilpegs_game.errors import TooLargeError
from evilpegs_game.guessing.criteria import ENTROPY
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.position import Position
from evilpegs_game.partition import part_size_table

MOST_SAMPLES: Final = 1000
USUAL_BUDGET: Final = 10**8
"""Feedback evaluations where nobody sets a budget: a tenth of a second or so."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """Draws candidates uniformly and guesses the one that best splits all that were drawn, by entropy.

    After L. Berghman, D. Goossens and R. Leus, Efficient solutions for Mastermind using genetic algorithms (2009), who
    judge guesses by a sample too. What it may draw follows from the budget: each sample is compared with each. Once so
    few candidates are left that all can be, nothing is left to chance: it plays as entropy does, and guesses any code
    if the budget allows to try all.
    """

    name: ClassVar[str] = "sampled"
    uses_rng: ClassVar[bool] = True
    candidates_only: bool = False

    def choose(self, position: Position, rng: Random) -> Code:
        """The best of the samples, or of all; the first candidate when at most two are left."""
        count = position.count
        if count <= 2:
            return position.first_candidate
        budget = USUAL_BUDGET if position.budget is None else position.budget
        many = max(1, min(count, MOST_SAMPLES, isqrt(budget)))
        if many == count:
            with suppress(TooLargeError):  # few as they are, to find them takes too much
                return best_guess(position, ENTROPY, self.candidates_only or count * position.rules.size > budget)
        drawn = sorted(set(position.sample(rng, many)))
        columns = to_columns(drawn)
        return drawn[int(ENTROPY.best(part_size_table(columns, columns))[0])]
