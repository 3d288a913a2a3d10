"""The arrays of a search for a least total: the guess tables, which do not change, and the stack, which does.

Compiled code reads the fields of records as attributes. Python code reads them as items, which is ten times as fast.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codemakers.size_bounds import Ints
from evilpegs_game.codemakers.small_sets import FeedbackMatrix, FeedbackSets
from evilpegs_game.optimal.tuning import DEFAULT, Tuning
from evilpegs_game.partition import Indices, Numbers

Words = NDArray[np.uint64]
"""Keys and digests, which are random or mixed 64-bit words."""

NEVER: Final = 1 << 22
"""A total that no set has. As a bound it means that no tree is known or possible within the guesses allowed."""

UNLIMITED: Final = 1 << 20
"""A number of guesses that no tree reaches."""

GUESS_BITS: Final = 21
"""The number of low bits of a list entry that hold the guess; the bits above them hold its estimate."""

NONE: Final = -1
"""The value of ``best`` if no guess is known to attain ``upper``."""
ELSEWHERE: Final = -2
"""The value of ``best`` if some guess attains ``upper``, but which one is not known here."""


def _integers(*fields: str) -> np.dtype[np.record]:
    """Return the type of a record whose fields, named ``fields``, are 64-bit integers."""
    kind: np.dtype[np.record] = np.dtype((np.record, [(field, np.int64) for field in fields]))  # type: ignore[assignment]
    return kind


NODE: Final = _integers(
    "codes", "upper", "best", "least", "limit", "listed", "following", "guess", "lower", "open_parts", "part", "tried"
)
"""A node of the search: a set of codes and how far its guesses were tried.

``codes``: the number of codes in the set. ``upper``: the search looks for totals below this bound only. ``best``: the
incumbent, that is the guess that attains ``upper``, or `NONE` or `ELSEWHERE`. ``least``: a lower bound of the totals of
all guesses that were tried and did not beat ``upper``. ``limit``: the number of guesses allowed. ``listed``: the number
of entries in the list of guesses, and ``following`` the index of the next one to try. ``guess``: the guess being tried,
and ``lower`` a lower bound of the total with it. ``open_parts``: the number of its parts that bounds alone did not
solve, and ``part`` the index of the one being solved. ``tried``: the number of partitions in `SearchStack.tried`.
"""

CONTROL: Final = _integers("work", "allowed", "width", "is_first_enough")
"""Bounds of a search and its work.

``work``: the feedback evaluations so far, and ``allowed`` those that may be done. ``width``: the guesses tried per set,
0 for all; with a width, only upper bounds are proved. ``is_first_enough``: nonzero to stop at the first guess that
beats the upper bound.
"""

SHARED: Final = _integers("upper", "is_stopped")
"""The words that searches of one set share: an upper bound of its total, and nonzero to stop them all."""


def new_record(kind: np.dtype[np.record], **values: int) -> np.record:
    """Return a record of the type ``kind`` with the given values; all other fields are 0."""
    record: np.record = np.zeros(1, kind)[0]
    for field, value in values.items():
        record[field] = value
    return record


class GuessTables(NamedTuple):
    """A set of codes and the guesses to try against it and its subsets, as compiled code reads them.

    ``by_guess``: feedback numbers, uint8, shape (guesses, codes).
    ``bits``: the bit 1 << feedback number, of an unsigned type, shape (codes, guesses).
    ``self_guess``: for each code of the set, the index of the guess that is this code, int32.
    ``code_keys``: two random words per code, uint64, shape (codes, 2).
    ``least_totals``: see `size_bounds.least_total_table`. ``max_codes``: see `size_bounds.max_codes_within`.
    ``all_black``: the feedback number of all-black, which is the last one.
    """

    by_guess: FeedbackMatrix
    bits: FeedbackSets
    self_guess: Indices
    code_keys: Words
    least_totals: Ints
    max_codes: Ints
    all_black: int


OrbitTable = NDArray[np.int32]
"""For one guess, the orbits of the guesses after it: int32, shape (feedbacks, guesses), or no rows at all.

The row of a feedback holds the orbit number of each guess; guesses of one orbit are equally good. A row of -1 means
that the orbits after this feedback are unknown.
"""


class SearchStack(NamedTuple):
    """The state of a search, one row per depth.

    ``state``: records of the type `NODE`. ``codes``: the set, as indices of codes. ``entries``: the guesses to try,
    each with its estimate in the upper bits. ``grouped``: the codes, part after part. ``starts``, ``sizes``,
    ``lowers``: the open parts in ``grouped`` and their lower bounds. ``tried``: digests of the partitions tried.

    The other arrays are working memory: ``seen``, ``parts`` and ``marks`` have one element per guess; ``counts``,
    ``part_keys`` and ``order`` have one element per feedback.
    """

    state: NDArray[Any]
    codes: Indices
    entries: Ints
    grouped: Indices
    starts: Ints
    sizes: Ints
    lowers: Ints
    tried: Words
    seen: FeedbackSets
    parts: Numbers
    counts: Ints
    part_keys: Words
    order: Ints
    marks: Numbers


def new_stack(tables: GuessTables, tuning: Tuning = DEFAULT) -> SearchStack:
    """Return an empty stack for searches of the codes of ``tables``, with the number of rows of `stack_rows`."""
    guesses, codes = tables.by_guess.shape
    rows, numbers = stack_rows(codes, tuning), tables.all_black + 1
    return SearchStack(
        state=np.zeros(rows, NODE),
        codes=np.zeros((rows, codes), dtype=np.int32),
        entries=np.zeros((rows, guesses), dtype=np.int64),
        grouped=np.zeros((rows, codes), dtype=np.int32),
        starts=np.zeros((rows, numbers), dtype=np.int64),
        sizes=np.zeros((rows, numbers), dtype=np.int64),
        lowers=np.zeros((rows, numbers), dtype=np.int64),
        tried=np.zeros((rows, tuning.tried_partitions), dtype=np.uint64),
        seen=np.zeros(guesses, dtype=tables.bits.dtype),
        parts=np.zeros(guesses, dtype=np.uint8),
        counts=np.zeros(numbers, dtype=np.int64),
        part_keys=np.zeros(numbers, dtype=np.uint64),
        order=np.zeros(numbers, dtype=np.int64),
        marks=np.zeros(guesses, dtype=np.uint8),
    )


def stack_rows(codes: int, tuning: Tuning = DEFAULT) -> int:
    """Return the number of rows of a stack for sets of ``codes`` codes, at most `Tuning.stack_rows` + 2.

    Every guess leaves fewer codes, so a search is never deeper than ``codes``; in large sets it leaves far fewer.
    """
    return min(codes, tuning.stack_rows) + 2


def stack_bytes(codes: int, guesses: int, tuning: Tuning = DEFAULT) -> int:
    """Return the approximate size, in bytes, of a stack for ``codes`` codes and ``guesses`` guesses."""
    row = 8 * (codes + guesses + tuning.tried_partitions) + 2048
    return stack_rows(codes, tuning) * row + 16 * guesses
