"""The strategy `entropy`: learn as much as can be from the feedback."""

from typing import ClassVar

from evilpegs_clients.strategies.by_criterion import ByCriterion
from evilpegs_game.criteria import ENTROPY, Criterion


class Entropy(ByCriterion):
    """Takes the guess whose feedback carries most information, in bits, on average.

    Erich Neuwirth's of 1982: on 4x6 it opens with 1234.
    """

    __slots__ = ()
    criterion: ClassVar[Criterion] = ENTROPY
