"""The strategy `sampled`: entropy judged by samples, for games too large to look at every candidate."""

from dataclasses import dataclass
from math import isqrt
from random import Random
from typing import ClassVar, Final

from evilpegs_game.candidates import Position
from evilpegs_game.codes import Code, to_columns
from evilpegs_game.criteria import ENTROPY
from evilpegs_game.partition import part_size_table

MOST_SAMPLES: Final = 1000
USUAL_BUDGET: Final = MOST_SAMPLES**2
"""Feedback evaluations where nobody sets a budget."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """Draws candidates uniformly and guesses the one that best splits all that were drawn, by entropy.

    After L. Berghman, D. Goossens and R. Leus, Efficient solutions for Mastermind using genetic algorithms (2009), who
    judge guesses by a sample too. It only ever guesses candidates, so ``candidates_only`` changes nothing. What it may
    draw follows from the budget: each sample is compared with each.
    """

    name: ClassVar[str] = "sampled"
    uses_rng: ClassVar[bool] = True
    candidates_only: bool = False

    def choose(self, position: Position, rng: Random) -> Code:
        """The best of the samples; the first candidate when at most two are left."""
        count = position.count
        if count <= 2:
            return position.first_candidate
        budget = USUAL_BUDGET if position.budget is None else position.budget
        many = max(1, min(count, MOST_SAMPLES, isqrt(budget)))
        drawn = sorted(set(position.sample(rng, many)))
        columns = to_columns(drawn)
        return drawn[int(ENTROPY.best(part_size_table(columns, columns))[0])]
