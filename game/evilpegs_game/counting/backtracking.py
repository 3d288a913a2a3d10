"""Ways through the tables of an atlas: from half to half, and from a table to the one before."""

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.compiled import kernel
from evilpegs_game.counting.layout import Fills, Index, Layout, Rows, Slots, Table, Words
from evilpegs_game.counting.peg_subsets import list_subsets, new_subsets
from evilpegs_game.counting.row_index import MIX, STIR, Chains, emptied, hashed, index_rows, new_chains, row_hash


@kernel
def partners(layout: Layout, one: Table, other: Table) -> Index:
    """For each row of one half the row of the other that completes it (there is one at most), or -1.

    No guess is asked: a feedback that is free would complete a row in several ways.
    """
    last_fill, targets, none = layout.fills.sizes.size - 1, layout.fields.targets, np.uint64(0)
    starts, rows, other_starts, other_rows = one.starts, one.rows, other.starts, other.rows
    found_for = np.full(rows.shape[0], -1, np.int64)
    chains = new_chains(other)
    heads, following = chains.heads, chains.following
    for fill in range(last_fill + 1):
        base, end = other_starts[last_fill - fill], other_starts[last_fill - fill + 1]
        if base == end or starts[fill] == starts[fill + 1]:
            continue
        mask = index_rows(other, last_fill - fill, none, chains)
        for row in range(starts[fill], starts[fill + 1]):
            found = heads[_complement_hash(rows, row, targets) & mask]
            while found >= 0:
                if _complete(rows, row, other_rows, found, targets):
                    found_for[row] = found
                    break
                found = following[found - base]
    return found_for


@kernel
def _complete(rows: Rows, row: int, other: Rows, found: int, targets: Words) -> bool:
    """Whether two rows together give every guess its feedback."""
    for word in range(targets.shape[0]):
        black = rows[row, 2 * word + 1] + other[found, 2 * word + 1]
        match = rows[row, 2 * word + 2] + other[found, 2 * word + 2]
        if black != targets[word, 0] or match - black != targets[word, 1]:
            return False
    return True


@kernel
def _complement_hash(rows: Rows, row: int, targets: Words) -> int:
    """The `row_hash` of what completes a row."""
    black, match = targets[0, 0] - rows[row, 1], targets[0, 0] + targets[0, 1] - rows[row, 2]
    if rows.shape[1] == 5:
        black += (targets[1, 0] - rows[row, 3]) * MIX
        match += (targets[1, 0] + targets[1, 1] - rows[row, 4]) * STIR
    return hashed(black, match)


@kernel
def live_edges(
    fills: Fills, before: Table, gains: Words, ways: Words, table: Table, live: NDArray[np.bool_], edges: Slots
) -> int:
    """How the live rows of a table come from the table of one color less; ``gains`` and ``ways`` are the color's.

    ``edges`` int32 (most, 3) is filled with (row, subset of pegs that gets the color, next row), in the order of the
    next rows' fills. Returns their number; it is at most the number of codes that the live rows stand for.
    """
    count, chains, subsets = 0, new_chains(table), new_subsets(fills)
    heads, following, numbers = chains.heads, chains.following, subsets.numbers
    starts, rows, next_rows = before.starts, before.rows, table.rows
    for fill in range(fills.sizes.size):
        base = table.starts[fill]
        mask = _index_live(table, fill, live, chains)
        if mask < 0:
            continue
        for place in range(list_subsets(fills, fill, subsets)):
            subset = numbers[place]
            if not ways[subset]:
                continue
            for row in range(starts[fill - subset], starts[fill - subset + 1]):
                found = heads[_moved_hash(rows, row, gains, subset) & mask]
                while found >= 0:
                    if _leads_to(rows, row, gains, subset, next_rows, found):
                        edges[count, 0], edges[count, 1], edges[count, 2] = row, subset, found
                        count += 1
                        break
                    found = following[found - base]
    return count


@kernel
def _index_live(table: Table, fill: int, live: NDArray[np.bool_], chains: Chains) -> int:
    """As `index_rows`, of the live rows only; -1 if there are none."""
    first, last = table.starts[fill], table.starts[fill + 1]
    if not live[first:last].any():
        return -1
    mask = emptied(chains, last - first)
    heads, following, rows = chains.heads, chains.following, table.rows
    for row in range(first, last):
        if live[row]:
            slot = row_hash(rows, row, np.uint64(0)) & mask
            following[row - first] = heads[slot]
            heads[slot] = row
    return mask


@kernel
def _moved_hash(rows: Rows, row: int, gains: Words, subset: int) -> int:
    """The `row_hash` of a row that has gained a subset of pegs."""
    black, match = rows[row, 1] + gains[subset, 0], rows[row, 2] + gains[subset, 1]
    if rows.shape[1] == 5:
        black += (rows[row, 3] + gains[subset, 2]) * MIX
        match += (rows[row, 4] + gains[subset, 3]) * STIR
    return hashed(black, match)


@kernel
def _leads_to(rows: Rows, row: int, gains: Words, subset: int, next_rows: Rows, found: int) -> bool:
    for column in range(1, rows.shape[1]):
        if rows[row, column] + gains[subset, column - 1] != next_rows[found, column]:
            return False
    return True


@kernel
def step_back(
    fills: Fills, before: Table, gains: Words, ways: Words, fill: int, row: Words, place: int
) -> tuple[int, int]:
    """The row of the table before, and the subset of pegs, from which the coloring number ``place`` of a row comes."""
    left, subsets, starts, rows = np.uint64(place), new_subsets(fills), before.starts, before.rows
    for number in range(list_subsets(fills, fill, subsets)):
        subset = subsets.numbers[number]
        if not ways[subset]:
            continue
        for origin in range(starts[fill - subset], starts[fill - subset + 1]):
            same = True
            for column in range(1, row.size):
                same = same and rows[origin, column] + gains[subset, column - 1] == row[column]
            if same:
                if left < rows[origin, 0]:
                    return origin, subset
                left -= rows[origin, 0]
    return -1, -1
