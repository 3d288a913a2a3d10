"""The arrays of one count: tables of partial colorings, and what all tables of one count have in common.

A *table* belongs to a set of colors. For each *peg subset* it holds the ways to give exactly these pegs exactly these
colors, grouped by the scores that the guesses have then. There is one row per group: rows ``starts[subset]`` to
``starts[subset + 1]`` of a uint64 array. Its columns are `COLORINGS`, the number of colorings in the group; `BLACK` and
`MATCH`, the blacks and matches (black + white) so far, each a few bits per guess; and `BLACK_2` and `MATCH_2`, the same
for the guesses that do not fit into the first two words. The last two are absent where all guesses fit, so the rows
are no records: every kernel would be compiled for two types of them.

The bits of one guess are its *lane*. The bit above each lane is a *guard*, which is 0 in every row. Set the guards of
``x`` and subtract ``y``: a guard stays set exactly where the lane of ``x`` is at least that of ``y``. So one
subtraction compares all guesses of a word.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

COLORINGS: Final = 0
BLACK: Final = 1
MATCH: Final = 2
BLACK_2: Final = 3
MATCH_2: Final = 4
"""The columns of table rows, and of what a color adds to them."""

NEEDED_BLACK: Final = 0
NEEDED_WHITE: Final = 1
GUARDS: Final = 2
"""The columns of `ScoreLanes.targets`."""

MIN_BLACK: Final = 0
MIN_MATCH: Final = 1
MAX_MATCH: Final = 2
"""The last axis of score bounds."""

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
