"""The search for the image of a history with the least hash: it orders the rows, then each component of colors.

Weights are refined until they distinguish no more vertices, and the search then gives every vertex a weight of its own.
In the order of these weights, an image numbers the colors and lists the rows of equal feedback.

A *cell* is a group of vertices with equal weights. Each level of the search tree chooses the member of a cell that gets
a weight of its own, and the leaves of the tree are images. Two equal images reveal a symmetry, and members that this
symmetry maps to each other need not both be tried: vertices of one *orbit* have equal numbers in ``orbits``. A *tally*
holds the number of nodes that the search may still visit, and the number of images found.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.kernels import GOLDEN, ZERO, copy_into, kernel, mix

Grid = NDArray[np.int64]
"""The vertex of the color at each peg of each row: shape (rows, pegs)."""
Index = NDArray[np.int64]
Weights = NDArray[np.uint64]
"""A hash, for each vertex, of all that distinguishes it so far."""

NONE: Final = np.uint64(0)
_MAX_NODES: Final = 200  # refined by one search; after that, only the first member of each cell is tried
# if more rows are tied, a choice among colors comes first, because it distinguishes more
_FEW_ROWS: Final = 2

# Fields of a tally: the number of nodes that the search may still visit, and the number of images found.
LEFT, _IMAGES = 0, 1
# Fields of the forms, which are hashes of images: of the first image, and of the least.
_FIRST, _BEST = 0, 1
# Fields of a cell: its size, the index of the next member to try, 1 if the first image lies below, the members.
_SIZE, _NEXT, _IS_FIRST, MEMBERS = 0, 1, 2, 3


@kernel
def used_vertices(grid: Grid, colors: int) -> Index:
    """Return the vertices of all rows and of the colors that occur in them, ascending."""
    rows = grid.shape[0]
    seen = np.zeros(rows + colors, np.bool_)
    for row in range(rows):
        seen[row] = True
        for peg in range(grid.shape[1]):
            seen[grid[row, peg]] = True
    return np.flatnonzero(seen)


@kernel
def hash_pegs(weights: Weights, grid: Grid, pegs: Index, hashes: Weights) -> np.uint64:
    """Write a hash of each of ``pegs`` to ``hashes``, indexed by peg; return a hash of these hashes.

    The hash of a peg covers each row's weight together with that of its color at the peg. The result does not depend on
    the order of the pegs.
    """
    total = NONE
    for index in range(pegs.size):
        peg = pegs[index]
        held = NONE
        for row in range(grid.shape[0]):
            held += mix(weights[row] ^ weights[grid[row, peg]])
        hashes[peg] = held
        total += mix(held)
    return total


@kernel
def count_classes(weights: Weights, vertices: Index) -> int:
    """Return the number of different weights among ``vertices``."""
    count = 0
    for index in range(vertices.size):
        fresh = 1
        for earlier in range(index):
            if weights[vertices[earlier]] == weights[vertices[index]]:
                fresh = 0
                break
        count += fresh
    return count


@kernel
def refine(weights: Weights, grid: Grid, pegs: Index, vertices: Index) -> None:
    """Refine ``weights`` in place until one more round distinguishes no more of ``vertices`` (color refinement).

    Each round mixes into a weight a hash of where its row or color occurs at ``pegs``.
    """
    hashes = np.empty(grid.shape[1], np.uint64)
    sums = np.empty(weights.size, np.uint64)
    known, before = count_classes(weights, vertices), 0
    while before < known < vertices.size:
        hash_pegs(weights, grid, pegs, hashes)
        for index in range(vertices.size):
            sums[vertices[index]] = NONE
        for index in range(pegs.size):
            peg = pegs[index]
            for row in range(grid.shape[0]):
                color = grid[row, peg]
                sums[color] += mix(hashes[peg] + weights[row])
                sums[row] += mix(hashes[peg] - weights[color])
        for index in range(vertices.size):
            vertex = vertices[index]
            weights[vertex] = mix(weights[vertex] + sums[vertex])
        before, known = known, count_classes(weights, vertices)


@kernel
def smallest_tie(weights: Weights, vertices: Index) -> Index:
    """Return the smallest group of equal weights, of several the one with the least weight; empty if all differ."""
    tied = np.empty(vertices.size, np.int64)
    least, fewest, size = NONE, vertices.size + 1, 0
    for index in range(vertices.size):
        weight = weights[vertices[index]]
        count = 0
        for other in range(vertices.size):
            count += weights[vertices[other]] == weight
        if count > 1 and (count < fewest or (count == fewest and weight < least)):
            least, fewest = weight, count
    for index in range(vertices.size):
        if fewest <= vertices.size and weights[vertices[index]] == least:
            tied[size] = vertices[index]
            size += 1
    return tied[:size]


@kernel
def open_cell(cell: Index, tied: Index, tally: Index) -> bool:
    """Make ``tied`` the members of ``cell``; return True if it is empty, so that an image is complete."""
    tally[LEFT] -= 1
    cell[_SIZE], cell[_NEXT], cell[_IS_FIRST] = tied.size, 0, tally[_IMAGES] == 0
    for index in range(tied.size):
        cell[MEMBERS + index] = tied[index]
    return tied.size == 0


@kernel
def descend(stack: Weights, cells: Index, level: int, tally: Index, orbits: Index) -> int:
    """Choose the next vertex of the deepest cell that has one left; return the level of its node, or -1 at the end.

    The weights of the cell's level are copied to the next level, where the chosen vertex gets a weight of its own. Once
    ``tally`` allows no more nodes, only the first member of a cell is tried. In the cells on the path to the first
    image, a member is left out if an earlier one is in its orbit.
    """
    while level >= 0:
        cell = cells[level]
        index = cell[_NEXT]
        while index < cell[_SIZE] and cell[_IS_FIRST] and _is_covered(orbits, cell[MEMBERS:], index):
            index += 1
        if index < cell[_SIZE] and (index == 0 or tally[LEFT] > 0):
            chosen = cell[MEMBERS + index]
            cell[_NEXT] = index + 1
            copy_into(stack[level + 1], stack[level])
            stack[level + 1, chosen] = mix(stack[level, chosen] + GOLDEN)
            return level + 1
        level -= 1
    return level


@kernel
def first_path_level(cells: Index, level: int) -> int:
    """Return the deepest level, at most ``level``, on the path to the first image, or -1."""
    while level >= 0 and not cells[level, _IS_FIRST]:
        level -= 1
    return level


@kernel
def keep_image(weights: Weights, form: np.uint64, first: Weights, best: Weights, tally: Index, forms: Weights) -> bool:
    """Keep ``weights`` if they give the first image, or the one with the least hash so far; count the image.

    ``form`` is the hash of the image. Return True if it is a later image with the hash of the first.
    """
    tally[_IMAGES] += 1
    if tally[_IMAGES] == 1:
        forms[_FIRST] = form
        copy_into(first, weights)
    if tally[_IMAGES] == 1 or form < forms[_BEST]:
        forms[_BEST] = form
        copy_into(best, weights)
    return bool(tally[_IMAGES] > 1 and form == forms[_FIRST])


@kernel
def _is_covered(orbits: Index, tied: Index, index: int) -> bool:
    covered = False
    for earlier in range(index):
        covered |= orbits[tied[earlier]] == orbits[tied[index]]
    return covered


@kernel
def join_orbits(first: Weights, second: Weights, members: Index, orbits: Index) -> None:
    """Record in ``orbits`` the symmetry that two equal images, given by ``first`` and ``second``, reveal.

    It maps each of ``members`` to the member whose weight in ``second`` is its own weight in ``first``.
    """
    for one in members:
        for other in members:
            if first[one] == second[other] and orbits[one] != orbits[other]:
                low, high = min(orbits[one], orbits[other]), max(orbits[one], orbits[other])
                for member in members:
                    if orbits[member] == high:
                        orbits[member] = low


@kernel
def search_rows(start: Weights, grid: Grid, vertices: Index) -> Weights:
    """Return weights, different for all ``vertices``, that give the image with the least hash.

    Where the weights ``start`` are equal, the search tries every order of rows, then of colors. After `_MAX_NODES`
    nodes it only completes the image that it has started, so the hash of the result may not be the least.
    """
    rows, pegs = grid.shape
    every, hashes = np.arange(pegs), np.empty(pegs, np.uint64)
    first, best, forms = start.copy(), start.copy(), np.zeros(2, np.uint64)
    stack = np.empty((vertices.size, start.size), np.uint64)
    cells = np.empty((vertices.size, MEMBERS + vertices.size), np.int64)
    tally, orbits = np.array([_MAX_NODES, 0]), np.arange(start.size)
    copy_into(stack[0], start)
    level = ZERO
    while level >= 0:
        weights = stack[level]
        refine(weights, grid, every, vertices)
        tied = smallest_tie(weights, vertices[:rows])
        if tied.size > _FEW_ROWS:
            colors = smallest_tie(weights, vertices[rows:])
            tied = colors if colors.size else tied
        if open_cell(cells[level], tied, tally):
            _settle_colors(weights, grid, vertices[rows:], tally)
            form = hash_pegs(weights, grid, every, hashes)
            if keep_image(weights, form, first, best, tally, forms):
                join_orbits(first, weights, vertices, orbits)
                level = first_path_level(cells, level)
        level = descend(stack, cells, level, tally, orbits)
    return best


@kernel
def _settle_colors(weights: Weights, grid: Grid, colors: Index, tally: Index) -> None:
    if count_classes(weights, colors) == colors.size:
        return
    heads = _components(weights, grid, colors)
    settled = weights.copy()
    hashes_of = np.empty(colors.size, np.uint64)
    count = 0
    for index in range(colors.size):
        if heads[colors[index]] != colors[index]:
            continue
        members = np.flatnonzero(heads == colors[index])
        hashes_of[count] = _settle_component(weights, settled, grid, members, tally)
        rank = NONE
        for earlier in range(count):
            rank += np.uint64(hashes_of[earlier] == hashes_of[count])
        for member in members:
            settled[member] = mix(settled[member] + mix(hashes_of[count] + rank))
        count += 1
    copy_into(weights, settled)


@kernel
def _components(weights: Weights, grid: Grid, colors: Index) -> Index:
    heads = np.full(weights.size, -1)
    for one in colors:
        for other in colors:
            if one != other and weights[one] == weights[other]:
                heads[one] = one
    changed = True
    while changed:
        changed = False
        for peg in range(grid.shape[1]):
            least = weights.size
            for row in range(grid.shape[0]):
                head = heads[grid[row, peg]]
                if 0 <= head < least:
                    least = head
            for row in range(grid.shape[0]):
                if heads[grid[row, peg]] > least:
                    heads[grid[row, peg]] = least
                    changed = True
    return heads


@kernel
def _settle_component(weights: Weights, settled: Weights, grid: Grid, members: Index, tally: Index) -> np.uint64:
    inside = np.zeros(grid.shape[1], np.bool_)
    for peg in range(grid.shape[1]):
        for row in range(grid.shape[0]):
            for member in members:
                inside[peg] |= grid[row, peg] == member
    pegs = np.flatnonzero(inside)
    best = weights
    if members.size > 1:
        counts = np.array([tally[LEFT], 0])
        best = _search_colors(weights, grid, pegs, members, counts)
        tally[LEFT] = counts[LEFT]
    for member in members:
        settled[member] = best[member]
    return hash_pegs(best, grid, pegs, np.empty(grid.shape[1], np.uint64))


@kernel
def _search_colors(start: Weights, grid: Grid, pegs: Index, members: Index, tally: Index) -> Weights:
    hashes, forms = np.empty(grid.shape[1], np.uint64), np.zeros(2, np.uint64)
    first, best, orbits = start.copy(), start.copy(), np.arange(start.size)
    stack = np.empty((members.size, start.size), np.uint64)
    cells = np.empty((members.size, MEMBERS + members.size), np.int64)
    copy_into(stack[0], start)
    level = ZERO
    while level >= 0:
        weights = stack[level]
        refine(weights, grid, pegs, members)
        if open_cell(cells[level], smallest_tie(weights, members), tally):
            form = hash_pegs(weights, grid, pegs, hashes)
            if keep_image(weights, form, first, best, tally, forms):
                join_orbits(first, weights, members, orbits)
                level = first_path_level(cells, level)
        level = descend(stack, cells, level, tally, orbits)
    return best
