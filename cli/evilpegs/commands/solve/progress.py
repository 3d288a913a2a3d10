"""Progress of a solver: the bounds on the number of guesses of the best strategy, printed as they tighten."""

from collections.abc import Callable
from typing import Final

from rich.console import Console

from evilpegs_game.optimal.first_guesses import Progress
from evilpegs_game.rules import Rules

PRINT_INTERVAL: Final = 0.5  # seconds


class BoundsProgress:
    """A printer of the bounds on the guesses of the best strategy, with a line per `PRINT_INTERVAL` at most."""

    def __init__(self, out: Console, rules: Rules, now: Callable[[], float]) -> None:
        self._out = out
        self._rules = rules
        self._now = now
        self._printed_at = now()
        self._printed: Progress | None = None
        self._latest: Progress | None = None

    def __call__(self, bounds: Progress) -> None:
        """Note the latest bounds, and print them unless the last line is too recent."""
        self._latest = bounds
        if self._now() - self._printed_at >= PRINT_INTERVAL:
            self.print_latest()

    def print_latest(self) -> None:
        """Print the latest bounds, unless the last line has them already."""
        self._printed_at = self._now()
        if self._latest and self._latest != self._printed:
            self._printed = self._latest
            self._out.print(f"{self._rules}: {_sentence(self._latest)}")


def _sentence(bounds: Progress) -> str:
    within = "" if bounds.within is None else f" within {bounds.within} guesses"
    if bounds.lower is None:
        return f"{bounds.within} guesses are not enough for every code"
    if bounds.upper is None:
        return f"at least {bounds.lower:,} guesses in all{within}"
    if bounds.lower >= bounds.upper:
        return f"{bounds.upper:,} guesses in all{within}, proved"
    return f"{bounds.lower:,} to {bounds.upper:,} guesses in all{within}"
