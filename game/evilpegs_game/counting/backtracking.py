"""Links between the table rows of `SolutionTables`: which rows complete each other, and where each row came from.

Each table has one color more than the table before it, for two halves of the colors. A row of one half and a row of the
other complete each other if together they form codes with the feedback of every guess.
"""

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.counting.layout import (
    COLORINGS,
    SCORE,
    STARTS,
    Index,
    Layout,
    Rows,
    Slots,
    Table,
    Words,
    add_word,
    hash_score,
    index_rows,
    is_sum,
    list_inner_subsets,
    most_rows,
    new_chains,
    new_inner_subsets,
    required_scores,
)
from evilpegs_game.kernels import kernel


@kernel
def partners(layout: Layout, one: Table, other: Table) -> Index:
    """Return, for each row of ``one``, the row of ``other`` that completes it, or -1: int64.

    Every guess of ``layout`` must have a feedback: each row then has at most one partner.
    """
    last_subset, required = layout.subsets.sizes.size - 1, required_scores(layout.lanes.targets)
    lane_starts = layout.lanes.targets[:, STARTS]
    starts, rows, other_starts, other_rows = one.starts, one.rows, other.starts, other.rows
    partner_of = np.full(rows.shape[0], -1, np.int64)
    chains = new_chains(most_rows(other_starts))
    heads, following, every = chains.heads, chains.following, np.ones(other_rows.shape[0], np.bool_)
    for subset in range(last_subset + 1):
        base, end = other_starts[last_subset - subset], other_starts[last_subset - subset + 1]
        if base == end or starts[subset] == starts[subset + 1]:
            continue
        mask = index_rows(other_rows, base, end, np.uint64(0), chains, every)
        for row in range(starts[subset], starts[subset + 1]):
            partner = heads[_complement_hash(rows, row, required) & mask]
            while partner >= 0:
                if _are_sums(rows[row], other_rows[partner], required, lane_starts):
                    partner_of[row] = partner
                    break
                partner = following[partner - base]
    return partner_of


@kernel
def _are_sums(row: Words, other: Words, scores: Words, lane_starts: Words) -> bool:
    for word in range(scores.size):
        if not is_sum(row[SCORE + word], other[SCORE + word], scores[word], lane_starts[word]):
            return False
    return True


@kernel
def _complement_hash(rows: Rows, row: int, required: Words) -> int:
    others = np.uint64(0)
    for word in range(1, required.size):
        others = add_word(others, required[word] - rows[row, SCORE + word])
    return hash_score(required[0] - rows[row, SCORE], others)


@kernel
def list_live_edges(
    layout: Layout,
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
    subsets, lane_starts = layout.subsets, layout.lanes.targets[:, STARTS]
    count, chains, inner = 0, new_chains(most_rows(table.starts)), new_inner_subsets(subsets)
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
                    if _are_sums(rows[row], increments[added], next_rows[next_row, SCORE:], lane_starts):
                        edges[count, 0], edges[count, 1], edges[count, 2] = row, added, next_row
                        count += 1
                        break
                    next_row = following[next_row - base]
    return count


@kernel
def _next_row_hash(rows: Rows, row: int, increments: Rows, added: int) -> int:
    others = np.uint64(0)
    for column in range(SCORE + 1, rows.shape[1]):
        others = add_word(others, rows[row, column] + increments[added, column])
    return hash_score(rows[row, SCORE] + increments[added, SCORE], others)


@kernel
def step_back(
    layout: Layout, previous: Table, increments: Rows, subset: int, row: Words, index: int
) -> tuple[int, int]:
    """Return the row of ``previous`` that a partial code of ``row`` was made from, and the peg subset colored then.

    ``row`` holds the columns of a row of the next table, which colors the peg subset ``subset``; ``index`` says which
    of its partial codes is meant. Return (-1, -1) if it stands for no more than ``index``.
    """
    left, inner, starts, rows = np.uint64(index), new_inner_subsets(layout.subsets), previous.starts, previous.rows
    lane_starts = layout.lanes.targets[:, STARTS]
    for number in range(list_inner_subsets(layout.subsets, subset, inner)):
        added = inner.numbers[number]
        if not increments[added, COLORINGS]:
            continue
        for origin in range(starts[subset - added], starts[subset - added + 1]):
            if _are_sums(rows[origin], increments[added], row[SCORE:], lane_starts):
                if left < rows[origin, COLORINGS]:
                    return origin, added
                left -= rows[origin, COLORINGS]
    return -1, -1
