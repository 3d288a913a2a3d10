"""Bounds of least totals in one array that threads share without a lock (a transposition table).

An entry has three words: the key and the check word of a set, each combined with the value by exclusive or, and the
value. If a thread reads an entry while another thread writes it, the words do not match each other, and the entry seems
to belong to another set. Source: R. M. Hyatt and T. Mann, A lock-less transposition table implementation for parallel
search, ICGA Journal 25 (2002).

The value holds a lower and an upper bound of the total and the number of codes. The bounds of a set can be stored in
one of four entries, which depend on its key. If all four are taken, the entry with the fewest codes is replaced,
because it is the cheapest to compute again.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.kernels import kernel

TotalsTable = NDArray[np.uint64]
"""The entries: shape (a power of two, 3), all zeros at first."""

ENTRY_BYTES: Final = 24
NO_BOUND: Final = (1 << 24) - 1
"""An unknown upper bound."""

_SLOTS: Final = 4
_FIELD: Final = 24


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
