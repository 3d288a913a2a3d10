"""Hints: a good guess for a position, and the reason why it is good."""

from contextlib import suppress
from random import Random
from typing import Final, NamedTuple

from evilpegs_game.codes import Code, format_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.guessing.criteria import EXPECTED_SIZE
from evilpegs_game.guessing.selection import best_guess, sampled_guess
from evilpegs_game.live.position import Position

# feedback evaluations, about one second
HINT_BUDGET: Final = 1_000_000_000
# fixed, so that the same position always gets the same hint
_SEED: Final = 0


# ends of reasons, which say with what the guess was compared
BEST_CODE: Final = "no other guess leaves fewer on average"
BEST_CANDIDATE: Final = "none of the codes still possible leaves fewer on average"
BEST_SAMPLE: Final = "it is the best of some codes drawn at random from those still possible"
# even drawing needs too much memory
FIRST_CANDIDATE: Final = "it is the first code still possible, because there are too many to compare"


class HintResult(NamedTuple):
    """A hint; ``why`` is the end of a sentence that starts with ``code``."""

    code: str
    candidates: int
    why: str


def find_hint(position: Position) -> HintResult:
    """Return the best of all codes, else of all candidates, else of drawn ones, as far as the budget suffices."""
    guess, reason = _good_guess(position)
    count = position.count
    if count == 1:
        return HintResult(format_code(guess), 1, "is the only code still possible")
    largest = max(position.parts(guess).values())
    why = f"leaves at most {largest:,} of the {count:,} codes still possible; {reason}"
    return HintResult(format_code(guess), count, why)


def _good_guess(position: Position) -> tuple[Code, str]:
    with suppress(OverBudgetError, TooLargeError):
        return best_guess(position, EXPECTED_SIZE), BEST_CODE
    with suppress(TooLargeError):
        if position.budget is None or position.count**2 <= position.budget:
            return best_guess(position, EXPECTED_SIZE, candidates_only=True), BEST_CANDIDATE
        return sampled_guess(position, Random(_SEED)), BEST_SAMPLE  # noqa: S311 - no secret
    return position.first_candidate, FIRST_CANDIDATE
