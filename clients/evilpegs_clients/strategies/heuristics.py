"""The heuristic strategies, which judge a guess by its part sizes.

* `minimax`: the smallest largest part.
* `expected-size`: the smallest expected number of remaining candidates.
* `entropy`: the most information from the feedback.
* `most-parts`: the most different feedbacks.
* `lexicographic`: the smallest largest part, then the smallest second largest, and so on.
* `two-ply`: the fewest further guesses, estimated from the parts of this guess and of the next.
"""

from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from evilpegs_game.codes import Code
from evilpegs_game.errors import TooLargeError
from evilpegs_game.guessing import criteria
from evilpegs_game.guessing.search import LISTED
from evilpegs_game.guessing.selection import DEFAULT_BUDGET, best_guess, sampled_guess
from evilpegs_game.live.live_sets import DEFAULT_BYTES, LiveSets
from evilpegs_game.live.position import Position


@dataclass(frozen=True, slots=True)
class CriterionStrategy:
    """A strategy that takes the best guess under ``criterion``, which subclasses set.

    The guess is chosen among all codes, or with ``candidates_only`` among the candidates. Ties go to a candidate, then
    to the first guess in code order. With at most two candidates left, the first of them is guessed.
    """

    criterion: ClassVar[criteria.Criterion]
    uses_rng: ClassVar[bool] = False
    candidates_only: bool = False

    @property
    def name(self) -> str:
        """The name of the criterion."""
        return self.criterion.name

    def choose(self, position: Position, rng: Random) -> Code:  # noqa: ARG002
        """Choose the best guess at ``position``.

        Raises:
            OverBudgetError: the choice takes more feedback evaluations than the budget of ``position``.
            TooLargeError: the candidates do not fit in memory, or there are too many codes to try each.
        """
        return best_guess(position, self.criterion, self.candidates_only)


class Minimax(CriterionStrategy):
    """A strategy that makes the largest part as small as possible.

    Source: D. E. Knuth, The computer as Master Mind, J. of Recreational Mathematics 9 (1976). On 4x6 its first guess is
    1122, and it never needs more than five guesses.
    """

    criterion: ClassVar[criteria.Criterion] = criteria.MINIMAX


class ExpectedSize(CriterionStrategy):
    """A strategy that makes the average number of candidates left, over all possible secrets, as small as possible.

    Source: R. W. Irving, Towards an optimum Mastermind strategy, J. of Recreational Mathematics 11 (1978). On 4x6 its
    first guess is 1123.
    """

    criterion: ClassVar[criteria.Criterion] = criteria.EXPECTED_SIZE


class Entropy(CriterionStrategy):
    """A strategy that maximizes the expected information of the feedback, in bits.

    Source: E. Neuwirth, Some strategies for Mastermind, Zeitschrift für Operations Research 26 (1982). On 4x6 its first
    guess is 1234.
    """

    criterion: ClassVar[criteria.Criterion] = criteria.ENTROPY


class MostParts(CriterionStrategy):
    """A strategy that maximizes the number of possible feedbacks, without regard to how many candidates each leaves.

    Source: B. Kooi, Yet another Mastermind strategy, ICGA Journal 28 (2005). On 4x6 it needs the fewest guesses on
    average of all in this module but `TwoPly`, and its first guess is 1123.
    """

    criterion: ClassVar[criteria.Criterion] = criteria.MOST_PARTS


class Lexicographic(CriterionStrategy):
    """A strategy that makes the largest part as small as possible, then the second largest, and so on.

    Source: none known; it refines minimax, because guesses with equal largest parts mostly differ in smaller ones.
    """

    criterion: ClassVar[criteria.Criterion] = criteria.LEXICOGRAPHIC


class TwoPly(CriterionStrategy):
    """A strategy that estimates the further guesses after each guess, two guesses deep, and needs the fewest.

    Source: none known; the second guess is what chess programs call a ply. On 4x6 its first guess is 1123. On rules
    whose codes do not fit in memory it guesses candidates: the best of few, and of many the best of those drawn like
    `sampled`, but with the same draws in every game.
    """

    criterion: ClassVar[criteria.Criterion] = criteria.TWO_PLY

    def choose(self, position: Position, rng: Random) -> Code:  # noqa: ARG002
        """Choose as `CriterionStrategy.choose`; where codes do not fit in memory, draw within the budget instead."""
        if LiveSets.bytes_needed(position.rules) <= DEFAULT_BYTES:
            return best_guess(position, self.criterion, self.candidates_only)
        budget = DEFAULT_BUDGET if position.budget is None else position.budget
        if (LISTED + 1) * position.count**2 <= budget:
            with suppress(TooLargeError):
                return best_guess(position, self.criterion, candidates_only=True)
        return sampled_guess(position, Random(0))  # noqa: S311 - no secret
