"""Hints: a good guess for a position, and the reason why it is good."""

from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from evilpegs_game.codes import Code, format_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.guessing.criteria import EXPECTED_SIZE
from evilpegs_game.guessing.selection import best_guess, sampled_guess
from evilpegs_game.live.position import Position

if TYPE_CHECKING:  # as in tasks
    from evilpegs_game.optimal.evil_search import Ties

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
# against evil
FEWEST_SURE: Final = "no other guess makes sure of fewer"


class HintResult(NamedTuple):
    """A hint; ``why`` is the end of a sentence that starts with ``code``."""

    code: str
    candidates: int
    why: str


def find_hint(position: Position, ties: "Ties | None" = None) -> HintResult:
    """Return the best of all codes, else of all candidates, else of drawn ones, as far as the budget suffices.

    Against evil with ``ties`` it is a guess that keeps par, if one is found.
    """
    guess, reason = (ties and _sure_guess(position, ties)) or _good_guess(position)
    count = position.count
    if count == 1:
        return HintResult(format_code(guess), 1, "is the only code still possible")
    largest = max(position.parts(guess).values())
    why = f"leaves at most {largest:,} of the {count:,} codes still possible; {reason}"
    return HintResult(format_code(guess), count, why)


def _sure_guess(position: Position, ties: "Ties") -> tuple[Code, str] | None:
    from evilpegs_game.analysis.par import ParJudge  # noqa: PLC0415 - as in tasks

    judge = ParJudge(position.rules, ties, position.budget or HINT_BUDGET)
    with suppress(OverBudgetError, TooLargeError):
        if kept := judge.keeping(position, 1):
            needed = judge.par(position).at_least
            return kept[0], f"with it you need at most {needed}, and {FEWEST_SURE}"
    return None


def _good_guess(position: Position) -> tuple[Code, str]:
    with suppress(OverBudgetError, TooLargeError):
        return best_guess(position, EXPECTED_SIZE), BEST_CODE
    with suppress(TooLargeError):
        if position.budget is None or position.count**2 <= position.budget:
            return best_guess(position, EXPECTED_SIZE, candidates_only=True), BEST_CANDIDATE
        return sampled_guess(position, Random(_SEED)), BEST_SAMPLE  # noqa: S311 - no secret
    return position.first_candidate, FIRST_CANDIDATE
