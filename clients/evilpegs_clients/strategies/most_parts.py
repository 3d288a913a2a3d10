"""The strategy `most-parts`: make the number of different feedbacks as large as can be."""

from typing import ClassVar

from evilpegs_clients.strategies.by_criterion import ByCriterion
from evilpegs_game.criteria import MOST_PARTS, Criterion


class MostParts(ByCriterion):
    """Takes the guess that can get most different feedbacks, however uneven their parts.

    Barteld Kooi's of 2005: the best mean of these simple measures on 4x6, where it opens with 1123.
    """

    __slots__ = ()
    criterion: ClassVar[Criterion] = MOST_PARTS
