"""The strategy `random-consistent`: any code that could be the secret."""

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from evilpegs_game.candidates import Position
from evilpegs_game.codes import Code


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
