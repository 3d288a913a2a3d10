"""Links between the table rows of `SolutionTables`: which rows complete each other, and the row that each came from.

A table row stands for all partial codes that color the same pegs and have the same scores with the guesses. Each table
has one color more than the table before it. There are tables for two halves of the colors; a row of one half and a row
of the other half complete each other if together they form codes with the feedback of every guess.
"""

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.compiled import kernel
from evilpegs_game.counting.layout import (
    BLACK,
    BLACK_2,
    COLORINGS,
    MATCH,
    MATCH_2,
    NEEDED_BLACK,
    NEEDED_WHITE,
    Index,
    Layout,
    PegSubsets,
    Rows,
    Slots,
    Table,
    Words,
)
from evilpegs_game.counting.peg_subsets import list_inner_subsets, new_inner_subsets
from evilpegs_game.counting.row_index import (
    MIX,
    STIR,
    Chains,
    clear_chains,
    hash_words,
    index_rows,
    new_chains,
    row_hash,
)


@kernel
def partners(layout: Layout, one: Table, other: Table) -> Index:
    """Return, for each row of the table ``one``, the index of the row of ``other`` that completes it, or -1: int64.

    A row stands for all partial codes that color the same pegs with the same scores. Two rows complete each other if
    together they color every peg once and their scores add up to the feedback of every guess. Every guess of ``layout``
    must have a feedback: each row then has at most one partner.
    """
    last_subset, targets, none = layout.subsets.sizes.size - 1, layout.lanes.targets, np.uint64(0)
    starts, rows, other_starts, other_rows = one.starts, one.rows, other.starts, other.rows
    partner_of = np.full(rows.shape[0], -1, np.int64)
    chains = new_chains(other)
    heads, following = chains.heads, chains.following
    for subset in range(last_subset + 1):
        base, end = other_starts[last_subset - subset], other_starts[last_subset - subset + 1]
        if base == end or starts[subset] == starts[subset + 1]:
            continue
        mask = index_rows(other, last_subset - subset, none, chains)
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
    """Return True if the scores of two table rows add up to the feedback of every guess.

    The table rows are ``rows[row]`` and ``other[partner]``. ``targets`` has the scores that the feedback requires, as
    in `ScoreLanes`.
    """
    for word in range(targets.shape[0]):
        black = rows[row, BLACK + 2 * word] + other[partner, BLACK + 2 * word]
        match = rows[row, MATCH + 2 * word] + other[partner, MATCH + 2 * word]
        if black != targets[word, NEEDED_BLACK] or match - black != targets[word, NEEDED_WHITE]:
            return False
    return True


@kernel
def _complement_hash(rows: Rows, row: int, targets: Words) -> int:
    """Return the hash, by `row_hash`, of a row that would complete ``rows[row]``.

    The scores of that row are those in ``targets``, which the feedback of the guesses requires, minus those of
    ``rows[row]``.
    """
    black = targets[0, NEEDED_BLACK] - rows[row, BLACK]
    match = targets[0, NEEDED_BLACK] + targets[0, NEEDED_WHITE] - rows[row, MATCH]
    if rows.shape[1] == 5:
        black += (targets[1, NEEDED_BLACK] - rows[row, BLACK_2]) * MIX
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

    A table row stands for all partial codes that color the same pegs with the same scores. ``table`` has one color more
    than ``previous``; ``increments[added]`` is what this color adds to the scores if the peg subset ``added`` gets it.
    ``live``, one element per row of ``table``, marks the wanted rows. A step, or edge, is three indices: the row of
    ``previous``, the peg subset that gets the color, and the row of ``table``. ``edges`` is int32, shape
    (max_edges, 3), and is filled in the order of the peg subsets of the rows of ``table``. The number of edges is at
    most the number of partial codes that the wanted rows stand for.
    """
    count, chains, inner = 0, new_chains(table), new_inner_subsets(subsets)
    heads, following, numbers = chains.heads, chains.following, inner.numbers
    starts, rows, next_rows = previous.starts, previous.rows, table.rows
    for subset in range(subsets.sizes.size):
        base = table.starts[subset]
        mask = _index_live(table, subset, live, chains)
        if mask < 0:
            continue
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
def _index_live(table: Table, subset: int, live: NDArray[np.bool_], chains: Chains) -> int:
    """Fill the hash index ``chains`` with the wanted rows of one peg subset of ``table``, by their `row_hash`.

    ``subset`` is the index of the peg subset. ``live``, one element per row of ``table``, is True for the wanted rows.
    Return the bit mask that turns a hash into an index of ``chains.heads``, or -1 if no row of the peg subset is
    wanted.
    """
    first, last = table.starts[subset], table.starts[subset + 1]
    if not live[first:last].any():
        return -1
    mask = clear_chains(chains, last - first)
    heads, following, rows = chains.heads, chains.following, table.rows
    for row in range(first, last):
        if live[row]:
            slot = row_hash(rows, row, np.uint64(0)) & mask
            following[row - first] = heads[slot]
            heads[slot] = row
    return mask


@kernel
def _next_row_hash(rows: Rows, row: int, increments: Rows, added: int) -> int:
    """Return the hash, by `row_hash`, of the next table's row that ``rows[row]`` leads to if a peg subset gets a color.

    ``added`` is the index of the peg subset. ``increments[added]`` is what the color adds to the scores of the guesses.
    """
    black, match = rows[row, BLACK] + increments[added, BLACK], rows[row, MATCH] + increments[added, MATCH]
    if rows.shape[1] == 5:
        black += (rows[row, BLACK_2] + increments[added, BLACK_2]) * MIX
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
    """Return the row of ``previous`` from which a partial code of ``row`` was made, and the peg subset colored then.

    Both results are indices. ``row`` holds the columns of a row of the next table, which has one color more. It stands
    for several partial codes that color the pegs of the peg subset ``subset``; ``index`` (from 0) says which of them is
    meant. ``increments`` has one row per peg subset: what the color adds to the scores if the subset gets it. If
    ``row`` stands for no more than ``index`` partial codes, return (-1, -1).
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
