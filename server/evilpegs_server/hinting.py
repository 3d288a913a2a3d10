"""A good guess for a player who asks for one."""

from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from evilpegs_game.candidates import Position
from evilpegs_game.codemaker import witness
from evilpegs_game.codes import Code, format_code
from evilpegs_game.criteria import EXPECTED_SIZE
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.selection import best_guess

HINT_BUDGET: Final = 1_000_000_000
"""Feedback evaluations a hint may cost; about a second."""


class Compared(StrEnum):
    """The guesses that a hint was chosen from."""

    CODES = "codes"
    CANDIDATES = "candidates"
    NONE = "none"
    """Comparing guesses would exceed the budget: the first candidate is given."""


@dataclass(frozen=True, slots=True)
class HintAnswer:
    """A good guess, how many candidates there are, why the guess is good, and which guesses it was compared with."""

    code: str
    candidates: int
    why: str
    compared: Compared = Compared.CODES


_RESERVATIONS: Final = MappingProxyType(
    {
        Compared.CODES: "",
        Compared.CANDIDATES: "; only candidates were weighed",
        Compared.NONE: "; it is the first of too many to be weighed",
    }
)
"""What the reason of a hint ends with."""


def find_hint(position: Position) -> HintAnswer:
    """The best guess of all codes where they are few enough, else of the candidates, else the first candidate.

    The budget of ``position`` says how many are few enough.
    """
    guess, compared = _good_guess(position)
    if position.count == 1:
        return HintAnswer(format_code(guess), 1, "is the only candidate", compared)
    parts = position.parts(guess)
    why = f"splits {position.count:,} candidates into {len(parts)} parts, the largest {max(parts.values()):,}"
    return HintAnswer(format_code(guess), position.count, why + _RESERVATIONS[compared], compared)


def _good_guess(position: Position) -> tuple[Code, Compared]:
    """Return a guess and what it was compared with."""
    with suppress(OverBudgetError, TooLargeError):
        return best_guess(position, EXPECTED_SIZE), Compared.CODES
    with suppress(TooLargeError):
        if position.budget is None or position.count**2 <= position.budget:
            return best_guess(position, EXPECTED_SIZE, candidates_only=True), Compared.CANDIDATES
    return witness(position), Compared.NONE
