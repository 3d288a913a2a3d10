"""A hash index over the table rows of one peg subset, by their scores with the answered guesses."""

from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.counting.layout import BLACK, BLACK_2, MATCH, MATCH_2, Rows, Slots, Table
from evilpegs_game.kernels import kernel

MIX: Final = np.uint64(0x9E3779B97F4A7C15)
STIR: Final = np.uint64(0xC2B2AE3D27D4EB4F)
_HIGH: Final = np.uint64(32)


class Chains(NamedTuple):
    """A linked list (chain) of rows for each hash.

    ``heads``, int32 (a power of two,), is the first row of the chain of each masked hash. ``following[i]``, int32, is
    the row after the peg subset's row ``i`` in its chain. Rows are indices in the table, and -1 ends a chain.
    """

    heads: Slots
    following: Slots


@kernel
def new_chains(table: Table) -> Chains:
    """Return an index with undefined elements, long enough for any one peg subset of ``table``."""
    max_rows = np.diff(table.starts).max()
    return Chains(np.empty(_heads_for(max_rows), np.int32), np.empty(max_rows, np.int32))


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
    return size - 1


@kernel
def hash_words(black: np.uint64, match: np.uint64) -> int:
    return np.int64(((black * STIR + match) * MIX) >> _HIGH)  # type: ignore[return-value]


@kernel
def row_hash(rows: Rows, row: int, open_mask: np.uint64) -> int:
    """Hash the scores of a row but those in ``open_mask``."""
    black, match = rows[row, BLACK] & ~open_mask, rows[row, MATCH] & ~open_mask
    if rows.shape[1] == 5:
        black += rows[row, BLACK_2] * MIX
        match += rows[row, MATCH_2] * STIR
    return hash_words(black, match)


@kernel
def index_rows(table: Table, subset: int, open_mask: np.uint64, chains: Chains) -> int:
    """Fill ``chains`` with the rows of one peg subset; return the mask of `clear_chains`."""
    first, last = table.starts[subset], table.starts[subset + 1]
    mask = clear_chains(chains, last - first)
    heads, following, rows = chains.heads, chains.following, table.rows
    for row in range(first, last):
        slot = row_hash(rows, row, open_mask) & mask
        following[row - first] = heads[slot]
        heads[slot] = row
    return mask
