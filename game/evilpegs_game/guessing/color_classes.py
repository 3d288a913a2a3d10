"""Color classes: the colors that guesses at a live set need, and the order in which equivalent colors may appear.

Many guesses have the same part sizes because their colors are equivalent at the live set. A guess is left out only if
one earlier in code order has the same part sizes. So the first guess with any given part sizes is never left out, and
the first of the best guesses is found. There are two reasons to leave a guess out:

* Colors that occur in no guess so far are interchangeable, so in the next guess they must appear in ascending order.
* Colors that no candidate has give no information, so the least of them is enough. If no color may repeat, several of
  them may be needed, and they must appear in ascending order.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Columns
from evilpegs_game.kernels import kernel

Integers = NDArray[np.int64]


class ColorClasses(NamedTuple):
    """The colors to try in guesses at one live set, numbered from 0 for compiled code.

    ``colors[c]`` is the color with number c, ascending. ``before[c]`` is the number of the color that must occur in a
    guess left of the first peg with number c, or -1; every other guess has the part sizes of one that keeps this order.
    ``rank[color]`` is the number of ``color``, for colors that some candidate has.
    """

    colors: Integers
    before: Integers
    rank: NDArray[np.uint8]
    repeats: bool


@kernel
def make_color_classes(live: Columns, colors: int, repeats: bool, guessed: int) -> ColorClasses:
    """Bit c of ``guessed`` is set if a guess so far has color c."""
    present = np.zeros(colors, np.uint8)
    for peg in range(live.shape[0]):
        for i in range(live.shape[1]):
            present[live[peg, i]] = 1
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
    return ColorClasses(real[:kept].copy(), before[:kept].copy(), rank, repeats)


@kernel
def to_color_classes(live: Columns, color_classes: ColorClasses) -> Columns:
    """Return a copy of ``live`` with each color replaced by its number."""
    codes = np.empty_like(live)
    for peg in range(live.shape[0]):
        for i in range(live.shape[1]):
            codes[peg, i] = color_classes.rank[live[peg, i]]
    return codes


@kernel
def count_in_order(codes: Columns, colors: int, guessed: int) -> int:
    """Count the codes that use unguessed colors only in ascending order from left to right, without gaps.

    The least unguessed color must come first. Bit c of ``guessed`` is set if a guess so far has color c.
    """
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
