"""The computation of hints: a good guess for a position, and the reason why it is good."""

from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from types import MappingProxyType
from typing import Final

from evilpegs_game.codemakers.codemaker import witness
from evilpegs_game.codes import Code, format_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.guessing.criteria import EXPECTED_SIZE
from evilpegs_game.guessing.sampling import sampled_guess
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.position import Position

HINT_BUDGET: Final = 1_000_000_000
"""The largest number of feedback evaluations that one hint may take, about one second."""
_SEED: Final = 0
"""The seed of all samples, so that the same position always gets the same hint."""


class ComparedGuesses(StrEnum):
    """The set of guesses with which the guess of a hint was compared."""

    CODES = "codes"
    """All codes of the rules."""
    CANDIDATES = "candidates"
    """All codes still possible."""
    SAMPLES = "samples"
    """Some of the codes still possible, drawn at random, because comparing all of them would exceed the budget."""
    NONE = "none"
    """No guesses, because even drawing codes needs too much memory. The hint is the first code still possible."""


@dataclass(frozen=True, slots=True)
class HintResult:
    """A hint: the good guess ``code``, and the reason ``why`` it is good.

    ``code`` is text such as ``1122``. ``why`` is the end of a sentence that begins with the code, such as ``is the only
    code still possible``. ``candidates`` is the number of codes still possible. ``compared`` names the guesses with
    which the code was compared.
    """

    code: str
    candidates: int
    why: str
    compared: ComparedGuesses = ComparedGuesses.CODES


_COMPARISONS: Final = MappingProxyType(
    {
        ComparedGuesses.CODES: "no other guess leaves fewer on average",
        ComparedGuesses.CANDIDATES: "none of the codes still possible leaves fewer on average",
        ComparedGuesses.SAMPLES: "it is the best of some codes drawn at random from those still possible",
        ComparedGuesses.NONE: "it is the first code still possible, because there are too many to compare",
    }
)
"""The last clause of a hint's reason, for each set of guesses with which the hint was compared."""


def find_hint(position: Position) -> HintResult:
    """Return a hint with the best guess among all codes, all candidates, or some candidates drawn at random.

    Candidates are the codes still possible. The guesses of one of these three sets are compared: the largest set for
    which ``position.budget``, a number of feedbacks that may be computed, is sufficient. The best guess among all codes
    or all candidates leaves the fewest candidates on average; among drawn candidates it is the one whose feedback has
    the most entropy. If even drawing candidates needs too much memory, the hint is the first candidate in code order.
    """
    guess, compared = _good_guess(position)
    count = position.count
    if count == 1:
        return HintResult(format_code(guess), 1, "is the only code still possible", compared)
    largest = max(position.parts(guess).values())
    why = f"leaves at most {largest:,} of the {count:,} codes still possible; {_COMPARISONS[compared]}"
    return HintResult(format_code(guess), count, why, compared)


def _good_guess(position: Position) -> tuple[Code, ComparedGuesses]:
    """Return a good guess for ``position`` and the set of guesses with which it was compared."""
    with suppress(OverBudgetError, TooLargeError):
        return best_guess(position, EXPECTED_SIZE), ComparedGuesses.CODES
    with suppress(TooLargeError):
        if position.budget is None or position.count**2 <= position.budget:
            return best_guess(position, EXPECTED_SIZE, candidates_only=True), ComparedGuesses.CANDIDATES
        return sampled_guess(position, Random(_SEED)), ComparedGuesses.SAMPLES  # noqa: S311 - no secret
    return witness(position), ComparedGuesses.NONE
