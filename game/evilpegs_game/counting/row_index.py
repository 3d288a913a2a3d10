"""A hash index over the table rows of one peg subset, keyed by the scores of the guesses that have a feedback.

A table row stands for all partial codes that give colors to the same pegs, the peg subset, with the same scores.
"""

from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.compiled import kernel
from evilpegs_game.counting.layout import BLACK, BLACK_2, MATCH, MATCH_2, Rows, Slots, Table

MIX: Final = np.uint64(0x9E3779B97F4A7C15)
STIR: Final = np.uint64(0xC2B2AE3D27D4EB4F)
_HIGH: Final = np.uint64(32)


class Chains(NamedTuple):
    """A hash index over the table rows of one peg subset: for each hash, a linked list (chain) of rows.

    ``heads``, int32 (a power of two,), is the first row of the chain of each masked hash. ``following[i]``, int32, is
    the row after the peg subset's row ``i`` (from 0) in its chain; this array is long enough for the peg subset with
    the most rows. Rows are indices in the table, and -1 ends a chain.
    """

    heads: Slots
    following: Slots


@kernel
def new_chains(table: Table) -> Chains:
    """Return a hash index, not yet filled, that is long enough for the rows of any one peg subset of ``table``.

    The elements of its arrays are undefined.
    """
    max_rows = np.diff(table.starts).max()
    return Chains(np.empty(_heads_for(max_rows), np.int32), np.empty(max_rows, np.int32))


@kernel
def _heads_for(rows: int) -> int:
    """Return the number of chains for ``rows`` rows: a power of two, at least twice ``rows``, so chains are short."""
    size = 16
    while size < 2 * rows:
        size *= 2
    return size


@kernel
def clear_chains(chains: Chains, rows: int) -> int:
    """Prepare the hash index ``chains`` for ``rows`` rows: empty as many of its linked lists (chains) as they need.

    Return the bit mask that turns a hash into an index of ``chains.heads``.
    """
    size = _heads_for(rows)
    chains.heads[:size] = -1
    return size - 1


@kernel
def hash_words(black: np.uint64, match: np.uint64) -> int:
    """Return a 32-bit hash of the 64-bit words ``black`` and ``match``."""
    return np.int64(((black * STIR + match) * MIX) >> _HIGH)  # type: ignore[return-value]


@kernel
def row_hash(rows: Rows, row: int, open_mask: np.uint64) -> int:
    """Return a 32-bit hash of the scores of the table row ``rows[row]`` with all guesses but the open guess.

    The open guess is the one whose parts are counted. ``open_mask`` marks its bits in the first word of scores; it is 0
    if there is no open guess.
    """
    black, match = rows[row, BLACK] & ~open_mask, rows[row, MATCH] & ~open_mask
    if rows.shape[1] == 5:
        black += rows[row, BLACK_2] * MIX
        match += rows[row, MATCH_2] * STIR
    return hash_words(black, match)


@kernel
def index_rows(table: Table, subset: int, open_mask: np.uint64, chains: Chains) -> int:
    """Fill the hash index ``chains`` with the rows of one peg subset of ``table``, by their `row_hash`.

    ``subset`` is the index of the peg subset. What ``chains`` held before is forgotten. Return the bit mask that turns
    a hash into an index of ``chains.heads``. ``open_mask`` marks the bits of the open guess, the one whose parts are
    counted; the hash leaves them out.
    """
    first, last = table.starts[subset], table.starts[subset + 1]
    mask = clear_chains(chains, last - first)
    heads, following, rows = chains.heads, chains.following, table.rows
    for row in range(first, last):
        slot = row_hash(rows, row, open_mask) & mask
        following[row - first] = heads[slot]
        heads[slot] = row
    return mask
