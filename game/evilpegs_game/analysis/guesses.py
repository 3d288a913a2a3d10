"""The figures of a guess at a position, and the best guesses there, one per criterion."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, log2
from types import MappingProxyType
from typing import Any, Final, Literal

from evilpegs_game.codes import Code, format_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import all_black
from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, LEXICOGRAPHIC, MINIMAX, MOST_PARTS, Criterion
from evilpegs_game.guessing.selection import best_guess
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


CRITERIA: Final[Mapping[Criterion, Callable[[GuessFigures], Figure]]] = MappingProxyType(
    {
        MINIMAX: lambda figures: figures.largest_part,
        LEXICOGRAPHIC: lambda figures: figures.part_sizes,
        EXPECTED_SIZE: lambda figures: figures.expected_size,
        ENTROPY: lambda figures: figures.expected_bits,
        MOST_PARTS: lambda figures: figures.part_count,
    }
)
"""All criteria, in the order in which they are shown; their values are in candidates, parts or bits."""

Among = Literal["codes", "candidates"]


@dataclass(frozen=True, slots=True)
class BestGuesses:
    """The best guess under each criterion, in the order of `CRITERIA`, ``among`` the guesses compared."""

    among: Among
    guesses: tuple[tuple[Criterion, GuessFigures], ...]

    def figures_of(self, criterion: Criterion) -> GuessFigures:
        return next(figures for compared, figures in self.guesses if compared is criterion)

    def to_json(self, played: GuessFigures) -> list[dict[str, Any]]:
        """Return a JSON object per criterion: the best guess under it, its figure, and that of the guess ``played``."""
        return [
            {
                "criterion": criterion.name,
                "code": format_code(figures.guess),
                "figure": _plain(CRITERIA[criterion](figures)),
                "played": _plain(CRITERIA[criterion](played)),
            }
            for criterion, figures in self.guesses
        ]


def best_guesses(position: Position) -> BestGuesses | None:
    """Return the best guess at ``position`` under each criterion, or None if the budget does not suffice.

    The guesses are chosen among all codes or, if this would exceed ``position.budget``, among the candidates. Each
    criterion may use the whole budget.
    """
    count, budget = position.count, position.budget
    attempts: tuple[tuple[Among, int], ...] = (("codes", position.rules.size), ("candidates", count * count))
    for among, least_work in attempts:
        if count > 2 and budget is not None and least_work > budget:
            continue
        known: dict[Code, GuessFigures] = {}
        guesses = []
        try:
            for criterion in CRITERIA:
                guess = best_guess(position, criterion, candidates_only=among == "candidates")
                known[guess] = known.get(guess) or guess_figures(position, guess)
                guesses.append((criterion, known[guess]))
            return BestGuesses(among, tuple(guesses))
        except (OverBudgetError, TooLargeError):
            continue
    return None


def _plain(value: Figure) -> int | float | list[int]:
    if isinstance(value, tuple):
        return list(value)
    return float(value) if isinstance(value, Fraction) else value
