"""Pairs of games from matches that two strategies play on a server; the two games of a pair have different secrets."""

from collections import deque
from collections.abc import Iterator

from evilpegs_clients.bot.summary import MatchSummary
from evilpegs_clients.contest.paired_games import PairScores, score_game
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.luck.value_curve import load_value_curve
from evilpegs_game.rules import Rules
from evilpegs_protocol.server_messages import LadderInfo


class ServerPairs:
    """The scores of two strategies on one ladder, paired in the order of play, computed as for the leaderboard.

    ``curve`` is None, and nothing is adjusted, if the ladder's rules and guess limit have no built-in value curve. A
    game that was lost on time, or resigned because the strategy failed, scores the guess limit + 1 before adjustment.
    """

    def __init__(self, ladder: LadderInfo) -> None:
        self._ladder = ladder
        self._rules = Rules.parse(ladder.rules)
        self.curve = load_value_curve(self._rules, ladder.guess_limit)
        self._live_sets = LiveSets()
        self._waiting: tuple[deque[float], deque[float]] = (deque(), deque())

    def add(self, side: int, match: MatchSummary) -> None:
        """Add the games of strategy 0 or 1; ignore a match on another ladder. Raises GameError as `score_game` does."""
        if match.ladder != self._ladder.id:
            return
        limit = self._ladder.guess_limit
        scores = (score_game(self._rules, game.history, limit, self.curve, self._live_sets) for game in match.games)
        self._waiting[side].extend(scores)

    def take(self) -> Iterator[PairScores]:
        """Yield and remove each complete pair, oldest first."""
        first, second = self._waiting
        while first and second:
            yield PairScores(first.popleft(), second.popleft())
