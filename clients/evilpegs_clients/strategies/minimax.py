"""The strategy `minimax`: make the largest part as small as can be."""

from typing import ClassVar

from evilpegs_clients.strategies.by_criterion import ByCriterion
from evilpegs_game.criteria import MINIMAX, Criterion


class Minimax(ByCriterion):
    """Guards against the worst feedback.

    Donald E. Knuth's of 1976: on 4x6 it opens with 1122 and never needs more than five guesses.
    """

    __slots__ = ()
    criterion: ClassVar[Criterion] = MINIMAX
