"""The strategies `first-consistent` and `random-consistent`, which only guess candidates, and `sampled`.

`sampled` estimates entropy from samples, for rules too large to consider every candidate.
"""

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from evilpegs_game.codes import Code
from evilpegs_game.guessing.selection import sampled_guess
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
        """Choose a candidate uniformly."""
        return position.sample(rng)[0]


@dataclass(frozen=True, slots=True)
class Sampled:
    """A strategy that draws candidates uniformly and guesses the drawn candidate with the highest entropy.

    At most 1000 candidates are drawn, and no more than the position's budget allows. If that is enough for all
    candidates, the choice is no longer random: it is that of `entropy`, among all codes if the budget suffices for
    them, else among the candidates. Where drawing many would take minutes, as on some turns of 12x14, one is drawn.
    `evilpegs_game.guessing.selection` names the source.
    """

    name: ClassVar[str] = "sampled"
    uses_rng: ClassVar[bool] = True
    candidates_only: bool = False

    def choose(self, position: Position, rng: Random) -> Code:
        """Choose the best of the candidates drawn with ``rng``; with at most two candidates left, choose the first."""
        return sampled_guess(position, rng, self.candidates_only)
