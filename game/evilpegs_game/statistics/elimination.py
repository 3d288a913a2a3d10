"""Several strategies on the same secrets, of which those that are shown to be worse are dropped early.

Each two have an interval of the difference of their means that holds however often one looks. Together the intervals of
all pairs err with a probability of at most `ERROR`, because each gets an equal share of it. A strategy is dropped when
an interval shows that another one in play is better. So as long as no interval errs, the best is never dropped and
whatever is dropped is worse: to drop early costs no confidence.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from evilpegs_game.statistics.confidence_sequences import asymptotic_half_width

FIRST_GAMES: Final = 50
"""Games before any strategy is dropped: the intervals rely on the measured variance."""
ERROR: Final = 0.05


class Elimination:
    """``left`` are the numbers of the strategies in play, ``games`` how many each has played.

    The variance of a difference is taken as at least ``margin``, so that two that rarely differ are not told apart by
    the first difference.
    """

    def __init__(self, strategies: int, margin: float) -> None:
        self.left = list(range(strategies))
        self.games = [0] * strategies
        self._margin = margin
        self._level = ERROR / (strategies * (strategies - 1) / 2)
        self._totals = np.zeros(strategies)
        self._sums, self._squares = np.zeros((2, strategies, strategies))

    def add(self, scores: Sequence[float]) -> None:
        """Add the scores of a game of each in ``left``, in this order, and drop those that are shown to be worse."""
        own, pairs = np.array(scores), np.ix_(self.left, self.left)
        differences = own[:, None] - own
        self._totals[self.left] += own
        self._sums[pairs] += differences
        self._squares[pairs] += differences**2
        for each in self.left:
            self.games[each] += 1
        if self.games[self.left[0]] >= FIRST_GAMES:
            worse = [each for each in self.left if any(self.interval(each, other)[0] > 0 for other in self.left)]
            self.left = [each for each in self.left if each not in worse]

    def mean(self, strategy: int) -> float:
        return float(self._totals[strategy] / self.games[strategy])

    @property
    def leader(self) -> int:
        return min(self.left, key=self.mean)

    @property
    def is_decided(self) -> bool:
        """True if no other strategy can be better than the leader by the margin."""
        if self.games[self.left[0]] < FIRST_GAMES:
            return False
        leader = self.leader
        return all(each == leader or self.interval(each, leader)[0] > -self._margin for each in self.left)

    def interval(self, one: int, other: int) -> tuple[float, float]:
        """Return the interval of the mean of ``one`` minus that of ``other``, from the games that both played."""
        games = min(self.games[one], self.games[other])
        mean = self._sums[one, other] / games
        variance = max(self._margin, (self._squares[one, other] - games * mean**2) / (games - 1))
        # of scores with the deviation 1
        half = asymptotic_half_width(games, 0, games - 1, self._level) * float(np.sqrt(variance))
        return float(mean) - half, float(mean) + half
