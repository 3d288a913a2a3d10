"""The order in which a count adds the colors, chosen so that its tables stay small.

Rows are distinguished by the scores of the guesses so far. A guess none of whose colors was added has score 0, and one
whose colors were all added has its feedback; only the guesses in between multiply the rows.
"""

import numpy as np

from evilpegs_game.compiled import copy_into, kernel
from evilpegs_game.counting.layout import Index


def color_order(color_counts: Index, pegs: int) -> Index:
    """Return the colors in an order that keeps few guesses partially scored, from either end: int64 (colors,).

    A greedy order is improved by moving single colors. ``color_counts``, int64 (guesses, colors), is how often each
    guess has each color.
    """
    order = _greedy_order(color_counts)
    _improve(color_counts, pegs, order)
    return order


@kernel
def _greedy_order(color_counts: Index) -> Index:
    """Take next the color that occurs in the fewest guesses without an earlier color; break ties by most pegs."""
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
    """Move single colors within ``order``, in place, for as long as that lowers `_estimate_rows`."""
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
    """Estimate the rows of all tables: the number of score combinations after each color, summed up to ``limit``.

    A guess has few possible scores while the colors of few of its pegs, or of nearly all, were added.
    """
    done = np.zeros(color_counts.shape[0], np.int64)
    total = 0.0
    for index in range(order.size - 1):
        ways = 1.0
        for guess in range(done.size):
            done[guess] += color_counts[guess, order[index]]
            ways *= 1 + 2 * min(done[guess], pegs - done[guess])
        total += ways
        if total >= limit:
            break
    return total


@kernel
def _move(order: Index, source: int, target: int, result: Index) -> None:
    """Write to ``result`` the order with the color at index ``source`` moved to index ``target``."""
    left = 0
    for index in range(order.size):
        if index == target:
            result[index] = order[source]
            continue
        if left == source:
            left += 1
        result[index] = order[left]
        left += 1
