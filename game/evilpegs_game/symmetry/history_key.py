from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Code, Columns, check_code
from evilpegs_game.feedback import Feedback
from evilpegs_game.kernels import GOLDEN, kernel, mix
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.search import Grid, Index, Weights, search_rows, used_vertices

HistoryKey = bytes
"""One byte each for pegs, colors and repeats; then the black, the white and the image of each guess."""

Bytes = NDArray[np.uint8]

_NO_FEEDBACK: Final = (255, 255)  # black and white of a guess without feedback


class Symmetry(NamedTuple):
    """A permutation of pegs and of colors: peg ``i`` of an image has the color ``colors[code[pegs[i]]]``."""

    pegs: tuple[int, ...]
    colors: tuple[int, ...]

    def image(self, code: Code) -> Code:
        colors = self.colors
        return tuple([colors[code[peg]] for peg in self.pegs])


def convert_image(columns: Columns, there: Symmetry, onto: Symmetry) -> Columns:
    """Convert images of codes under ``there`` to the images of the same codes under ``onto``.

    The result is read-only and keeps the order of ``columns``, which may not be code order.
    """
    pegs = [there.pegs.index(peg) for peg in onto.pegs]
    colors = np.empty(len(onto.colors), np.uint8)
    colors[list(there.colors)] = onto.colors
    result = colors[columns[pegs]]
    result.flags.writeable = False
    return result


def history_key(
    rules: Rules, history: Iterable[tuple[Code, Feedback]], guess: Code | None = None
) -> tuple[HistoryKey, Symmetry]:
    """Return the canonical key of a history, and the symmetry that maps the history to the image in the key.

    The image has its pegs and colors permuted and its turns in another order; it includes ``guess``, if given.
    Histories with equal keys are images of each other. The converse holds nearly always, and for at most two guesses
    always. Raises IllegalCodeError for a wrong number of pegs or an unknown color; repeated colors are not checked.
    """
    pairs: list[tuple[Code, tuple[int, int]]] = [*history]
    if guess is not None:
        pairs.append((guess, _NO_FEEDBACK))
    pegs, colors = rules.pegs, rules.colors
    try:
        data = b"".join([bytes((*feedback, *guess)) for guess, feedback in pairs])
    except ValueError:  # a color that does not fit into a byte
        _raise_illegal(rules, pairs)
        raise
    if any(len(guess) != pegs for guess, _ in pairs):
        _raise_illegal(rules, pairs)
    out = np.empty(len(data) + pegs + colors, np.uint8)
    with np.errstate(over="ignore"):
        size = _write_key(np.frombuffer(data, np.uint8), pegs, colors, out)
    if size < 0:
        _raise_illegal(rules, pairs)
    image = out.tobytes()
    head = bytes((pegs, colors, rules.repeats))
    middle = size + pegs
    return head + image[:size], Symmetry(tuple(image[size:middle]), tuple(image[middle : middle + colors]))


def _raise_illegal(rules: Rules, pairs: list[tuple[Code, tuple[int, int]]]) -> None:
    for guess, _ in pairs:
        check_code(guess, rules)


@kernel
def _write_key(data: Bytes, pegs: int, colors: int, out: Bytes) -> int:
    # data and the image: per turn the black, the white and the colors; the symmetry follows the image in out
    rows = _distinct_starts(data, pegs)
    count = rows.size
    grid = np.empty((count, pegs), np.int64)
    for row in range(count):
        for peg in range(pegs):
            color = data[rows[row] + 2 + peg]
            if color >= colors:
                return -1
            grid[row, peg] = count + color
    weights = np.zeros(count + colors, np.uint64)
    for row in range(count):
        weights[row] = mix(np.uint64(data[rows[row]]) * np.uint64(256) + np.uint64(data[rows[row] + 1]) + GOLDEN)
    vertices = used_vertices(grid, colors)
    if count:
        weights = search_rows(weights, grid, vertices)
    return _write_image(data, rows, grid, vertices[count:], weights, pegs, colors, out)


@kernel
def _distinct_starts(data: Bytes, pegs: int) -> Index:
    width = pegs + 2
    starts = np.empty(data.size // width, np.int64)
    count = 0
    for start in range(0, data.size, width):
        known = False
        for earlier in range(count):
            other = starts[earlier]
            same = 0
            while same < width and data[start + same] == data[other + same]:
                same += 1
            known = known or same == width
        if not known:
            starts[count] = start
            count += 1
    return starts[:count]


@kernel
def _write_image(
    data: Bytes, rows: Index, grid: Grid, used: Index, weights: Weights, pegs: int, colors: int, out: Bytes
) -> int:
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
    index = 0
    for row in row_order:
        out[index] = data[rows[row]]
        out[index + 1] = data[rows[row] + 1]
        for peg in range(pegs):
            out[index + 2 + peg] = names[grid[row, peg_order[peg]]]
        index += pegs + 2
    for peg in range(pegs):
        out[index + peg] = peg_order[peg]
    for color in range(colors):
        out[index + pegs + color] = names[count + color]
    return index


@kernel
def _row_order(data: Bytes, rows: Index, weights: Weights) -> Index:
    order = np.arange(rows.size)
    for index in range(1, rows.size):
        row, to = order[index], index
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
    order = np.arange(grid.shape[1])
    for index in range(1, order.size):
        peg, to = order[index], index
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
