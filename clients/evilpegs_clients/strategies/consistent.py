"""The strategy `first-consistent`: the first code that could be the secret.

The strategy `random-consistent`: any code that could be the secret.
"""

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from evilpegs_game.codes import Code
from evilpegs_game.live.position import Position


@dataclass(frozen=True, slots=True)
class FirstConsistent:
    """Guesses the first candidate in code order, and opens with the first code of all.

    E. Shapiro's, Playing Mastermind logically (SIGART Newsletter 85, 1983). It only ever guesses
    candidates, so ``candidates_only`` changes nothing.
    """

    name: ClassVar[str] = "first-consistent"
    uses_rng: ClassVar[bool] = False
    candidates_only: bool = False

    def choose(self, position: Position, rng: Random) -> Code:  # noqa: ARG002
        """The first candidate."""
        return position.first_candidate


@dataclass(frozen=True, slots=True)
class RandomConsistent:
    """Guesses a candidate, each as likely as any other.

    What a careful person without pencil does, and the usual yardstick in the literature. It only ever
    guesses candidates, so ``candidates_only`` changes nothing.
    """

    name: ClassVar[str] = "random-consistent"
    uses_rng: ClassVar[bool] = True
    candidates_only: bool = False

    def choose(self, position: Position, rng: Random) -> Code:
        """A candidate drawn uniformly."""
        return position.sample(rng)[0]
