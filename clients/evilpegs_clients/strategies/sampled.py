"""The strategy `sampled`: entropy estimated from samples, for rules too large to consider every candidate."""

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

MAX_SAMPLES: Final = 1000
DEFAULT_BUDGET: Final = 10**8
"""The feedback evaluations per choice if the position has no budget; about a tenth of a second."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A strategy that draws candidates uniformly and guesses the one with the most entropy among them.

    After L. Berghman, D. Goossens and R. Leus, Efficient solutions for Mastermind using genetic algorithms (2009), who
    also judge guesses by a sample. The budget determines the number of samples, because each is compared with each.
    Once all candidates fit into the budget, the choice is no longer random: it is that of the strategy `entropy`, and
    it considers all codes as guesses if the budget suffices.
    """

    name: ClassVar[str] = "sampled"
    uses_rng: ClassVar[bool] = True
    candidates_only: bool = False

    def choose(self, position: Position, rng: Random) -> Code:
        """Choose the best of the samples, or of all candidates; the first candidate if at most two are left."""
        count = position.count
        if count <= 2:
            return position.first_candidate
        budget = DEFAULT_BUDGET if position.budget is None else position.budget
        size = max(1, min(count, MAX_SAMPLES, isqrt(budget)))
        if size == count:
            with suppress(TooLargeError):  # listing them can exceed the limits even if they are few
                return best_guess(position, ENTROPY, self.candidates_only or count * position.rules.size > budget)
        samples = sorted(set(position.sample(rng, size)))
        columns = to_columns(samples)
        return samples[int(ENTROPY.best(part_size_table(columns, columns))[0])]
