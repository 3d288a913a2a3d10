"""The figures of a guess: how well it divides the candidates, in the units that people compare."""

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
"""The value of a criterion: a number, or all part sizes, largest first, for the lexicographic criterion."""


@dataclass(frozen=True, slots=True)
class GuessFigures:
    """A guess at a position and how it divides the candidates; part sizes are without zeros, largest first."""

    guess: Code
    is_candidate: bool
    part_sizes: tuple[int, ...]

    @property
    def candidate_count(self) -> int:
        """The number of candidates before the guess."""
        return sum(self.part_sizes)

    @property
    def part_count(self) -> int:
        return len(self.part_sizes)

    @property
    def largest_part(self) -> int:
        return self.part_sizes[0]

    @property
    def expected_size(self) -> Fraction:
        """The expected number of candidates left, if each is equally likely to be the secret."""
        return Fraction(sum(size * size for size in self.part_sizes), self.candidate_count)

    @property
    def expected_bits(self) -> float:
        """The expected information of the feedback: the entropy of the parts."""
        codes = self.candidate_count
        return fsum(size * log2(codes / size) for size in self.part_sizes) / codes


def guess_figures(position: Position, guess: Code) -> GuessFigures:
    """Return the figures of ``guess``, for rules of any size; raises ContradictionError and TooLargeError."""
    parts = position.parts(guess)
    sizes = tuple(sorted(parts.values(), reverse=True))
    return GuessFigures(guess, all_black(position.rules.pegs) in parts, sizes)


def figure(figures: GuessFigures, criterion: Criterion) -> Figure:
    """Return the value of ``criterion`` in its usual unit: candidates, parts or bits."""
    return _FIGURES[criterion.name](figures)


CRITERIA: Final = (MINIMAX, LEXICOGRAPHIC, EXPECTED_SIZE, ENTROPY, MOST_PARTS)
"""All criteria, in the order in which they are shown."""

_FIGURES: Final[Mapping[str, Callable[[GuessFigures], Figure]]] = MappingProxyType(
    {
        MINIMAX.name: lambda figures: figures.largest_part,
        LEXICOGRAPHIC.name: lambda figures: figures.part_sizes,
        EXPECTED_SIZE.name: lambda figures: figures.expected_size,
        ENTROPY.name: lambda figures: figures.expected_bits,
        MOST_PARTS.name: lambda figures: figures.part_count,
    }
)
