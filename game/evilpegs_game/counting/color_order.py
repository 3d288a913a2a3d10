"""The order in which a count adds the colors, chosen so that its tables stay small.

The rows of a table are distinguished by the scores that the guesses have so far. A guess without an added color has the
score 0, and a guess whose colors were all added has its feedback. Only the guesses in between multiply the rows.
"""

import numpy as np

from evilpegs_game.counting.layout import Index
from evilpegs_game.kernels import copy_into, kernel


def color_order(color_counts: Index, pegs: int) -> Index:
    """Return a greedy order of the colors, improved by moving single colors: int64 (colors,).

    A count adds colors from both ends of the order. ``color_counts``, int64 (guesses, colors), is how often each guess
    has each color.
    """
    order = _greedy_order(color_counts)
    _improve(color_counts, pegs, order)
    return order


@kernel
def _greedy_order(color_counts: Index) -> Index:
    guesses, colors = color_counts.shape
    order = np.arange(colors)
    touched = np.zeros(guesses, np.bool_)
    for index in range(colors):
        best, best_at = 1 << 30, index
        for at in range(index, colors):
            fresh = total = 0
            for guess in range(guesses):
                total += color_counts[guess, order[at]]
                if color_counts[guess, order[at]] and not touched[guess]:
                    fresh += 1
            # the fewest guesses that no earlier color is in; then the color that the guesses have most
            rank = (fresh << 20) - (total << 6) + order[at]
            if rank < best:
                best, best_at = rank, at
        order[index], order[best_at] = order[best_at], order[index]
        for guess in range(guesses):
            if color_counts[guess, order[index]]:
                touched[guess] = True
    return order


@kernel
def _improve(color_counts: Index, pegs: int, order: Index) -> None:
    best, improved = _estimate_rows(color_counts, pegs, order, np.inf), True
    other = np.empty_like(order)
    while improved:
        improved = False
        for source in range(order.size):
            for target in range(order.size):
                _move(order, source, target, other)
                rows = _estimate_rows(color_counts, pegs, other, best)
                if rows < best:
                    best, improved = rows, True
                    copy_into(order, other)


@kernel
def _estimate_rows(color_counts: Index, pegs: int, order: Index, limit: float) -> float:
    done = np.zeros(color_counts.shape[0], np.int64)
    total = 0.0
    for index in range(order.size - 1):
        ways = 1.0
        for guess in range(done.size):
            done[guess] += color_counts[guess, order[index]]
            # a guess has few possible scores while few of its pegs, or nearly all, have an added color
            ways *= 1 + 2 * min(done[guess], pegs - done[guess])
        total += ways
        if total >= limit:
            break
    return total


@kernel
def _move(order: Index, source: int, target: int, result: Index) -> None:
    left = 0
    for index in range(order.size):
        if index == target:
            result[index] = order[source]
            continue
        if left == source:
            left += 1
        result[index] = order[left]
        left += 1
