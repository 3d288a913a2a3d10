"""Hints: a good guess for a player who asks for one, and the reason why it is good."""

from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from evilpegs_game.codemakers.codemaker import witness
from evilpegs_game.codes import Code, format_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.guessing.criteria import EXPECTED_SIZE
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.position import Position

HINT_BUDGET: Final = 1_000_000_000
"""Feedback evaluations that one hint may cost, about one second."""


class ComparedGuesses(StrEnum):
    """The guesses among which a hint was chosen."""

    CODES = "codes"
    CANDIDATES = "candidates"
    NONE = "none"
    """Comparing guesses would exceed the budget: the hint is the first candidate."""


@dataclass(frozen=True, slots=True)
class HintResult:
    """A good guess, the number of candidates, why the guess is good, and the guesses it was compared with."""

    code: str
    candidates: int
    why: str
    compared: ComparedGuesses = ComparedGuesses.CODES


_RESERVATIONS: Final = MappingProxyType(
    {
        ComparedGuesses.CODES: "",
        ComparedGuesses.CANDIDATES: "; only candidates were weighed",
        ComparedGuesses.NONE: "; it is the first of too many to be weighed",
    }
)
"""The end of a hint's reason."""


def find_hint(position: Position) -> HintResult:
    """Return the best guess of all codes, or of the candidates, or the first candidate.

    The budget of ``position`` decides which: more guesses are compared as long as that stays within the budget.
    """
    guess, compared = _good_guess(position)
    if position.count == 1:
        return HintResult(format_code(guess), 1, "is the only candidate", compared)
    parts = position.parts(guess)
    why = f"splits {position.count:,} candidates into {len(parts)} parts, the largest {max(parts.values()):,}"
    return HintResult(format_code(guess), position.count, why + _RESERVATIONS[compared], compared)


def _good_guess(position: Position) -> tuple[Code, ComparedGuesses]:
    """Return a guess and the guesses that it was compared with."""
    with suppress(OverBudgetError, TooLargeError):
        return best_guess(position, EXPECTED_SIZE), ComparedGuesses.CODES
    with suppress(TooLargeError):
        if position.budget is None or position.count**2 <= position.budget:
            return best_guess(position, EXPECTED_SIZE, candidates_only=True), ComparedGuesses.CANDIDATES
    return witness(position), ComparedGuesses.NONE
