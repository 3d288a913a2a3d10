"""Weights of vertices that no renaming changes, refined until they distinguish no more vertices."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.kernels import kernel, mix

Grid = NDArray[np.int64]
"""The vertex of the color at each peg of each row: shape (rows, pegs)."""
Index = NDArray[np.int64]
Weights = NDArray[np.uint64]
"""A hash, for each vertex, of all that distinguishes it so far."""

NONE: Final = np.uint64(0)


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
