"""Rows found by what they say of the guesses."""

from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.compiled import kernel
from evilpegs_game.counting.layout import Rows, Slots, Table

MIX: Final = np.uint64(0x9E3779B97F4A7C15)
STIR: Final = np.uint64(0xC2B2AE3D27D4EB4F)
_HIGH: Final = np.uint64(32)


class Chains(NamedTuple):
    """The rows of one fill, chained by hash; -1 where a chain ends.

    ``heads`` int32 (a power of two,) by hash, ``following`` int32 (most rows of a fill,) by row of the fill.
    """

    heads: Slots
    following: Slots


@kernel
def new_chains(table: Table) -> Chains:
    """Room for the rows of any fill of this table."""
    most = np.diff(table.starts).max()
    return Chains(np.empty(_heads_for(most), np.int32), np.empty(most, np.int32))


@kernel
def _heads_for(rows: int) -> int:
    """A power of two: so many chains that they stay short."""
    size = 16
    while size < 2 * rows:
        size *= 2
    return size


@kernel
def emptied(chains: Chains, rows: int) -> int:
    """Chains without a row, as many as so many rows need; the mask for their hashes."""
    size = _heads_for(rows)
    chains.heads[:size] = -1
    return size - 1


@kernel
def hashed(black: np.uint64, match: np.uint64) -> int:
    """A hash of two words, at most 32 bits."""
    return np.int64(((black * STIR + match) * MIX) >> _HIGH)  # type: ignore[return-value]


@kernel
def row_hash(rows: Rows, row: int, asked: np.uint64) -> int:
    """The hash of what a row says of the answered guesses."""
    black, match = rows[row, 1] & ~asked, rows[row, 2] & ~asked
    if rows.shape[1] == 5:
        black += rows[row, 3] * MIX
        match += rows[row, 4] * STIR
    return hashed(black, match)


@kernel
def index_rows(table: Table, fill: int, asked: np.uint64, chains: Chains) -> int:
    """Chain the rows of a fill by what they say of the answered guesses; the mask for hashes."""
    first, last = table.starts[fill], table.starts[fill + 1]
    mask = emptied(chains, last - first)
    heads, following, rows = chains.heads, chains.following, table.rows
    for row in range(first, last):
        slot = row_hash(rows, row, asked) & mask
        following[row - first] = heads[slot]
        heads[slot] = row
    return mask
