"""What is known of least totals, in one array that threads share without a lock.

Each entry is three words: two of a key, each with the value mixed in by exclusive or, and the value. Who reads an entry
while another writes it finds words that do not fit each other, and takes the entry for one of another key. Source:
R. M. Hyatt and T. Mann, A lock-less transposition table implementation for parallel search, ICGA Journal 25 (2002).

The value holds a lower and an upper bound of the total and the number of codes. Where a bucket is full, the entry of
fewest codes gives way: it is the cheapest to find out again.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.compiled import kernel

Totals = NDArray[np.uint64]
"""Entries: uint64, shape (a power of two, 3); nothing but zeros at first."""

ENTRY_BYTES: Final = 24
NO_BOUND: Final = (1 << 24) - 1
"""An upper bound where nothing is known."""

_SLOTS: Final = 4
_FIELD: Final = 24


def new_totals(entries: int) -> Totals:
    """Room for so many entries, a power of two and at least four."""
    return np.zeros((entries, 3), dtype=np.uint64)


@kernel
def _lower(value: np.uint64) -> int:
    return int(np.int64(value & np.uint64(NO_BOUND)))


@kernel
def _upper(value: np.uint64) -> int:
    return int(np.int64((value >> np.uint64(_FIELD)) & np.uint64(NO_BOUND)))


@kernel
def recall(totals: Totals, key: np.uint64, check: np.uint64) -> tuple[int, int]:
    """The lower and the upper bound known of a set; 0 and `NO_BOUND` if nothing is."""
    first = (key & np.uint64(totals.shape[0] - 1)) & ~np.uint64(_SLOTS - 1)
    for slot in range(_SLOTS):
        place = first + np.uint64(slot)
        value = totals[place, 2]
        if totals[place, 0] ^ value == key and totals[place, 1] ^ value == check and value != np.uint64(0):
            return _lower(value), _upper(value)
    return 0, NO_BOUND


@kernel
def note(totals: Totals, key: np.uint64, check: np.uint64, codes: int, lower: int, upper: int) -> None:
    """Note bounds beside those that are known."""
    first = (key & np.uint64(totals.shape[0] - 1)) & ~np.uint64(_SLOTS - 1)
    chosen, least, most = first, lower, upper
    fewest = np.uint64(1 << 32)
    for slot in range(_SLOTS):
        place = first + np.uint64(slot)
        value = totals[place, 2]
        if totals[place, 0] ^ value == key and totals[place, 1] ^ value == check and value != np.uint64(0):
            least, most = max(least, _lower(value)), min(most, _upper(value))
            chosen = place
            break
        held = value >> np.uint64(2 * _FIELD)
        if held < fewest:
            fewest, chosen = held, place
    value = np.uint64(least) | np.uint64(most) << np.uint64(_FIELD) | np.uint64(codes) << np.uint64(2 * _FIELD)
    totals[chosen, 2] = value
    totals[chosen, 0] = key ^ value
    totals[chosen, 1] = check ^ value
