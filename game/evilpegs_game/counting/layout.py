"""The arrays of one count: tables of partial colorings, and the arrays that all its tables share.

A *table* belongs to a set of colors. For each *peg subset* it holds the colorings (partial codes) that give one of
these colors to every peg of the subset and to no other peg, grouped by the scores that the guesses have then. Each
group is a row, of the columns `COLORINGS`, the number of colorings in the group; `BLACK` and `MATCH`, the blacks and
matches (black + white) so far, each a few bits per guess; and `BLACK_2` and `MATCH_2`, those of the guesses that do not
fit into the first two words. The last two columns are absent if all guesses fit. For this reason rows are not NumPy
records: every kernel would be compiled for two record types.

The bits of one guess are its *lane*. The bit above each lane is a *guard*, which is 0 in every row. Set the guards of
``x`` and subtract ``y``: a guard stays set exactly where the lane of ``x`` is at least that of ``y``. So one
subtraction compares all guesses of a word.

Pegs are in one *class* if every guess has the same color at them.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

COLORINGS: Final = 0
BLACK: Final = 1
MATCH: Final = 2
BLACK_2: Final = 3
MATCH_2: Final = 4
"""The columns of table rows and of score increments."""

NEEDED_BLACK: Final = 0
NEEDED_WHITE: Final = 1
GUARDS: Final = 2
"""The columns of `ScoreLanes.targets`."""

MIN_BLACK: Final = 0
MIN_MATCH: Final = 1
MAX_MATCH: Final = 2
"""The indices of the last axis of `score_bounds`."""

Words = NDArray[np.uint64]
Rows = NDArray[np.uint64]
"""Table rows: uint64, shape (rows, 3 or 5), C-contiguous."""
Index = NDArray[np.int64]
Slots = NDArray[np.int32]


class Table(NamedTuple):
    """The rows of a peg subset are ``rows[starts[subset]:starts[subset + 1]]``; ``starts`` is int64 (subsets + 1,)."""

    starts: Index
    rows: Rows


class PegSubsets(NamedTuple):
    """All peg subsets, up to exchanges of pegs of one class.

    ``pegs``, int8 (subsets, classes), is how many pegs of each class a subset contains. The number of a subset is its
    index in these arrays. It is the sum over the classes of ``pegs`` times ``strides`` (classes,), so the number of a
    union of disjoint subsets is the sum of their numbers. ``sizes`` (subsets,) are the numbers of pegs, and
    ``arrangements`` (subsets,) the numbers of ways to choose them.
    """

    pegs: NDArray[np.int8]
    strides: Index
    sizes: Index
    arrangements: Words


class Colors(NamedTuple):
    """The colors of a count, in the order of `CountingProblem.color_groups`; one may stand for several colors.

    ``guess_colors``, int64 (guesses, classes), is the color that a guess has at the pegs of a class, and
    ``color_counts``, int64 (guesses, colors), how often a guess has each color. At most ``max_pegs`` (colors,) pegs can
    have a color. ``ways``, uint64 (colors, pegs + 1), is the number of ways in which n given pegs can have a color:
    more than one only if it stands for several. ``prefix`` holds the colors of the first pegs if these are fixed; each
    peg is then a class of its own.
    """

    guess_colors: Index
    color_counts: Index
    max_pegs: Index
    ways: Words
    repeats: bool
    prefix: Index


class ScoreLanes(NamedTuple):
    """The lane of each guess in the words of scores, and the scores that its feedback requires.

    ``blacks`` and ``matches``, int64 (guesses,), are the feedback, -1 for the open guess. ``words`` (guesses,) is the
    word that holds the lane of a guess, ``shifts`` (guesses,) its lowest bit. ``targets``, uint64 (words, 3), holds the
    required blacks, the required whites, and the guards. ``open_mask`` has the lowest ``open_bits`` bits set, the lane
    of the open guess; it is 0 without one.
    """

    blacks: Index
    matches: Index
    words: Index
    shifts: Index
    targets: Words
    open_mask: np.uint64
    open_bits: int


class Layout(NamedTuple):
    """The arrays that all tables of one count share; ``class_sizes``, int64 (classes,), counts pegs."""

    class_sizes: Index
    subsets: PegSubsets
    colors: Colors
    lanes: ScoreLanes
