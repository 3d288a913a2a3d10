"""The last color: what completes the rows of one table is looked up in the other."""

import numpy as np

from evilpegs_game.compiled import kernel
from evilpegs_game.counting.layout import Index, Layout, Table
from evilpegs_game.counting.peg_subsets import list_subsets, new_subsets
from evilpegs_game.counting.row_index import MIX, STIR, hashed, index_rows, new_chains
from evilpegs_game.counting.score_increments import color_gains


@kernel
def join(layout: Layout, one: Table, other: Table, color: int, sizes: Index) -> int:  # noqa: C901
    """Give the last color to each set of the pegs that can have it, look up what completes the code, and count.

    So the last table is never made. ``sizes[black << bits | match]`` grows by the codes that give the asked guess so
    much. Returns how many rows were looked up.
    """
    gains, ways = color_gains(layout, color)
    fills, targets, asked, bits = layout.fills, layout.fields.targets, layout.fields.asked, layout.fields.bits
    subsets = new_subsets(fills)
    numbers, choices = subsets.numbers, subsets.choices
    starts, rows, other_starts, other_rows = one.starts, one.rows, other.starts, other.rows
    chains, arrangements = new_chains(other), fills.arrangements
    heads, following = chains.heads, chains.following
    wide = rows.shape[1] == 5
    last_fill = fills.sizes.size - 1
    fields = ~asked
    all_black = targets[0, 0] & fields
    all_match = (targets[0, 0] & fields) + (targets[0, 1] & fields)
    all_black2 = all_match2 = np.uint64(0)
    if wide:
        all_black2, all_match2 = targets[1, 0], targets[1, 0] + targets[1, 1]
    looked_up = 0
    for fill in range(last_fill + 1):
        base, end = other_starts[last_fill - fill], other_starts[last_fill - fill + 1]
        if base == end:
            continue
        mask = index_rows(other, last_fill - fill, asked, chains)
        for place in range(list_subsets(fills, fill, subsets)):
            subset = numbers[place]
            first, last = starts[fill - subset], starts[fill - subset + 1]
            if first == last or not ways[subset]:
                continue
            times = ways[subset] * choices[place] * arrangements[fill]
            due_black, due_match = all_black - (gains[subset, 0] & fields), all_match - (gains[subset, 1] & fields)
            due_black2 = due_match2 = np.uint64(0)
            if wide:
                due_black2, due_match2 = all_black2 - gains[subset, 2], all_match2 - gains[subset, 3]
            looked_up += last - first
            for row in range(first, last):
                black, match = due_black - (rows[row, 1] & fields), due_match - (rows[row, 2] & fields)
                black2 = match2 = np.uint64(0)
                if wide:
                    black2, match2 = due_black2 - rows[row, 3], due_match2 - rows[row, 4]
                found = heads[hashed(black + black2 * MIX, match + match2 * STIR) & mask]
                while found >= 0:
                    # A guess that has got too much borrows from the next field and leaves more than any row has.
                    same = other_rows[found, 1] & fields == black and other_rows[found, 2] & fields == match
                    if same and (not wide or (other_rows[found, 3] == black2 and other_rows[found, 4] == match2)):
                        got = rows[row, 1] + gains[subset, 0] + other_rows[found, 1] & asked
                        met = rows[row, 2] + gains[subset, 1] + other_rows[found, 2] & asked
                        sizes[np.int64((got << np.uint64(bits)) | met)] += np.int64(
                            times * rows[row, 0] * other_rows[found, 0]
                        )
                    found = following[found - base]
    return looked_up
