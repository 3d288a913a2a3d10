"""What a verification found wrong, and where."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that does not hold. ``game`` and ``turn`` are 0 where it concerns the whole match or game."""

    what: str
    game: int = 0
    turn: int = 0

    def __str__(self) -> str:
        places = [f"{name} {number}" for name, number in (("game", self.game), ("turn", self.turn)) if number]
        return f"{', '.join(places) or 'match'}: {self.what}"


@dataclass(frozen=True, slots=True)
class NotChecked(Finding):
    """One thing that could not be checked: it may hold or not."""
