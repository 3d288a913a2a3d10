"""The bounds of a proof as they tighten, a line each time one does."""

from collections.abc import Callable
from typing import Final

from rich.console import Console

from evilpegs_game.optimal.first_guesses import Progress
from evilpegs_game.rules import Rules

TOLD_EVERY: Final = 0.5
"""Seconds between two lines at least."""


class BoundsProgress:
    """Tells ``out`` of bounds that changed, not too often; ``now`` says the time in seconds."""

    def __init__(self, out: Console, rules: Rules, now: Callable[[], float]) -> None:
        self._out = out
        self._rules = rules
        self._now = now
        self._told_at = now()
        self._told: Progress | None = None
        self._last: Progress | None = None

    def __call__(self, bounds: Progress) -> None:
        """Learn the bounds."""
        self._last = bounds
        if self._now() - self._told_at >= TOLD_EVERY:
            self.tell()

    def tell(self) -> None:
        """Tell what is known now, if it was not told."""
        self._told_at = self._now()
        if self._last and self._last != self._told:
            self._told = self._last
            self._out.print(f"{self._rules}: {_sentence(self._last)}")


def _sentence(bounds: Progress) -> str:
    within = "" if bounds.within is None else f" within {bounds.within} guesses"
    if bounds.lower is None:
        return f"{bounds.within} guesses are not enough for every code"
    if bounds.upper is None:
        return f"at least {bounds.lower:,} guesses in all{within}"
    if bounds.lower >= bounds.upper:
        return f"{bounds.upper:,} guesses in all{within}, proved"
    return f"{bounds.lower:,} to {bounds.upper:,} guesses in all{within}"
