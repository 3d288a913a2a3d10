"""What is counted with: tables of partial colorings, and what all tables of one count have in common.

A *table* belongs to a set of colors and holds, for each set of pegs (a *fill*), one row for each way the guesses
can stand once exactly these pegs have these colors: rows ``starts[fill]`` to ``starts[fill + 1]`` of a uint64 array.

    column 0          how many colorings stand so
    column 1, 2       the blacks and the matches (black + white) got so far, a few bits for each guess
    column 3, 4       the same of the guesses that find no room in the first two words; missing where all do

Each field has a guard bit above it that is 0. Setting the guards of ``x`` and subtracting ``y`` leaves those guards
set whose field of ``x`` is at least that of ``y``: one subtraction compares all guesses at once.
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
    """Partial colorings: int64 ``starts`` (fills + 1,) and their rows."""

    starts: Index
    rows: Rows


class Fills(NamedTuple):
    """All ways to fill some pegs of each kind, in ``pegs`` (fills, kinds), int8.

    A fill's number is the sum of its pegs of each kind times ``strides`` (kinds,), so numbers of parts that fill
    different pegs add up. ``sizes`` (fills,) are the pegs that a fill has, ``arrangements`` (fills,) the ways to choose
    them.
    """

    pegs: NDArray[np.int8]
    strides: Index
    sizes: Index
    arrangements: Words


class Colors(NamedTuple):
    """The colors of a count, in their order in `Frame.colors`.

    ``of_guess`` int64 (guesses, kinds) is the color that a guess has at the pegs of a kind, ``times`` int64 (guesses,
    colors) how often it has each. At most ``most`` (colors,) pegs can have a color; ``ways`` uint64 (colors, pegs + 1)
    is how often a set of so many pegs of it counts. ``beginning`` are the colors of the first pegs, if these are
    settled; then each peg is a kind.
    """

    of_guess: Index
    times: Index
    most: Index
    ways: Words
    repeats: bool
    beginning: Index


class Fields(NamedTuple):
    """Where each guess's bits are, and what they must come to.

    ``blacks`` and ``matches`` int64 (guesses,) are the feedback, -1 for the guess that is asked; ``words`` and
    ``shifts`` (guesses,) say where its bits stand. ``targets`` uint64 (words, 3) is the blacks and the whites due, and
    the guards. ``asked`` has the lowest ``bits`` set, the field of the asked guess, or none.
    """

    blacks: Index
    matches: Index
    words: Index
    shifts: Index
    targets: Words
    asked: np.uint64
    bits: int


class Layout(NamedTuple):
    """What all tables of one count have in common. ``kinds`` int64 (kinds,) is how many pegs there are of each kind."""

    kinds: Index
    fills: Fills
    colors: Colors
    fields: Fields
