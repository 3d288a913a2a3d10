"""The canonical key of a history, and the symmetry that leads to the image it holds."""

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.canonical.image import Bytes, write
from evilpegs_game.canonical.search import search_rows
from evilpegs_game.canonical.weights import STIR, Index, mixed, vertices_of
from evilpegs_game.codes import Code, check_code
from evilpegs_game.feedback import Feedback
from evilpegs_game.kernel import kernel
from evilpegs_game.rules import Rules

Key = bytes
"""Pegs, colors and whether they repeat; then black, white and the image of the guess, for each pair in turn."""

_ASKED: Final = (255, 255)
"""In the place of a feedback: this guess has none yet."""


class Symmetry(NamedTuple):
    """A permutation of pegs and one of colors: peg ``i`` of an image shows what was at ``pegs[i]``, renamed."""

    pegs: tuple[int, ...]
    colors: tuple[int, ...]

    def image(self, code: Code) -> Code:
        """The image of a code."""
        colors = self.colors
        return tuple([colors[code[peg]] for peg in self.pegs])


def canonical(
    rules: Rules, history: Iterable[tuple[Code, Feedback]], asked: Code | None = None
) -> tuple[Key, Symmetry]:
    """The key of a history and, perhaps, of the guess asked next; and the symmetry that leads to the image it holds.

    Equal keys: images of each other. Images of each other nearly always have equal keys, up to two guesses always.

    Raises:
        IllegalCodeError: a guess is not a code of ``rules``.
    """
    pairs: list[tuple[Code, tuple[int, int]]] = [*history]
    if asked is not None:
        pairs.append((asked, _ASKED))
    pegs, colors = rules.pegs, rules.colors
    data = b"".join([bytes((*given, *guess)) for guess, given in pairs])
    if any(len(guess) != pegs for guess, _ in pairs):
        _refuse(rules, pairs)
    out = np.empty(len(data) + pegs + colors, np.uint8)
    with np.errstate(over="ignore"):
        size = _canonical(np.frombuffer(data, np.uint8), pegs, colors, out)
    if size < 0:
        _refuse(rules, pairs)
    image = out.tobytes()
    head = bytes((pegs, colors, rules.repeats))
    middle = size + pegs
    return head + image[:size], Symmetry(tuple(image[size:middle]), tuple(image[middle : middle + colors]))


def _refuse(rules: Rules, pairs: list[tuple[Code, tuple[int, int]]]) -> None:
    for guess, _ in pairs:
        check_code(guess, rules)


@kernel
def _canonical(data: Bytes, pegs: int, colors: int, out: Bytes) -> int:
    """Write the rows of the image, then the order of the pegs, then the new names of the colors, all uint8.

    ``data`` has black, white and the guess for each pair. Returns how much the rows take, or -1: there is an illegal
    color.
    """
    rows = _different(data, pegs)
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
        weights[row] = mixed(np.uint64(data[rows[row]]) * np.uint64(256) + np.uint64(data[rows[row] + 1]) + STIR)
    vertices = vertices_of(grid, colors)
    if count:
        weights = search_rows(weights, grid, vertices)
    return write(data, rows, grid, vertices[count:], weights, pegs, colors, out)


@kernel
def _different(data: Bytes, pegs: int) -> Index:
    """Where each pair starts that is in ``data`` for the first time: int64, shape (rows,)."""
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
