"""Every way to tell apart what ties: a tree whose levels choose a member of a *cell*, and whose leaves are images.

Two images that come out equal show a symmetry; what it carries into each other need not be tried twice.
"""

import numpy as np

from evilpegs_game.canonical.weights import STIR, Index, Weights, copy, mixed
from evilpegs_game.kernel import kernel

# What was compared (a tally): how many nodes are left to the search, how many images came out.
LEFT, _IMAGES = 0, 1
# Hashes (forms) of the first and of the least image.
_FIRST, _BEST = 0, 1
# What is known of a cell at some level: its size, the place of the next to try, whether the first image came by here.
_SIZE, _NEXT, _IS_FIRST, MEMBERS = 0, 1, 2, 3


@kernel
def open_cell(cell: Index, tied: Index, tally: Index) -> bool:
    """Begin to try the members of a cell; returns whether there are none, so that an image is complete."""
    tally[LEFT] -= 1
    cell[_SIZE], cell[_NEXT], cell[_IS_FIRST] = tied.size, 0, tally[_IMAGES] == 0
    for place in range(tied.size):
        cell[MEMBERS + place] = tied[place]
    return tied.size == 0


@kernel
def descend(stack: Weights, cells: Index, level: int, tally: Index, orbits: Index) -> int:
    """Mark the next member to try at the deepest level that has one; returns the level below, -1 if all is tried."""
    while level >= 0:
        cell = cells[level]
        place = cell[_NEXT]
        while place < cell[_SIZE] and cell[_IS_FIRST] and _is_covered(orbits, cell[MEMBERS:], place):
            place += 1
        if place < cell[_SIZE] and (place == 0 or tally[LEFT] > 0):
            chosen = cell[MEMBERS + place]
            cell[_NEXT] = place + 1
            copy(stack[level], stack[level + 1])
            stack[level + 1, chosen] = mixed(stack[level, chosen] + STIR)
            return level + 1
        level -= 1
    return level


@kernel
def first_path(cells: Index, level: int) -> int:
    """The deepest level, at most ``level``, that led to the first image too."""
    while level >= 0 and not cells[level, _IS_FIRST]:
        level -= 1
    return level


@kernel
def keep(weights: Weights, form: np.uint64, first: Weights, best: Weights, tally: Index, forms: Weights) -> bool:
    """Keep an image if it is the first, or the best so far; returns whether it is equal to the first but not it."""
    tally[_IMAGES] += 1
    if tally[_IMAGES] == 1:
        forms[_FIRST] = form
        copy(weights, first)
    if tally[_IMAGES] == 1 or form < forms[_BEST]:
        forms[_BEST] = form
        copy(weights, best)
    return bool(tally[_IMAGES] > 1 and form == forms[_FIRST])


@kernel
def _is_covered(orbits: Index, tied: Index, place: int) -> bool:
    """Whether a symmetry is known that carries one before ``place`` into the one there."""
    covered = False
    for earlier in range(place):
        covered |= orbits[tied[earlier]] == orbits[tied[place]]
    return covered


@kernel
def join_orbits(first: Weights, second: Weights, members: Index, orbits: Index) -> None:
    """Enter a symmetry: it carries each member into the one whose weight in the second image is its in the first.

    ``orbits``, int64, one a vertex, is equal for those that a known symmetry carries into each other.
    """
    for one in members:
        for other in members:
            if first[one] == second[other] and orbits[one] != orbits[other]:
                low, high = min(orbits[one], orbits[other]), max(orbits[one], orbits[other])
                for member in members:
                    if orbits[member] == high:
                        orbits[member] = low
