"""The strategies `first-consistent` and `random-consistent`, which only guess codes that could be the secret."""

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from evilpegs_game.codes import Code
from evilpegs_game.live.position import Position


@dataclass(frozen=True, slots=True)
class FirstConsistent:
    """A strategy that guesses the first candidate in code order; its first guess is the first code.

    ``candidates_only`` changes nothing. Source: E. Shapiro, Playing Mastermind logically, SIGART Newsletter 85 (1983).
    """

    name: ClassVar[str] = "first-consistent"
    uses_rng: ClassVar[bool] = False
    candidates_only: bool = False

    def choose(self, position: Position, rng: Random) -> Code:  # noqa: ARG002
        """Choose the first candidate in code order."""
        return position.first_candidate


@dataclass(frozen=True, slots=True)
class RandomConsistent:
    """A strategy that guesses a candidate, drawn uniformly.

    This is how a careful person plays without a pencil, and the usual baseline in the literature. ``candidates_only``
    changes nothing.
    """

    name: ClassVar[str] = "random-consistent"
    uses_rng: ClassVar[bool] = True
    candidates_only: bool = False

    def choose(self, position: Position, rng: Random) -> Code:
        """Choose a candidate uniformly, with one draw from ``rng``."""
        return position.sample(rng)[0]
