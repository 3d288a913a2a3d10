"""The last step of a count: codes are put together from the rows of two tables and the last color.

For each row of one table and each set of pegs that the last color can take, the rows of the other table that color the
remaining pegs and lead to the feedback of every answered guess are looked up by a hash of their scores.
"""

import numpy as np

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
    Rows,
    Table,
    Words,
)
from evilpegs_game.counting.peg_subsets import list_inner_subsets, new_inner_subsets
from evilpegs_game.counting.row_index import MIX, STIR, hash_words, index_rows, new_chains
from evilpegs_game.counting.score_increments import score_increments
from evilpegs_game.kernels import kernel


@kernel
def join(layout: Layout, one: Table, other: Table, color: int, sizes: Index) -> int:
    """Add to ``sizes`` the codes that rows of ``one``, the last color and rows of ``other`` form; return the look-ups.

    Codes with some blacks and matches with the open guess are added to ``sizes[black << open_bits | match]``.
    ``color``, the last color, is given to each peg subset that can have it, so that no table with all colors, which
    would be the largest, is made.
    """
    increments = score_increments(layout, color)
    subsets, targets = layout.subsets, layout.lanes.targets
    open_mask, open_bits = layout.lanes.open_mask, layout.lanes.open_bits
    inner = new_inner_subsets(subsets)
    numbers, choices = inner.numbers, inner.choices
    starts, rows, other_starts, other_rows = one.starts, one.rows, other.starts, other.rows
    chains, arrangements = new_chains(other), subsets.arrangements
    heads, following = chains.heads, chains.following
    wide = rows.shape[1] == 5
    last_subset = subsets.sizes.size - 1
    answered = ~open_mask
    all_black, all_match, all_black2, all_match2 = _required_scores(targets, answered)
    looked_up = 0
    for subset in range(last_subset + 1):
        base, end = other_starts[last_subset - subset], other_starts[last_subset - subset + 1]
        if base == end:
            continue
        mask = index_rows(other, last_subset - subset, open_mask, chains)
        for index in range(list_inner_subsets(subsets, subset, inner)):
            added = numbers[index]
            first, last = starts[subset - added], starts[subset - added + 1]
            if first == last or not increments[added, COLORINGS]:
                continue
            factor = increments[added, COLORINGS] * choices[index] * arrangements[subset]
            needed_black = all_black - (increments[added, BLACK] & answered)
            needed_match = all_match - (increments[added, MATCH] & answered)
            needed_black2 = needed_match2 = np.uint64(0)
            if wide:
                needed_black2 = all_black2 - increments[added, BLACK_2]
                needed_match2 = all_match2 - increments[added, MATCH_2]
            looked_up += last - first
            for row in range(first, last):
                black = needed_black - (rows[row, BLACK] & answered)
                match = needed_match - (rows[row, MATCH] & answered)
                black2 = match2 = np.uint64(0)
                if wide:
                    black2, match2 = needed_black2 - rows[row, BLACK_2], needed_match2 - rows[row, MATCH_2]
                partner = heads[hash_words(black + black2 * MIX, match + match2 * STIR) & mask]
                while partner >= 0:
                    if _has_scores(other_rows, partner, answered, black, match, black2, match2):
                        got = rows[row, BLACK] + increments[added, BLACK] + other_rows[partner, BLACK] & open_mask
                        met = rows[row, MATCH] + increments[added, MATCH] + other_rows[partner, MATCH] & open_mask
                        sizes[np.int64((got << np.uint64(open_bits)) | met)] += np.int64(
                            factor * rows[row, COLORINGS] * other_rows[partner, COLORINGS]
                        )
                    partner = following[partner - base]
    return looked_up


@kernel
def _required_scores(targets: Words, answered: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    black, white = targets[0, NEEDED_BLACK] & answered, targets[0, NEEDED_WHITE] & answered
    if targets.shape[0] == 1:
        return black, black + white, np.uint64(0), np.uint64(0)
    return black, black + white, targets[1, NEEDED_BLACK], targets[1, NEEDED_BLACK] + targets[1, NEEDED_WHITE]


@kernel
def _has_scores(
    rows: Rows, row: int, answered: np.uint64, black: np.uint64, match: np.uint64, black2: np.uint64, match2: np.uint64
) -> bool:
    # a guess that scored too much already made the subtraction go below 0: its bits then hold more than any row has
    # there
    same = rows[row, BLACK] & answered == black and rows[row, MATCH] & answered == match
    return bool(same and (rows.shape[1] == 3 or (rows[row, BLACK_2] == black2 and rows[row, MATCH_2] == match2)))
