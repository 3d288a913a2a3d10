"""What a search for a least total works on: its limits, the guess tables, the stack, and bounds known so far.

Compiled code reads the fields of records as attributes. Python code reads them as items, which is ten times as fast.
Every array that a kernel is given costs it a counted reference, so those called most are given few.

Bounds of least totals are in one array that threads share without a lock (a transposition table). An entry
has three words: the key and the check word of a set, each combined with the value by exclusive or, and the value. If a
thread reads an entry while another thread writes it, the words do not match each other, and the entry seems to belong
to another set. Source: R. M. Hyatt and T. Mann, A lock-less transposition table implementation for parallel search,
ICGA Journal 25 (2002).

The value holds a lower and an upper bound of the total and the number of codes. The bounds of a set can be stored in
one of four entries, which depend on its key. If all four are taken, the entry with the fewest codes is replaced,
because it is the cheapest to compute again.
"""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codemakers.small_sets import MAX_FEEDBACKS, FeedbackMatrix, FeedbackSets, Ints
from evilpegs_game.kernels import kernel
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

OrbitTable = NDArray[np.int32]
"""The orbits of the guesses after one guess: shape (feedbacks, guesses), or no rows at all.

The row of a feedback holds the orbit number of each guess, or -1 everywhere if the orbits are unknown.
"""

TotalsTable = NDArray[np.uint64]
"""The entries: shape (a power of two, 3), all zeros at first."""

ENTRY_BYTES: Final = 24
NO_BOUND: Final = (1 << 24) - 1
"""An unknown upper bound."""

_SLOTS: Final = 4
_FIELD: Final = 24


@dataclass(frozen=True, slots=True)
class Tuning:
    """Limits of time and memory for the search of least totals; none of them changes a total.

    ``rough_width``: the guesses tried per set to find a first upper bound.
    ``shared_codes``: sets of at least this many codes share their guesses among threads, and report each guess tried.
    ``kept_bytes``: guess matrices are kept for later use while all of them together take at most this many bytes.
    ``patience``: the feedback evaluations spent on one guess before the guesses after it are grouped into orbits.
    ``orbit_codes``: sets of at least this many codes have their guesses grouped into orbits.
    ``tried_partitions``: the number of partitions remembered per set, so that equal ones are skipped.
    ``stack_rows``: the most guesses that a search plays one after another.
    ``max_matrix_bytes``: a guess matrix that takes more bytes, with the stack of one search, is refused.
    ``first_guess_codes``: `LeastTotal` examines the first guesses of live sets with more codes one by one.
    ``table_entries``: entries of the `totals_table` of `solve`, a power of two; None lets the rules decide.
    """

    rough_width: int = 3
    shared_codes: int = 100
    kept_bytes: int = 1 << 28
    patience: int = 50_000_000
    orbit_codes: int = 40
    tried_partitions: int = 1024
    stack_rows: int = 128
    max_matrix_bytes: int = 1 << 29
    first_guess_codes: int = 700
    table_entries: int | None = None


DEFAULT: Final = Tuning()


def _record(numbers: str, arrays: str = "", words: str = "") -> np.dtype[np.record]:
    kinds = (numbers, "i8", ()), (arrays, "i8", MAX_FEEDBACKS), (words, "u8", MAX_FEEDBACKS)
    fields = [(field, kind, shape) for names, kind, shape in kinds for field in names.split()]
    record: np.dtype[np.record] = np.dtype((np.record, fields))  # type: ignore[assignment]
    return record


NODE: Final = _record(
    "start codes upper best least limit most listed following guess lower open_parts part tried",
    "starts sizes lowers counts order",
    "part_keys",
)
"""A node of the search: a set of codes and how far its guesses were tried.

``start`` and ``codes``: the index of the first code in this row of `SearchStack.codes`, and the number of codes.
``upper``: the search looks for totals below this bound only.
``best``: the incumbent, that is the index of the guess that attains ``upper``, or `NONE` or `ELSEWHERE`.
``least``: a lower bound of the totals of all guesses that were tried and did not beat ``upper``.
``limit``: the number of guesses allowed per code.
``most``: the most parts into which any guess may split the set, known when the guesses are listed.
``listed``: the number of entries in the list of guesses to try.
``following``: the index of the next entry to try.
``guess``: the index of the guess being tried.
``lower``: a lower bound of the total with the guess being tried.
``open_parts``: the parts of this guess that are not solved yet and that bounds alone did not solve.
``part``: the index of the open part to solve next.
``tried``: the number of partitions in `SearchStack.tried`.
``starts``, ``sizes``, ``lowers``: of each open part, the index of its first code in the next row of
`SearchStack.codes`, its number of codes, and a lower bound of its least total. ``counts`` and ``part_keys``, by
feedback number, and ``order`` are working memory, as is ``lowers`` until the parts are bounded.
"""

CONTROL: Final = _record("work allowed width is_first_enough")
"""The bounds of a search, and its ``work``.

``allowed``: the search stops when ``work`` exceeds this number.
``width``: the number of guesses tried per set, 0 for all; with a width, only upper bounds are proved.
``is_first_enough``: nonzero to stop at the first guess that beats the upper bound.
"""

SHARED: Final = _record("upper is_stopped")
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
    ``least_totals``, ``max_codes``: see `least_total_table` and `max_codes_within`.
    ``all_black``: its feedback number, the last one.
    """

    by_guess: FeedbackMatrix
    bits: FeedbackSets
    self_guess: Indices
    code_keys: Words
    least_totals: Ints
    max_codes: Ints
    all_black: int


class SearchStack(NamedTuple):
    """The state of a search, one row per depth: row 0 is the set to solve, and each guess played adds a row.

    ``state``: records of the type `NODE`, one per row.
    ``codes``: row 0 is the set to solve; a later row has the codes of the set above, part after part of the guess
    being tried there, and its own set is one of these parts.
    ``entries``: the guesses to try in each row, each in the low `GUESS_BITS` bits with its estimate above.
    ``tried``: digests of the partitions tried in each row.

    ``seen`` and ``parts`` are working memory, with one element per guess.
    """

    state: NDArray[Any]
    codes: Indices
    entries: Ints
    tried: Words
    seen: FeedbackSets
    parts: Numbers


def new_stack(tables: GuessTables, tuning: Tuning = DEFAULT) -> SearchStack:
    guesses, codes = tables.by_guess.shape
    rows = stack_rows(codes, tuning)
    return SearchStack(
        state=np.zeros(rows, NODE),
        codes=np.zeros((rows, codes), dtype=np.int32),
        entries=np.zeros((rows, guesses), dtype=np.int64),
        tried=np.zeros((rows, tuning.tried_partitions), dtype=np.uint64),
        seen=np.zeros(guesses, dtype=tables.bits.dtype),
        parts=np.zeros(guesses, dtype=np.uint8),
    )


def stack_rows(codes: int, tuning: Tuning = DEFAULT) -> int:
    # every guess leaves fewer codes, so a search needs at most one row per code and two more; in large sets a
    # guess leaves far fewer codes, so the bound of ``tuning`` is enough
    return min(codes, tuning.stack_rows) + 2


def stack_bytes(codes: int, guesses: int, tuning: Tuning = DEFAULT) -> int:
    row = 4 * codes + 8 * (guesses + tuning.tried_partitions) + NODE.itemsize
    return stack_rows(codes, tuning) * row + 9 * guesses


def new_totals(entries: int) -> TotalsTable:
    """Return an empty table; ``entries`` is a power of two, and at least four."""
    return np.zeros((entries, 3), dtype=np.uint64)


@kernel
def _lower(value: np.uint64) -> int:
    return int(np.int64(value & np.uint64(NO_BOUND)))


@kernel
def _upper(value: np.uint64) -> int:
    return int(np.int64((value >> np.uint64(_FIELD)) & np.uint64(NO_BOUND)))


@kernel
def look_up(totals: TotalsTable, key: np.uint64, check: np.uint64) -> tuple[int, int]:
    """Return the bounds of the set with these words of `set_key`; 0 and `NO_BOUND` if unknown."""
    first = (key & np.uint64(totals.shape[0] - 1)) & ~np.uint64(_SLOTS - 1)
    for slot in range(_SLOTS):
        index = first + np.uint64(slot)
        value = totals[index, 2]
        if totals[index, 0] ^ value == key and totals[index, 1] ^ value == check and value != np.uint64(0):
            return _lower(value), _upper(value)
    return 0, NO_BOUND


@kernel
def store(totals: TotalsTable, key: np.uint64, check: np.uint64, codes: int, lower: int, upper: int) -> None:
    """Store bounds of the set with these words of `set_key`; a tighter known bound remains."""
    first = (key & np.uint64(totals.shape[0] - 1)) & ~np.uint64(_SLOTS - 1)
    chosen, least, most = first, lower, upper
    fewest = np.uint64(1 << 32)
    for slot in range(_SLOTS):
        index = first + np.uint64(slot)
        value = totals[index, 2]
        if totals[index, 0] ^ value == key and totals[index, 1] ^ value == check and value != np.uint64(0):
            least, most = max(least, _lower(value)), min(most, _upper(value))
            chosen = index
            break
        held_codes = value >> np.uint64(2 * _FIELD)
        if held_codes < fewest:
            fewest, chosen = held_codes, index
    value = np.uint64(least) | np.uint64(most) << np.uint64(_FIELD) | np.uint64(codes) << np.uint64(2 * _FIELD)
    totals[chosen, 2] = value
    totals[chosen, 0] = key ^ value
    totals[chosen, 1] = check ^ value
