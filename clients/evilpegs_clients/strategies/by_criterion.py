"""What all strategies have in common that take the best guess under one criterion."""

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from evilpegs_game.candidates import Position
from evilpegs_game.codes import Code
from evilpegs_game.criteria import Criterion
from evilpegs_game.selection import best_guess


@dataclass(frozen=True, slots=True)
class ByCriterion:
    """The best guess under ``criterion``, among all codes or with ``candidates_only`` among the candidates.

    Subclasses name the criterion. Ties and the end game are `evilpegs_game.selection`'s.
    """

    criterion: ClassVar[Criterion]
    uses_rng: ClassVar[bool] = False
    candidates_only: bool = False

    @property
    def name(self) -> str:
        """The criterion's name."""
        return self.criterion.name

    def choose(self, position: Position, rng: Random) -> Code:  # noqa: ARG002
        """The best guess; raises OverBudgetError and TooLargeError as `best_guess` does."""
        return best_guess(position, self.criterion, self.candidates_only)
