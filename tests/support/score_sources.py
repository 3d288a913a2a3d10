"""Exact distributions of scores on 4x6, over all secrets or over all ways in which an evil codemaker decides ties."""

import itertools
import math
from collections import Counter, defaultdict
from dataclasses import dataclass

import numpy as np

from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import seeded_choice
from evilpegs_game.feedback import feedback
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import tree_from_strategy

RULES = Rules(4, 6)
GUESS_LIMIT = 10
MILLION = 10**6


@dataclass(frozen=True)
class ScoreSource:
    """The distribution of pairs of a score and a luck-adjusted score.

    ``chances`` has the probability of each pair. ``adjusted`` is in millionths of a guess.
    """

    chances: np.ndarray
    scores: np.ndarray
    adjusted: np.ndarray

    @property
    def mean(self):
        """The mean score; the mean of the luck-adjusted scores is the same up to rounding."""
        return float(self.chances @ self.scores)

    def with_failures(self, share):
        """Return the source of a player who leaves the fraction ``share`` of the games before the last feedback."""
        lost = GUESS_LIMIT + 1 - self.scores
        return ScoreSource(
            np.concatenate([self.chances * (1 - share), self.chances * share]),
            np.concatenate([self.scores, self.scores + lost]),
            np.concatenate([self.adjusted, self.adjusted + lost * MILLION]),
        )

    def draw(self, rng, games, players):
        """Return how often each pair occurs in ``games`` games of each player, as an array (players, pairs)."""
        return rng.multinomial(games, self.chances, size=players)

    def histograms(self, drawn):
        """Return the counts of the scores 1 to limit + 1 of each player, as an array (players, limit + 1)."""
        columns = [drawn[:, self.scores == score].sum(axis=1) for score in range(1, GUESS_LIMIT + 2)]
        return np.stack(columns, axis=1)

    def luck_sums(self, drawn):
        """Return the number, the sum and the sum of squares of the luck-adjusted scores of each player."""
        total, squares = drawn @ self.adjusted, drawn @ self.adjusted**2
        return list(zip(drawn.sum(axis=1).tolist(), total.tolist(), squares.tolist(), strict=True))


def fixed_source(strategy):
    """Return the distribution of a strategy's scores over all secrets.

    Luck is computed exactly, with a plain value curve.
    """
    games = Counter(_games(_tree(strategy), list(itertools.product(range(6), repeat=4)), 1, 0.0))
    pairs = sorted(games)
    return _source([(score, adjusted, games[score, adjusted]) for score, adjusted in pairs])


def evil_source(strategy):
    """Return the distribution of a strategy's scores against an evil codemaker that draws among equally large parts."""
    chances = Counter()
    for score, chance in _evil_games(_tree(strategy), list(itertools.product(range(6), repeat=4)), 1, 1.0):
        chances[score] += chance
    return _source([(score, score * MILLION, chances[score]) for score in sorted(chances)])


def _source(rows):
    scores, adjusted, weights = map(np.array, zip(*rows, strict=True))
    return ScoreSource(weights / weights.sum(), scores, adjusted)


def _tree(strategy):
    return tree_from_strategy(seeded_choice(STRATEGIES[strategy](False), 0), RULES).root


def _value(size):
    """Estimate the number of guesses that ``size`` candidates still need; the scores are unbiased with any estimate."""
    return 1 + 3.45 * math.log(size) / math.log(RULES.size)


def _parts(node, codes):
    parts = defaultdict(list)
    for code in codes:
        parts[feedback(node.guess, code)].append(code)
    solved = parts.pop((RULES.pegs, 0), [])
    return solved, parts


def _games(node, codes, turn, luck):
    """Yield the score and the luck-adjusted score of each code; ``luck`` is the luck of the turns before."""
    solved, parts = _parts(node, codes)
    luck -= sum(len(part) * _value(len(part)) for part in parts.values()) / len(codes)
    for _ in solved:
        yield turn, round((turn - luck) * MILLION)
    for reply, part in parts.items():
        yield from _games(node.children[reply], part, turn + 1, luck + _value(len(part)))


def _evil_games(node, codes, turn, chance):
    """Yield the score and the probability of each game."""
    _, parts = _parts(node, codes)
    if not parts:
        yield turn, chance
        return
    largest = max(map(len, parts.values()))
    tied = [reply for reply, part in parts.items() if len(part) == largest]
    for reply in tied:
        yield from _evil_games(node.children[reply], parts[reply], turn + 1, chance / len(tied))
