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
"""Hash words of codes, and keys and digests of sets."""

NEVER: Final = 1 << 22
"""A total that no set has; as a bound: no tree is known or possible within the guesses allowed."""

UNLIMITED: Final = 1 << 20
"""A number of guesses that no tree reaches; as a limit it allows any number."""

GUESS_BITS: Final = 21
"""The low bits of a list entry, which hold the index of a guess; the bits above estimate its total."""

NONE: Final = -1
"""``best`` of a `NODE` if no guess is known to attain ``upper``."""
ELSEWHERE: Final = -2
"""``best`` of a `NODE` if some guess attains ``upper``, but which one is not known here."""


def _integers(*fields: str) -> np.dtype[np.record]:
    kind: np.dtype[np.record] = np.dtype((np.record, [(field, np.int64) for field in fields]))  # type: ignore[assignment]
    return kind


NODE: Final = _integers(
    "codes", "upper", "best", "least", "limit", "listed", "following", "guess", "lower", "open_parts", "part", "tried"
)
"""A node of the search: a set of codes and how far its guesses were tried.

``upper``: the search looks for totals below this bound only.
``best``: the incumbent, that is the index of the guess that attains ``upper``, or `NONE` or `ELSEWHERE`.
``least``: a lower bound of the totals of all guesses that were tried and did not beat ``upper``.
``limit``: the number of guesses allowed per code.
``listed``: the number of entries in the list of guesses to try.
``following``: the index of the next entry to try.
``guess``: the index of the guess being tried.
``lower``: a lower bound of the total with the guess being tried.
``open_parts``: the parts of this guess that are not solved yet and that bounds alone did not solve.
``part``: the index of the open part to solve next.
``tried``: the number of partitions in `SearchStack.tried`.
"""

CONTROL: Final = _integers("work", "allowed", "width", "is_first_enough")
"""The bounds of a search, and its ``work``.

``allowed``: the search stops when ``work`` exceeds this number.
``width``: the number of guesses tried per set, 0 for all; with a width, only upper bounds are proved.
``is_first_enough``: nonzero to stop at the first guess that beats the upper bound.
"""

SHARED: Final = _integers("upper", "is_stopped")
"""The words that searches of one set in several threads share.

``upper``: the least upper bound of the total of the set that any of them has found.
``is_stopped``: nonzero to stop all of them.
"""


def new_record(kind: np.dtype[np.record], **values: int) -> np.record:
    record: np.record = np.zeros(1, kind)[0]
    for field, value in values.items():
        record[field] = value
    return record


class GuessTables(NamedTuple):
    """A set of codes and the guesses to try against it and its subsets, as compiled code reads them.

    ``by_guess``: the feedback number of each guess and code, shape (guesses, codes).
    ``bits``: ``1 << feedback number`` of each code and guess, of an unsigned type, shape (codes, guesses).
    ``self_guess``: for each code of the set, the index of the guess that is this code.
    ``code_keys``: two hash words per code, from which keys of sets are summed, shape (codes, 2).
    ``least_totals``: see `size_bounds.least_total_table`.
    ``max_codes``: see `size_bounds.max_codes_within`.
    ``all_black``: its feedback number, the last one.
    """

    by_guess: FeedbackMatrix
    bits: FeedbackSets
    self_guess: Indices
    code_keys: Words
    least_totals: Ints
    max_codes: Ints
    all_black: int


OrbitTable = NDArray[np.int32]
"""The orbits of the guesses after one guess: shape (feedbacks, guesses), or no rows at all.

The row of a feedback holds the orbit number of each guess, or -1 everywhere if the orbits are unknown.
"""


class SearchStack(NamedTuple):
    """The state of a search, one row per depth: row 0 is the set to solve, and each guess played adds a row.

    ``state``: records of the type `NODE`, one per row.
    ``codes``: the set of each row.
    ``entries``: the guesses to try in each row, each in the low `GUESS_BITS` bits with its estimate above.
    ``grouped``: the codes of each row, part after part of the guess being tried.
    ``starts``: the index in ``grouped`` at which each open part begins, a part of this guess that is not solved yet.
    ``sizes``: the number of codes of each open part.
    ``lowers``: a lower bound of the least total of each open part.
    ``tried``: digests of the partitions tried in each row.

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
    # every guess leaves fewer codes, so a search needs at most one row per code and two more; in large sets a
    # guess leaves far fewer codes, so the bound of ``tuning`` is enough
    return min(codes, tuning.stack_rows) + 2


def stack_bytes(codes: int, guesses: int, tuning: Tuning = DEFAULT) -> int:
    """Return the approximate size of a stack."""
    row = 8 * (codes + guesses + tuning.tried_partitions) + 2048
    return stack_rows(codes, tuning) * row + 16 * guesses
