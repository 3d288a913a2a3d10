"""The image that weights stand for, written down with the symmetry that leads to it."""

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.canonical.weights import Grid, Index, Weights
from evilpegs_game.kernel import kernel

Bytes = NDArray[np.uint8]


@kernel
def write(
    data: Bytes, rows: Index, grid: Grid, used: Index, weights: Weights, pegs: int, colors: int, out: Bytes
) -> int:
    """Write the image and the symmetry that the weights stand for; returns how much the rows of the image take."""
    count = rows.size
    names = np.full(count + colors, -1)
    for one in used:
        names[one] = 0
        for other in used:
            names[one] += weights[other] < weights[one] or (weights[other] == weights[one] and other < one)
    fresh = used.size
    for vertex in range(count, count + colors):
        if names[vertex] < 0:
            names[vertex] = fresh
            fresh += 1
    row_order = _row_order(data, rows, weights)
    peg_order = _peg_order(grid, row_order, names)
    place = 0
    for row in row_order:
        out[place] = data[rows[row]]
        out[place + 1] = data[rows[row] + 1]
        for peg in range(pegs):
            out[place + 2 + peg] = names[grid[row, peg_order[peg]]]
        place += pegs + 2
    for peg in range(pegs):
        out[place + peg] = peg_order[peg]
    for color in range(colors):
        out[place + pegs + color] = names[count + color]
    return place


@kernel
def _row_order(data: Bytes, rows: Index, weights: Weights) -> Index:
    """The rows by feedback, then by weight; the guess that is asked comes last."""
    order = np.arange(rows.size)
    for place in range(1, rows.size):
        row, to = order[place], place
        label = int(data[rows[row]]) * 256 + int(data[rows[row] + 1])
        while to > 0:
            other = order[to - 1]
            beyond = int(data[rows[other]]) * 256 + int(data[rows[other] + 1])
            if beyond < label or (beyond == label and weights[other] <= weights[row]):
                break
            order[to] = other
            to -= 1
        order[to] = row
    return order


@kernel
def _peg_order(grid: Grid, row_order: Index, names: Index) -> Index:
    """The pegs by what stands in their columns, row by row; equal columns as they were."""
    order = np.arange(grid.shape[1])
    for place in range(1, order.size):
        peg, to = order[place], place
        while to > 0:
            row = 0
            while row < row_order.size and grid[row_order[row], order[to - 1]] == grid[row_order[row], peg]:
                row += 1
            if row == row_order.size:
                break
            if names[grid[row_order[row], order[to - 1]]] < names[grid[row_order[row], peg]]:
                break
            order[to] = order[to - 1]
            to -= 1
        order[to] = peg
    return order
