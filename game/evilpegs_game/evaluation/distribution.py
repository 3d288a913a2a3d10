from dataclasses import dataclass
from fractions import Fraction

from evilpegs_game.rules import Rules


@dataclass(frozen=True, slots=True)
class GuessCounts:
    """A distribution of guesses: ``distribution[i]`` codes or games took i + 1 guesses; the last entry is positive."""

    rules: Rules
    distribution: tuple[int, ...]

    @property
    def count(self) -> int:
        """The number of codes or games."""
        return sum(self.distribution)

    @property
    def total(self) -> int:
        """The sum of the guesses over all codes or games."""
        return sum(guesses * times for guesses, times in enumerate(self.distribution, 1))

    @property
    def max(self) -> int:
        """The guesses in the worst case."""
        return len(self.distribution)

    @property
    def exact_mean(self) -> Fraction:
        """The mean number of guesses as an exact fraction."""
        return Fraction(self.total, self.count)

    @property
    def mean(self) -> float:
        """The mean number of guesses per code or game."""
        return float(self.exact_mean)
