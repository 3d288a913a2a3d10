"""The order in which `parts` takes the colors: one that keeps its tables small.

Rows are told apart by what the guesses have got so far. A guess of which no color was taken has got nothing, one whose
colors are all done has its feedback; so few guesses should be half told at any time.
"""

import numpy as np

from evilpegs_game.compiled import kernel
from evilpegs_game.counting.layout import Index


def color_order(times: Index, pegs: int) -> Index:
    """The colors in an order that few guesses are half told in, from either end.

    First next the color that touches the fewest guesses not touched yet, of these the one that guesses have most
    often; then better by moving one color after another. ``times`` is int64 (guesses, colors).
    """
    order = _first_order(times)
    _improve(times, pegs, order)
    return order


@kernel
def _first_order(times: Index) -> Index:
    """Colors by how few guesses they touch that none before has touched, then by how often guesses have them."""
    guesses, colors = times.shape
    order = np.arange(colors)
    touched = np.zeros(guesses, np.bool_)
    for place in range(colors):
        best, best_at = 1 << 30, place
        for at in range(place, colors):
            fresh = total = 0
            for guess in range(guesses):
                total += times[guess, order[at]]
                if times[guess, order[at]] and not touched[guess]:
                    fresh += 1
            rank = (fresh << 20) - (total << 6) + order[at]
            if rank < best:
                best, best_at = rank, at
        order[place], order[best_at] = order[best_at], order[place]
        for guess in range(guesses):
            if times[guess, order[place]]:
                touched[guess] = True
    return order


@kernel
def _improve(times: Index, pegs: int, order: Index) -> None:
    """Move colors about in ``order``, in place, as long as that makes `_spread` smaller."""
    best, found = _spread(times, pegs, order, np.inf), True
    other = np.empty_like(order)
    while found:
        found = False
        for here in range(order.size):
            for there in range(order.size):
                _move(order, here, there, other)
                spread = _spread(times, pegs, other, best)
                if spread < best:
                    best, found = spread, True
                    order[:] = other


@kernel
def _spread(times: Index, pegs: int, order: Index, enough: float) -> float:
    """Roughly how many rows all tables have: in how many ways the guesses can stand, at each place of the order.

    A guess can stand in few ways while few of its pegs, or nearly all, have had their color; ``times`` is int64
    (guesses, colors). Summed only until it is ``enough``.
    """
    done = np.zeros(times.shape[0], np.int64)
    total = 0.0
    for place in range(order.size - 1):
        ways = 1.0
        for guess in range(done.size):
            done[guess] += times[guess, order[place]]
            ways *= 1 + 2 * min(done[guess], pegs - done[guess])
        total += ways
        if total >= enough:
            break
    return total


@kernel
def _move(order: Index, here: int, there: int, moved: Index) -> None:
    """``moved`` is the order with the color at ``here`` taken out and put in at ``there``."""
    left = 0
    for place in range(order.size):
        if place == there:
            moved[place] = order[here]
            continue
        if left == here:
            left += 1
        moved[place] = order[left]
        left += 1
