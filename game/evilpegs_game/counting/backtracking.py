"""Links between the table rows of `SolutionTables`: which rows complete each other, and where each row came from.

Each table has one color more than the table before it, for two halves of the colors. A row of one half and a row of the
other complete each other if together they form codes with the feedback of every guess.
"""

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.counting.layout import (
    BLACK,
    BLACK_2,
    COLORINGS,
    MATCH,
    MATCH_2,
    NEEDED_BLACK,
    NEEDED_WHITE,
    STIR,
    Index,
    Layout,
    PegSubsets,
    Rows,
    Slots,
    Table,
    Words,
    hash_words,
    index_rows,
    list_inner_subsets,
    new_chains,
    new_inner_subsets,
)
from evilpegs_game.kernels import GOLDEN, kernel


@kernel
def partners(layout: Layout, one: Table, other: Table) -> Index:
    """Return, for each row of ``one``, the row of ``other`` that completes it, or -1: int64.

    Every guess of ``layout`` must have a feedback: each row then has at most one partner.
    """
    last_subset, targets, none = layout.subsets.sizes.size - 1, layout.lanes.targets, np.uint64(0)
    starts, rows, other_starts, other_rows = one.starts, one.rows, other.starts, other.rows
    partner_of = np.full(rows.shape[0], -1, np.int64)
    chains = new_chains(np.diff(other_starts).max())
    heads, following, every = chains.heads, chains.following, np.ones(other_rows.shape[0], np.bool_)
    for subset in range(last_subset + 1):
        base, end = other_starts[last_subset - subset], other_starts[last_subset - subset + 1]
        if base == end or starts[subset] == starts[subset + 1]:
            continue
        mask = index_rows(other_rows, base, end, none, chains, every)
        for row in range(starts[subset], starts[subset + 1]):
            partner = heads[_complement_hash(rows, row, targets) & mask]
            while partner >= 0:
                if _is_complement(rows, row, other_rows, partner, targets):
                    partner_of[row] = partner
                    break
                partner = following[partner - base]
    return partner_of


@kernel
def _is_complement(rows: Rows, row: int, other: Rows, partner: int, targets: Words) -> bool:
    for word in range(targets.shape[0]):
        black = rows[row, BLACK + 2 * word] + other[partner, BLACK + 2 * word]
        match = rows[row, MATCH + 2 * word] + other[partner, MATCH + 2 * word]
        if black != targets[word, NEEDED_BLACK] or match - black != targets[word, NEEDED_WHITE]:
            return False
    return True


@kernel
def _complement_hash(rows: Rows, row: int, targets: Words) -> int:
    black = targets[0, NEEDED_BLACK] - rows[row, BLACK]
    match = targets[0, NEEDED_BLACK] + targets[0, NEEDED_WHITE] - rows[row, MATCH]
    if rows.shape[1] == 5:
        black += (targets[1, NEEDED_BLACK] - rows[row, BLACK_2]) * GOLDEN
        match += (targets[1, NEEDED_BLACK] + targets[1, NEEDED_WHITE] - rows[row, MATCH_2]) * STIR
    return hash_words(black, match)


@kernel
def list_live_edges(
    subsets: PegSubsets,
    previous: Table,
    increments: Rows,
    table: Table,
    live: NDArray[np.bool_],
    edges: Slots,
) -> int:
    """Write to ``edges`` the steps from rows of ``previous`` to the wanted rows of ``table``; return their number.

    ``table`` has one color more than ``previous``; ``increments`` are those of this color. ``live`` marks the wanted
    rows. An edge is three indices: the row of ``previous``, the peg subset that gets the color, the row of ``table``.
    ``edges``, int32 (max_edges, 3), is filled in the order of the peg subsets of ``table``; it needs at most one edge
    per partial code of the wanted rows.
    """
    count, chains, inner = 0, new_chains(np.diff(table.starts).max()), new_inner_subsets(subsets)
    heads, following, numbers = chains.heads, chains.following, inner.numbers
    starts, rows, next_rows = previous.starts, previous.rows, table.rows
    for subset in range(subsets.sizes.size):
        base, end = table.starts[subset], table.starts[subset + 1]
        if not live[base:end].any():
            continue
        mask = index_rows(next_rows, base, end, np.uint64(0), chains, live)
        for index in range(list_inner_subsets(subsets, subset, inner)):
            added = numbers[index]
            if not increments[added, COLORINGS]:
                continue
            for row in range(starts[subset - added], starts[subset - added + 1]):
                next_row = heads[_next_row_hash(rows, row, increments, added) & mask]
                while next_row >= 0:
                    if _leads_to(rows, row, increments, added, next_rows, next_row):
                        edges[count, 0], edges[count, 1], edges[count, 2] = row, added, next_row
                        count += 1
                        break
                    next_row = following[next_row - base]
    return count


@kernel
def _next_row_hash(rows: Rows, row: int, increments: Rows, added: int) -> int:
    black, match = rows[row, BLACK] + increments[added, BLACK], rows[row, MATCH] + increments[added, MATCH]
    if rows.shape[1] == 5:
        black += (rows[row, BLACK_2] + increments[added, BLACK_2]) * GOLDEN
        match += (rows[row, MATCH_2] + increments[added, MATCH_2]) * STIR
    return hash_words(black, match)


@kernel
def _leads_to(rows: Rows, row: int, increments: Rows, added: int, next_rows: Rows, next_row: int) -> bool:
    for column in range(1, rows.shape[1]):
        if rows[row, column] + increments[added, column] != next_rows[next_row, column]:
            return False
    return True


@kernel
def step_back(
    subsets: PegSubsets, previous: Table, increments: Rows, subset: int, row: Words, index: int
) -> tuple[int, int]:
    """Return the row of ``previous`` that a partial code of ``row`` was made from, and the peg subset colored then.

    ``row`` holds the columns of a row of the next table, which colors the peg subset ``subset``; ``index`` says which
    of its partial codes is meant. Return (-1, -1) if it stands for no more than ``index``.
    """
    left, inner, starts, rows = np.uint64(index), new_inner_subsets(subsets), previous.starts, previous.rows
    for number in range(list_inner_subsets(subsets, subset, inner)):
        added = inner.numbers[number]
        if not increments[added, COLORINGS]:
            continue
        for origin in range(starts[subset - added], starts[subset - added + 1]):
            same = True
            for column in range(1, row.size):
                same = same and rows[origin, column] + increments[added, column] == row[column]
            if same:
                if left < rows[origin, COLORINGS]:
                    return origin, added
                left -= rows[origin, COLORINGS]
    return -1, -1
