"""Palettes: the colors that guesses need at a live set, and which of many guesses that tell the same is left.

A guess is left out only where one earlier in code order has the same parts, as sizes go. So the first of all that do
is never left out, and of the best guesses the first is found. Two reasons are looked for:

* colors that nobody has guessed can be exchanged: in a guess they first come in rising order;
* colors that no candidate has tell nothing: the least of them is enough (where none repeats, they come in that order).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Columns
from evilpegs_game.compiled import kernel

Integers = NDArray[np.int64]


class Palette(NamedTuple):
    """Colors as kernels use them, from 0 in the order of ``colors``; these are the real ones, rising.

    ``before[c]`` is a color that must come left of the first c in a guess, or -1. ``rank`` gives the color of a real
    one, where a candidate has it.
    """

    colors: Integers
    before: Integers
    rank: NDArray[np.uint8]
    repeats: bool


@kernel
def make_palette(live: Columns, colors: int, repeats: bool, guessed: int) -> Palette:
    """The palette for a live set; ``guessed`` has a bit for each color that a guess had so far."""
    present = np.zeros(colors, np.bool_)
    for peg in range(live.shape[0]):
        for i in range(live.shape[1]):
            present[live[peg, i]] = True
    real, before = np.empty((2, colors), np.int64)
    rank = np.zeros(colors, np.uint8)
    kept = 0
    absent = fresh = -1
    for color in range(colors):
        if not present[color] and repeats and absent >= 0:
            continue
        real[kept], rank[color], before[kept] = color, kept, -1
        if not present[color]:
            before[kept] = absent
            absent = kept
        elif not (guessed >> color) & 1:
            before[kept] = fresh
            fresh = kept
        kept += 1
    return Palette(real[:kept].copy(), before[:kept].copy(), rank, repeats)


@kernel
def in_palette(live: Columns, palette: Palette) -> Columns:
    """The live set in the colors of its palette."""
    codes = np.empty_like(live)
    for peg in range(live.shape[0]):
        for i in range(live.shape[1]):
            codes[peg, i] = palette.rank[live[peg, i]]
    return codes


@kernel
def count_in_order(codes: Columns, colors: int, guessed: int) -> int:
    """How many of the codes have the colors that nobody has guessed in rising order, none left out."""
    count = 0
    for i in range(codes.shape[1]):
        expected = 0
        for peg in range(codes.shape[0]):
            while expected < colors and (guessed >> expected) & 1:
                expected += 1
            color = codes[peg, i]
            if color > expected and not (guessed >> color) & 1:
                expected = -1
                break
            if color == expected:
                expected += 1
        if expected >= 0:
            count += 1
    return count
