"""The number of pairs of games in a comparison, and a progress bar for it."""

from types import TracebackType
from typing import Self

from rich.console import Console

from evilpegs.output import progress
from evilpegs_clients.contest.paired_games import PairedGames, PairScores
from evilpegs_clients.contest.sequential_test import BOUND, SequentialTest


class PairCount:
    """A count of pairs of games, and the test of the differences between their scores.

    ``first`` and ``second`` are the sums of the scores of each strategy. During a `with` block, a progress bar is
    shown.
    """

    def __init__(self, test: SequentialTest, max_pairs: int, err: Console) -> None:
        self.test = test
        self.first = self.second = 0.0
        self._max_pairs = max_pairs
        self._bar = progress(err)
        self._task = self._bar.add_task("pairs of games", total=max_pairs)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._bar.stop()

    @property
    def wants_more(self) -> bool:
        """True until the test has decided or ``max_pairs`` pairs are counted."""
        return self.test.verdict is None and self.test.pairs < self._max_pairs

    def play(self, games: PairedGames) -> None:
        """Play and count pairs without a server until `wants_more` is False."""
        while self.wants_more:
            self.add(games.play(self.test.pairs))

    def add(self, scores: PairScores) -> bool:
        """Count a pair of games, and return True if more are wanted."""
        self.test.add(scores.second - scores.first)
        self.first += scores.first
        self.second += scores.second
        evidence = f"evidence {self.test.log_likelihood_ratio:+.2f} of {BOUND:.2f}"
        self._bar.update(self._task, advance=1, description=f"difference {self.test.mean:+.4f}, {evidence}")
        return self.wants_more
