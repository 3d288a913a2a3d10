"""The arrays of one count: tables of partial colorings, an index over their rows, and what all tables share.

A *table* belongs to a set of colors. For each *peg subset* it holds the colorings (partial codes) that give one of
these colors to every peg of the subset and to no other peg, grouped by the scores that the guesses have then. Each
group is a row, of the columns `COLORINGS`, the number of colorings in the group, and from `SCORE` on one or more words
with the blacks and matches (black + white) of each guess so far.

The bits of one guess in a word are its *lane*: its matches, and above them its blacks, of which there are few. All
answered guesses of a word have as many bits for their matches, so that one shift brings all blacks to where the matches
were. After it, or without the blacks, the bit above the matches is a *guard*: 0 in every row. Set the guards of ``x``
and subtract ``y``: a guard stays set exactly where the lane of ``x`` is at least that of ``y``. So one subtraction
compares all guesses of a word.

Pegs are in one *class* if every guess has the same color at them.

The rows of one peg subset are found by a hash of their scores with the answered guesses; rows of one hash form a chain.
"""

import math
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.kernels import GOLDEN, ZERO, kernel

COLORINGS: Final = 0
SCORE: Final = 1
"""The first columns of table rows and of score increments."""

NEEDED_BLACK: Final = 0
NEEDED_WHITE: Final = 1
GUARDS: Final = 2
MATCHES: Final = 3
BLACKS: Final = 4
BLACK_SHIFT: Final = 5
STARTS: Final = 6
"""The columns of `ScoreLanes.targets`."""

MIN_BLACK: Final = 0
MIN_MATCH: Final = 1
MAX_MATCH: Final = 2
"""The indices of the last axis of `score_bounds`."""

Words = NDArray[np.uint64]
Rows = NDArray[np.uint64]
"""Table rows: uint64, shape (rows, 1 + words of scores), C-contiguous."""
Index = NDArray[np.int64]
Slots = NDArray[np.int32]

SHARED_SUBSETS: Final = 1 << 12  # the most subsets of a cached result, which takes 150 KiB with 12 pegs
BINOMIALS: Final = np.array([[math.comb(n, k) for k in range(17)] for n in range(17)], np.int64)
STIR: Final = np.uint64(0xC2B2AE3D27D4EB4F)
_HIGH: Final = np.uint64(32)


class Table(NamedTuple):
    """The rows of a peg subset are ``rows[starts[subset]:starts[subset + 1]]``; ``starts`` is int64 (subsets + 1,)."""

    starts: Index
    rows: Rows


class Half(NamedTuple):
    """A table, and the score increments and score bounds of the color that it gets next.

    ``estimate`` is about how many pairs of a row and a peg subset that gets the color lead to possible scores.
    """

    table: Table
    increments: Rows
    bounds: Words
    estimate: int


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
    word that holds the lane of a guess, ``shifts`` (guesses,) the lowest bit of its matches, ``black_shifts`` that of
    its blacks. ``targets``, uint64 (words, 7), is about the answered guesses: the blacks and the whites that they
    require and the guards, each where the matches are; the bits of matches; those of blacks, after they are shifted by
    ``BLACK_SHIFT``; and the lowest bits of matches and of blacks. ``open_mask`` has the lowest ``2 * open_bits`` bits
    set, the lane of the open guess; it is 0 without one.
    """

    blacks: Index
    matches: Index
    words: Index
    shifts: Index
    black_shifts: Index
    targets: Words
    open_mask: np.uint64
    open_bits: int


class Layout(NamedTuple):
    """The arrays that all tables of one count share.

    ``class_sizes``, int64 (classes,), counts pegs. Codes are counted modulo ``modulus``; 0 stands for 2**64.
    """

    class_sizes: Index
    subsets: PegSubsets
    colors: Colors
    lanes: ScoreLanes
    modulus: np.uint64


class InnerSubsets(NamedTuple):
    """The subsets of one peg subset: their numbers in `PegSubsets`, ascending, and the ways to choose each.

    The arrays are long enough for any peg subset; `list_inner_subsets` returns how many elements are in use.
    """

    numbers: Index
    choices: Words


def peg_subsets(class_sizes: tuple[int, ...]) -> PegSubsets:
    """Return all peg subsets. The arrays may be shared: never write to them."""
    subsets = math.prod(size + 1 for size in class_sizes)
    return _shared(class_sizes) if subsets <= SHARED_SUBSETS else _lay_out(class_sizes)


def _lay_out(class_sizes: tuple[int, ...]) -> PegSubsets:
    sizes = np.array(class_sizes, np.int64)
    strides = np.concatenate([[1], np.cumprod(sizes + 1)])
    pegs = (np.arange(strides[-1])[:, None] // strides[:-1] % (sizes + 1)).astype(np.int8)
    return PegSubsets(
        pegs=pegs,
        strides=strides[:-1],
        sizes=pegs.sum(axis=1).astype(np.int64),
        arrangements=BINOMIALS[sizes, pegs].prod(axis=1).astype(np.uint64),
    )


_shared: Final = lru_cache(64)(_lay_out)  # 10 MiB at most


@kernel
def new_inner_subsets(subsets: PegSubsets) -> InnerSubsets:
    return InnerSubsets(np.zeros(subsets.sizes.size, np.int64), np.ones(subsets.sizes.size, np.uint64))


@kernel
def list_inner_subsets(subsets: PegSubsets, subset: int, inner: InnerSubsets) -> int:
    """Write to ``inner`` all subsets of one peg subset, from the empty to the whole; return their number."""
    numbers, choices, all_pegs, strides = inner.numbers, inner.choices, subsets.pegs, subsets.strides
    count = 1  # the first is the empty subset, chosen in one way
    for peg_class in range(strides.size):
        before, pegs = count, all_pegs[subset, peg_class]
        for some in range(1, pegs + 1):
            more, ways = some * strides[peg_class], np.uint64(BINOMIALS[pegs, some])
            for index in range(before):
                numbers[count + index] = numbers[index] + more
                choices[count + index] = choices[index] * ways
            count += before
    return count


@kernel
def most_rows(starts: Index) -> int:
    """Return the most rows that a peg subset has."""
    most = ZERO
    for subset in range(starts.size - 1):
        most = max(most, starts[subset + 1] - starts[subset])
    return most


class Chains(NamedTuple):
    """A linked list (chain) of rows for each hash, and a filter, which says of most other hashes that they have none.

    ``heads``, int32 (a power of two,), is the first row of the chain of each masked hash. ``following[i]``, int32, is
    the row after the peg subset's row ``i`` in its chain. Rows are indices in the table, and -1 ends a chain.
    """

    heads: Slots
    following: Slots
    filter: Words


@kernel
def times(one: np.uint64, other: np.uint64, modulus: np.uint64) -> np.uint64:
    """Multiply numbers of codes; a modulus must be below 2**32."""
    return one % modulus * (other % modulus) % modulus if modulus else one * other


@kernel
def new_chains(max_rows: int) -> Chains:
    """Return an index of up to ``max_rows`` rows, with undefined elements."""
    size = _heads_for(max_rows)
    return Chains(np.empty(size, np.int32), np.empty(max_rows, np.int32), np.empty(size // 8, np.uint64))


@kernel
def _heads_for(rows: int) -> int:
    size = 16
    # at least twice the rows: chains stay short
    while size < 2 * rows:
        size *= 2
    return size


@kernel
def clear_chains(chains: Chains, rows: int) -> int:
    """Empty as many chains as ``rows`` rows need; return the mask that turns a hash into an index of ``heads``."""
    size = _heads_for(rows)
    chains.heads[:size] = -1
    chains.filter[: size // 8] = 0
    return size - 1


@kernel
def required_scores(targets: Words) -> Words:
    """Return the words of scores, (words,), in which every answered guess has its feedback."""
    needed = targets[:, NEEDED_BLACK] << targets[:, BLACK_SHIFT]
    return needed + targets[:, NEEDED_BLACK] + targets[:, NEEDED_WHITE]


@kernel
def is_sum(one: np.uint64, other: np.uint64, both: np.uint64, starts: np.uint64) -> bool:
    """Return True if each score in ``both`` is the sum of those in ``one`` and ``other``; none then takes a carry."""
    return one + other == both and not (one ^ other ^ both) & starts


@kernel
def hash_score(word: np.uint64, more: np.uint64) -> int:
    """Hash the first word of a score; ``more`` is 0, or what `add_word` has made of the others."""
    mixed = (word + more) * GOLDEN
    return np.int64(((mixed ^ mixed >> _HIGH) * STIR) >> _HIGH)  # type: ignore[return-value]


@kernel
def add_word(more: np.uint64, word: np.uint64) -> np.uint64:
    return (more + word) * STIR


@kernel
def row_hash(rows: Rows, row: int, open_mask: np.uint64) -> int:
    """Hash the scores of a row but those in ``open_mask``."""
    more = np.uint64(0)
    for column in range(SCORE + 1, rows.shape[1]):
        more = add_word(more, rows[row, column])
    return hash_score(rows[row, SCORE] & ~open_mask, more)


@kernel
def index_rows(rows: Rows, first: int, last: int, open_mask: np.uint64, chains: Chains, live: NDArray[np.bool_]) -> int:
    """Fill ``chains`` with the ``live`` ones of the rows of one peg subset; return the mask of `clear_chains`."""
    mask = clear_chains(chains, last - first)
    heads, following, passing = chains.heads, chains.following, chains.filter
    for row in range(first, last):
        if live[row]:
            number = row_hash(rows, row, open_mask)
            following[row - first] = heads[number & mask]
            heads[number & mask] = row
            bit = number & (8 * mask + 7)
            passing[bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
    return mask
