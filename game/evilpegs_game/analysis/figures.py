"""What the parts of a guess come to: how good a guess is, in the figures that people compare."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, log2
from types import MappingProxyType
from typing import Final

from evilpegs_game.codes import Code
from evilpegs_game.feedback import all_black
from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, LEXICOGRAPHIC, MINIMAX, MOST_PARTS, Criterion
from evilpegs_game.live.position import Position

Figure = int | float | Fraction | tuple[int, ...]
"""A number, or for the lexicographic criterion all part sizes."""


@dataclass(frozen=True, slots=True)
class GuessFigures:
    """A guess and the sizes of its non-empty parts, largest first; whether it is a candidate itself."""

    guess: Code
    is_candidate: bool
    sizes: tuple[int, ...]

    @property
    def candidates(self) -> int:
        """How many codes are divided."""
        return sum(self.sizes)

    @property
    def parts(self) -> int:
        """How many feedbacks are possible."""
        return len(self.sizes)

    @property
    def largest(self) -> int:
        """How many candidates are left at most."""
        return self.sizes[0]

    @property
    def expected_size(self) -> Fraction:
        """How many candidates are left on average, each being the secret as likely as any other."""
        return Fraction(sum(size * size for size in self.sizes), self.candidates)

    @property
    def bits(self) -> float:
        """How much the feedback tells on average, in bits: the entropy of the parts."""
        codes = self.candidates
        return fsum(size * log2(codes / size) for size in self.sizes) / codes


def guess_figures(position: Position, guess: Code) -> GuessFigures:
    """The figures of ``guess`` at ``position``; for rules of any size.

    Raises:
        ContradictionError, TooLargeError: as `Position.parts` does.
    """
    parts = position.parts(guess)
    sizes = tuple(sorted(parts.values(), reverse=True))
    return GuessFigures(guess, all_black(position.rules.pegs) in parts, sizes)


def figure(figures: GuessFigures, criterion: Criterion) -> Figure:
    """What ``criterion`` looks at, in the unit that people know it by."""
    return _FIGURES[criterion.name](figures)


CRITERIA: Final = (MINIMAX, LEXICOGRAPHIC, EXPECTED_SIZE, ENTROPY, MOST_PARTS)
"""All of them, in the order in which they are shown."""

_FIGURES: Final[Mapping[str, Callable[[GuessFigures], Figure]]] = MappingProxyType(
    {
        MINIMAX.name: lambda figures: figures.largest,
        LEXICOGRAPHIC.name: lambda figures: figures.sizes,
        EXPECTED_SIZE.name: lambda figures: figures.expected_size,
        ENTROPY.name: lambda figures: figures.bits,
        MOST_PARTS.name: lambda figures: figures.parts,
    }
)
