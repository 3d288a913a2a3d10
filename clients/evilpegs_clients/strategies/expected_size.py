"""The strategy `expected-size`: make the expected number of remaining candidates as small as can be."""

from typing import ClassVar

from evilpegs_clients.strategies.by_criterion import ByCriterion
from evilpegs_game.criteria import EXPECTED_SIZE, Criterion


class ExpectedSize(ByCriterion):
    """Leaves the fewest candidates on average, each secret being as likely as any other.

    Robert W. Irving's of 1978: on 4x6 it opens with 1123.
    """

    __slots__ = ()
    criterion: ClassVar[Criterion] = EXPECTED_SIZE
