"""Calibration: the knots of a value curve, from the games of a good strategy.

A *visit* is one secret at one turn. The value at a knot is the mean number of further guesses, the next one included,
over all visits to positions with about as many candidates.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import exp, log
from typing import Final

from evilpegs_game.codemakers.codemaker import Fixed
from evilpegs_game.codes import Code
from evilpegs_game.evaluation.exact import ChooseGuess, play_turns, walk_tree
from evilpegs_game.feedback import History
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import MILLION, Knot
from evilpegs_game.rules import Rules

GRID_RATIO: Final = 2**0.5
"""The ratio of neighboring numbers of candidates in the grid by which visits are pooled."""
MIN_VISITS: Final = 100  # with fewer, the value of a knot would be off by more than a tenth of a guess

Remaining = dict[int, tuple[int, int]]
"""From a number of candidates to the number of visits, and the sum of the guesses from each visit on."""

_Visits = tuple[int, int, int]  # candidates, visits, and the sum of the guesses from each visit on


def remaining_of_secrets(choose: ChooseGuess, rules: Rules, progress: Callable[[int], None] | None = None) -> Remaining:
    """Play a strategy against every secret of ``rules`` and sum its further guesses by number of candidates.

    ``progress`` is called with the number of secrets finished so far. Raises StuckError if the strategy repeats guesses
    that exclude no candidate.
    """
    counts: list[tuple[History, int]] = []
    finished = 0
    for node in walk_tree(choose, Position(rules, (), LiveSets())):
        counts.append((node.position.history, node.position.count))
        if node.is_solved:
            finished += 1
            if progress:
                progress(finished)
    remaining: Remaining = {}
    below: Counter[History] = Counter()
    for history, count in reversed(counts):  # so that all positions after one come before it
        total = count + below.pop(history, 0)
        _add(remaining, count, count, total)
        below[history[:-1]] += total
    return remaining


def remaining_of_games(games: Iterable[tuple[ChooseGuess, Code]], rules: Rules) -> Remaining:
    """Play games, each of a strategy and a secret, and sum their further guesses by number of candidates.

    Raises StuckError if a strategy repeats guesses that exclude no candidate.
    """
    remaining: Remaining = {}
    live_sets = LiveSets()
    for choose, secret in games:
        turns = tuple(play_turns(choose, Fixed(secret), Position(rules, (), live_sets)))
        sizes = [rules.size, *(turn.candidates_left for turn in turns[:-1])]
        for index, size in enumerate(sizes):
            _add(remaining, size, 1, len(turns) - index)
    return remaining


def fit_knots(remaining: Mapping[int, tuple[int, int]], rules: Rules) -> tuple[Knot, ...]:
    """Return the knots of a value curve, in increasing order from one candidate to all codes of ``rules``.

    Visits are pooled at the nearest number of candidates on a geometric grid, and neighboring pools are joined until
    each but the last has at least `MIN_VISITS` visits. The knot of a pool is at the geometric mean of its numbers of
    candidates. Neighboring values that would decrease are replaced by their mean (isotonic regression by pooling
    adjacent violators).
    """
    middle = [_pooled(pool) for pool in _pools(remaining, rules)]
    visits, total = remaining[rules.size]
    rows = [(1, 1, 1.0), *middle, *([(rules.size, visits, total / visits)] if rules.size > 1 else [])]
    values = _isotonic([mean for _, _, mean in rows], [weight for _, weight, _ in rows])
    knots = [(size, max(MILLION, round(value * MILLION))) for (size, _, _), value in zip(rows, values, strict=True)]
    return ((1, MILLION), *knots[1:])


def _pools(remaining: Mapping[int, tuple[int, int]], rules: Rules) -> list[list[_Visits]]:
    grid: dict[int, list[_Visits]] = {}
    for size, (visits, total) in sorted(remaining.items()):
        if 1 < size < rules.size:
            grid.setdefault(round(log(size) / log(GRID_RATIO)), []).append((size, visits, total))
    pools: list[list[_Visits]] = []
    for _, pool in sorted(grid.items()):
        if pools and sum(visits for _, visits, _ in pools[-1]) < MIN_VISITS:
            pools[-1] += pool
        else:
            pools.append(pool)
    return pools


def _pooled(pool: Sequence[_Visits]) -> tuple[int, int, float]:
    visits = sum(each for _, each, _ in pool)
    mean_log = sum(each * log(size) for size, each, _ in pool) / visits
    return round(exp(mean_log)), visits, sum(total for _, _, total in pool) / visits


def _isotonic(values: Sequence[float], weights: Sequence[int]) -> list[float]:
    # the sequence that never decreases and has the least sum of weighted squared distances to ``values``
    blocks: list[tuple[float, int, int]] = []
    for value, weight in zip(values, weights, strict=True):
        blocks.append((value, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (one, first, before), (two, second, after) = blocks[-2:]
            mean = (one * first + two * second) / (first + second)
            blocks[-2:] = [(mean, first + second, before + after)]
    return [value for value, _, length in blocks for _ in range(length)]


def _add(remaining: Remaining, size: int, visits: int, total: int) -> None:
    before_visits, before_total = remaining.get(size, (0, 0))
    remaining[size] = before_visits + visits, before_total + total
