"""How many guesses codes or games took: the figures that everybody wants of such a distribution."""

from dataclasses import dataclass
from fractions import Fraction

from evilpegs_game.rules import Rules


@dataclass(frozen=True, slots=True)
class GuessCounts:
    """``distribution[i]`` of the codes or games took i + 1 guesses, the winning one included, and none took more."""

    rules: Rules
    distribution: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many codes or games there are."""
        return sum(self.distribution)

    @property
    def total(self) -> int:
        """All guesses together."""
        return sum(guesses * times for guesses, times in enumerate(self.distribution, 1))

    @property
    def max(self) -> int:
        """The guesses the worst one took."""
        return len(self.distribution)

    @property
    def exact_mean(self) -> Fraction:
        """Guesses a code or a game, exactly."""
        return Fraction(self.total, self.count)

    @property
    def mean(self) -> float:
        """Guesses a code or a game."""
        return float(self.exact_mean)
