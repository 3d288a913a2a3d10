"""What all strategies have in common that take the best guess under one criterion.

The strategy `minimax`: make the largest part as small as can be.

The strategy `expected-size`: make the expected number of remaining candidates as small as can be.

The strategy `entropy`: learn as much as can be from the feedback.

The strategy `most-parts`: make the number of different feedbacks as large as can be.

The strategy `lexicographic`: minimax that goes on to the second largest part, the third, and so on.
"""

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from evilpegs_game.codes import Code
from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, LEXICOGRAPHIC, MINIMAX, MOST_PARTS, Criterion
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.position import Position


@dataclass(frozen=True, slots=True)
class ByCriterion:
    """The best guess under ``criterion``, among all codes or with ``candidates_only`` among the candidates.

    Subclasses name the criterion. Ties and the end game are `evilpegs_game.guessing.selection`'s.
    """

    criterion: ClassVar[Criterion]
    uses_rng: ClassVar[bool] = False
    candidates_only: bool = False

    @property
    def name(self) -> str:
        """The criterion's name."""
        return self.criterion.name

    def choose(self, position: Position, rng: Random) -> Code:  # noqa: ARG002
        """The best guess; raises OverBudgetError and TooLargeError as `best_guess` does."""
        return best_guess(position, self.criterion, self.candidates_only)


class Minimax(ByCriterion):
    """Guards against the worst feedback.

    Donald E. Knuth's of 1976: on 4x6 it opens with 1122 and never needs more than five guesses.
    """

    __slots__ = ()
    criterion: ClassVar[Criterion] = MINIMAX


class ExpectedSize(ByCriterion):
    """Leaves the fewest candidates on average, each secret being as likely as any other.

    Robert W. Irving's of 1978: on 4x6 it opens with 1123.
    """

    __slots__ = ()
    criterion: ClassVar[Criterion] = EXPECTED_SIZE


class Entropy(ByCriterion):
    """Takes the guess whose feedback carries most information, in bits, on average.

    Erich Neuwirth's of 1982: on 4x6 it opens with 1234.
    """

    __slots__ = ()
    criterion: ClassVar[Criterion] = ENTROPY


class MostParts(ByCriterion):
    """Takes the guess that can get most different feedbacks, however uneven their parts.

    Barteld Kooi's of 2005: the best mean of these simple measures on 4x6, where it opens with 1123.
    """

    __slots__ = ()
    criterion: ClassVar[Criterion] = MOST_PARTS


class Lexicographic(ByCriterion):
    """Guards against the worst feedback, then against the second worst, to the end.

    A natural refinement of minimax: where that sees a tie, most guesses still differ in their smaller parts.
    """

    __slots__ = ()
    criterion: ClassVar[Criterion] = LEXICOGRAPHIC
