"""What the search for a least total works on: a board that does not change, and a stack that does."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codemakers.small_sets import FeedbackMatrix, FeedbackSets
from evilpegs_game.optimal.tuning import DEFAULT, Tuning
from evilpegs_game.partition import Numbers, Places

Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]

NEVER: Final = 1 << 22
"""A total that no set has: what is asked for cannot be."""

UNLIMITED: Final = 1 << 20
"""A number of guesses that no tree reaches."""

GUESS_BITS: Final = 21
"""Of a listed guess; its estimate is above them."""

# What stands in a row of `Stack.state`.
CODES: Final = 0
"""How many codes the set has."""
UPPER: Final = 1
"""Totals that reach it are not looked for."""
BEST: Final = 2
"""The guess that attains UPPER, or one of the two below."""
LEAST: Final = 3
"""No guess that was tried in vain has a lesser total."""
LIMIT: Final = 4
"""How many guesses are allowed."""
LISTED: Final = 5
"""How many guesses are listed."""
NEXT: Final = 6
"""Which of them is next."""
GUESS: Final = 7
"""The guess that is being tried."""
LOWER: Final = 8
"""Its lower bound."""
OPEN: Final = 9
"""How many of its parts were not solved at once."""
PART: Final = 10
"""Which of them is being solved."""
TRIED: Final = 11
"""How many partitions were tried."""
_STATE: Final = 12

NONE: Final = -1
"""As BEST: nothing attains UPPER so far as is known."""
ELSEWHERE: Final = -2
"""As BEST: something does that is not known here."""

# What stands in the control of a search.
WORK: Final = 0
"""Feedbacks looked at."""
ALLOWED: Final = 1
"""The most of them."""
WIDTH: Final = 2
"""How many guesses are tried a set, 0 for all; otherwise nothing is proved but upper bounds."""
FIRST: Final = 3
"""Not zero: stop at the first guess that is good enough."""
CONTROL: Final = 4

# What stands in the words that searches of one set share.
SHARED: Final = 0
"""An upper bound of its total."""
STOP: Final = 1
"""Not zero: stop at once."""


class Board(NamedTuple):
    """A set of codes and the guesses to be tried against it and its subsets.

    ``by_guess``: feedback numbers, uint8, shape (guesses, codes). ``bits``: the same as bits, shape (codes, guesses),
    of an unsigned type with a bit a feedback. ``own``: the guess that each code is, int32. ``keys``: two random words
    a code, uint64, shape (codes, 2). ``bounds``: as `count_bound.least_totals`. ``most``: as `count_bound.most_within`.
    ``black``: the number of all-black, the last.
    """

    by_guess: FeedbackMatrix
    bits: FeedbackSets
    own: Places
    keys: Keys
    bounds: Ints
    most: Ints
    black: int


Families = NDArray[np.int32]
"""For a guess, which of the guesses after it are as good as each other: int32, shape (feedbacks, guesses).

A row a feedback: the number of each guess's family, -1 where nothing is known of a feedback. No row at all: of none.
"""


class Stack(NamedTuple):
    """Where a search stands: a row a depth.

    ``state``: as named above. ``codes``: of the set. ``listed``: guesses with their estimates above them. ``grouped``:
    the codes part after part. ``starts``, ``sizes``, ``lowers``: of the parts that were not solved at once. ``tried``:
    digests of partitions. The others are scratch: ``seen``, ``parts`` and ``marks`` one a guess, the rest a feedback.
    """

    state: Ints
    codes: Places
    listed: Ints
    grouped: Places
    starts: Ints
    sizes: Ints
    lowers: Ints
    tried: Keys
    seen: FeedbackSets
    parts: Numbers
    counts: Ints
    part_keys: Keys
    order: Ints
    marks: Numbers


def new_stack(board: Board, tuning: Tuning = DEFAULT) -> Stack:
    """A stack for ``board``; it is as deep as any search of so few codes gets."""
    guesses, codes = board.by_guess.shape
    rows, numbers = stack_rows(codes, tuning), board.black + 1
    return Stack(
        state=np.zeros((rows, _STATE), dtype=np.int64),
        codes=np.zeros((rows, codes), dtype=np.int32),
        listed=np.zeros((rows, guesses), dtype=np.int64),
        grouped=np.zeros((rows, codes), dtype=np.int32),
        starts=np.zeros((rows, numbers), dtype=np.int64),
        sizes=np.zeros((rows, numbers), dtype=np.int64),
        lowers=np.zeros((rows, numbers), dtype=np.int64),
        tried=np.zeros((rows, tuning.tried_partitions), dtype=np.uint64),
        seen=np.zeros(guesses, dtype=board.bits.dtype),
        parts=np.zeros(guesses, dtype=np.uint8),
        counts=np.zeros(numbers, dtype=np.int64),
        part_keys=np.zeros(numbers, dtype=np.uint64),
        order=np.zeros(numbers, dtype=np.int64),
        marks=np.zeros(guesses, dtype=np.uint8),
    )


def stack_rows(codes: int, tuning: Tuning = DEFAULT) -> int:
    """The rows of a stack: every guess leaves fewer codes; far fewer, where there are many."""
    return min(codes, tuning.stack_rows) + 2


def stack_bytes(codes: int, guesses: int, tuning: Tuning = DEFAULT) -> int:
    """What a stack takes, nearly."""
    row = 8 * (codes + guesses + tuning.tried_partitions) + 2048
    return stack_rows(codes, tuning) * row + 16 * guesses
