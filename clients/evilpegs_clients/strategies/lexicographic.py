"""The strategy `lexicographic`: minimax that goes on to the second largest part, the third, and so on."""

from typing import ClassVar

from evilpegs_clients.strategies.by_criterion import ByCriterion
from evilpegs_game.criteria import LEXICOGRAPHIC, Criterion


class Lexicographic(ByCriterion):
    """Guards against the worst feedback, then against the second worst, to the end.

    A natural refinement of minimax: where that sees a tie, most guesses still differ in their smaller parts.
    """

    __slots__ = ()
    criterion: ClassVar[Criterion] = LEXICOGRAPHIC
