"""Ladders of equally strong players who try to look better than each other, each in one of several ways."""

import math

import numpy as np

from evilpegs_game.statistics.confidence_sequences import asymptotic_half_width, betting_intervals
from evilpegs_server.leaderboard.intervals import LEVEL, adjusted_interval
from evilpegs_server.leaderboard.leaderboard import Leaderboard
from evilpegs_server.leaderboard.tally import VersionTally
from support.score_sources import GUESS_LIMIT, MILLION

LATE_LOOKS = (100, 150, 200, 300, 500, 1_000, 2_000, 5_000)
EARLY_LOOKS = (20, 30, 50, 100, 200, 500, 1_000, 2_000)
HONEST, STOPPING, VERSIONS, NAMES = range(4)
"""The behaviors of a player.

Honest players play on. Others stop when their mean looks good, begin new versions of their client until it looks good,
or play once under a new name.
"""


class EqualPlayers:
    """A leaderboard of players whose games all have the same distribution of scores."""

    def __init__(self, source, rng, *, players, looks, adjusted=False, behaviors=(0, 1, 2, 3)):
        self.board = Leaderboard(guess_limit=GUESS_LIMIT, ranked_from=looks[0], adjusted=adjusted)
        self._source, self._rng, self._looks = source, rng, looks
        self._values = source.adjusted / MILLION if adjusted else source.scores
        self._deviation = math.sqrt(source.chances @ (self._values - source.mean) ** 2)
        self._behaviors = np.resize(behaviors, players)
        self._first_looks = np.where(self._behaviors == NAMES, np.arange(players) // 4 % len(looks), 0)
        self._versions = np.ones(players, dtype=int)
        self._games, self._totals = np.zeros(players), np.zeros(players)
        self._stopped = np.zeros(players, dtype=bool)
        self._order = 0

    def is_anybody_wholly_better(self):
        """Play all games, and return True if at any look one player was ranked wholly above another."""
        return any(self._is_separated(look) for look in range(len(self._looks)))

    def _is_separated(self, look):
        self._play(look)
        return any(row.rank is not None and row.rank > 1 for row in self.board.rows())

    def _play(self, look):
        more = self._looks[look] - (self._looks[look - 1] if look else 0)
        playing = ~self._stopped & (self._first_looks <= look)
        short = np.isin(self._behaviors, (VERSIONS, NAMES))
        for group, games in ((playing & short, self._looks[0]), (playing & ~short, more)):
            self._add_games(np.flatnonzero(group), games)
        errors = self._deviation / np.sqrt(np.maximum(self._games, 1))
        lucky = self._totals < self._games * (self._source.mean - errors)
        self._stopped |= playing & ((self._behaviors == NAMES) | (lucky & (self._behaviors != HONEST)))
        self._begin_versions(np.flatnonzero(playing & ~self._stopped & (self._behaviors == VERSIONS)))

    def _begin_versions(self, players):
        self._versions[players] += 1
        self._games[players] = self._totals[players] = 0

    def _add_games(self, players, games):
        drawn = self._source.draw(self._rng, games, len(players))
        self._games[players] += games
        self._totals[players] += drawn @ self._values
        histograms, sums = self._source.histograms(drawn).tolist(), self._source.luck_sums(drawn)
        for player, counts, luck in zip(players.tolist(), histograms, sums, strict=True):
            add_games(self.board, player, f"bot {self._versions[player]}", self._order, counts, luck)
            self._order += 1


def add_games(board, player, client, order, counts, luck=(0, 0, 0)):
    """Add a match of a player to ``board``.

    ``counts`` has the number of games with each score from 1 to the guess limit + 1. ``luck`` has the number, the sum
    and the sum of squares of the luck-adjusted scores.
    """
    board.set_player(player, f"p{player}")
    board.version(player, client).add_matches(1, order, order)
    for score, count in enumerate(counts, 1):
        if count:
            board.add_games(player, client, "solved" if score <= GUESS_LIMIT else "unsolved", score, count)
    board.version(player, client).add_luck(*luck)


def histories(source, rng, looks, players):
    """Yield, at each look, how often each player has drawn each pair of scores so far, as an array (players, pairs).

    The players draw independently of each other.
    """
    drawn = np.zeros((players, len(source.chances)), dtype=np.int64)
    for more in np.diff([0, *looks]).tolist():
        drawn += source.draw(rng, more, players)
        yield drawn


def betting_misses(source, rng, looks, players):
    """Return the fraction of players whose betting interval misses the true mean at one of the looks."""
    missed = np.zeros(players, dtype=bool)
    for drawn in histories(source, rng, looks, players):
        ends = betting_intervals(source.histograms(drawn), 1, GUESS_LIMIT + 1, LEVEL)
        missed |= (ends[:, 0] > source.mean) | (ends[:, 1] < source.mean)
    return float(missed.mean())


def adjusted_misses(source, rng, looks, players):
    """Return the fraction of players whose luck-adjusted interval misses the true mean at one of the looks.

    The intervals are computed as on a leaderboard.
    """
    missed = np.zeros(players, dtype=bool)
    mean = float(source.chances @ source.adjusted) / MILLION
    for drawn in histories(source, rng, looks, players):
        for player, sums in enumerate(source.luck_sums(drawn)):
            tally = VersionTally("bot 1")
            tally.add_luck(*sums)
            low, high = adjusted_interval(tally, GUESS_LIMIT, LEVEL)
            missed[player] |= not low <= mean <= high
    return float(missed.mean())


def asymptotic_misses(source, rng, looks, players):
    """Return two fractions of players whose asymptotic interval misses the true mean at one of the looks.

    The first is for luck-adjusted scores, the second for plain scores.
    """
    missed = np.zeros((2, players), dtype=bool)
    adjusted_mean = float(source.chances @ source.adjusted)
    for drawn in histories(source, rng, looks, players):
        missed[0] |= [not is_inside(sums, adjusted_mean) for sums in source.luck_sums(drawn)]
        missed[1] |= [not is_inside(sums, source.mean) for sums in score_sums(source.histograms(drawn))]
    adjusted, raw = missed.mean(axis=1).tolist()
    return adjusted, raw


def score_sums(counts):
    """Return the number, the sum and the sum of squares of the scores in each row of ``counts``."""
    scores = np.arange(1, counts.shape[1] + 1)
    return zip(counts.sum(axis=1).tolist(), (counts @ scores).tolist(), (counts @ scores**2).tolist(), strict=True)


def is_inside(sums, mean):
    """Return True if ``mean`` is in the asymptotic interval of scores.

    ``sums`` has the number, the sum and the sum of squares of the scores.
    """
    games, total, _ = sums
    return abs(total / games - mean) <= asymptotic_half_width(*sums, LEVEL)


def best_high_end(source, rng, looks, names, level):
    """Return the least upper end that the betting interval of any of ``names`` players has at one of the looks."""
    ends = [
        betting_intervals(source.histograms(drawn), 1, GUESS_LIMIT + 1, level)[:, 1].min()
        for drawn in histories(source, rng, looks, names)
    ]
    return min(ends)


def honest_counts(source, games):
    """Return the counts of scores of a player whose ``games`` games have the expected distribution."""
    shares = [source.chances[source.scores == score].sum() for score in range(1, GUESS_LIMIT + 2)]
    return [round(games * share) for share in shares]
