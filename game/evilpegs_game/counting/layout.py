"""The arrays of one count: tables of partial colorings, and what all tables of one count have in common.

A *table* belongs to a set of colors. For each *peg subset* it holds the ways to give exactly these pegs exactly these
colors, grouped by the scores that the guesses have then. There is one row per group: rows ``starts[subset]`` to
``starts[subset + 1]`` of a uint64 array.

    column 0          number of colorings in the group
    column 1, 2       blacks and matches (black + white) so far, each a few bits per guess
    column 3, 4       the same for the guesses that do not fit into the first two words; absent where all fit

The bits of one guess are its *lane*. The bit above each lane is a *guard*, which is 0 in every row. Set the guards of
``x`` and subtract ``y``: a guard stays set exactly where the lane of ``x`` is at least that of ``y``. So one
subtraction compares all guesses of a word.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Rows = NDArray[np.uint64]
"""Table rows: uint64, shape (rows, 3 or 5), C-contiguous."""
Index = NDArray[np.int64]
Slots = NDArray[np.int32]


class Table(NamedTuple):
    """Partial colorings: int64 ``starts`` (subsets + 1,) and their rows."""

    starts: Index
    rows: Rows


class PegSubsets(NamedTuple):
    """All peg subsets: how many pegs of each class they contain, int8 ``pegs`` (subsets, classes).

    The number of a subset is the sum of its pegs in each class times ``strides`` (classes,), so the number of a union
    of disjoint subsets is the sum of their numbers. ``sizes`` (subsets,) counts the pegs of a subset, ``arrangements``
    (subsets,) the ways to choose them.
    """

    pegs: NDArray[np.int8]
    strides: Index
    sizes: Index
    arrangements: Words


class Colors(NamedTuple):
    """The colors of a count, in the order of `CountingProblem.color_groups`.

    ``guess_colors`` int64 (guesses, classes) is the color that a guess has at the pegs of a class, ``color_counts``
    int64 (guesses, colors) how often it has each color. At most ``max_pegs`` (colors,) pegs can have a color; ``ways``
    uint64 (colors, pegs + 1) is the number of ways in which n pegs can have it. ``prefix`` holds the colors of the
    first pegs, if these are fixed; then each peg is a class of its own.
    """

    guess_colors: Index
    color_counts: Index
    max_pegs: Index
    ways: Words
    repeats: bool
    prefix: Index


class ScoreLanes(NamedTuple):
    """The position of each guess's bits, and the scores that its feedback requires.

    ``blacks`` and ``matches`` int64 (guesses,) are the feedback, -1 for the open guess, which has none yet. ``words``
    and ``shifts`` (guesses,) locate a lane. ``targets`` uint64 (words, 3) holds the required blacks, the required
    whites, and the guards. ``open_mask`` has the lowest ``open_bits`` bits set, the lane of the open guess; it is 0
    where there is no open guess.
    """

    blacks: Index
    matches: Index
    words: Index
    shifts: Index
    targets: Words
    open_mask: np.uint64
    open_bits: int


class Layout(NamedTuple):
    """The arrays that all tables of one count share. ``class_sizes`` int64 (classes,) counts the pegs of a class."""

    class_sizes: Index
    subsets: PegSubsets
    colors: Colors
    lanes: ScoreLanes
