"""The tables of a count, extended by one color after another.

`extend` adds one color to a table; `extend_both` extends two tables, from both ends of the color order, until they can
be joined.
"""

from typing import Final

import numpy as np

from evilpegs_game.counting.layout import (
    BLACK,
    BLACK_2,
    COLORINGS,
    GUARDS,
    MATCH,
    MATCH_2,
    MAX_MATCH,
    MIN_BLACK,
    MIN_MATCH,
    NEEDED_BLACK,
    NEEDED_WHITE,
    STIR,
    Index,
    Layout,
    Rows,
    Slots,
    Table,
    Words,
    hash_words,
    list_inner_subsets,
    new_inner_subsets,
)
from evilpegs_game.counting.score_increments import score_bounds, score_increments
from evilpegs_game.kernels import GOLDEN, kernel

INITIAL_SLOTS: Final = 1 << 12
_GROWTH: Final = 8
_NO_ROW: Final = -1
_NO_SLOT: Final = -2


@kernel
def extend_both(
    layout: Layout, one: Table, other: Table, order: Index, first: int, last: int, initial_rows: int, max_rows: int
) -> tuple[Table, Table, int, int, int]:
    """Add the colors ``order[first]`` to ``order[last]`` to two tables, each color to the table with fewer rows.

    ``one`` gets colors from the beginning of this range, ``other`` from its end. Stop when one color is left, or when
    the next table would exceed ``max_rows``. Return the tables, the indices of the first and last color that is left,
    and the number of rows made.
    """
    slots = np.empty(INITIAL_SLOTS, np.int32)
    made = 0
    while first < last:
        forward = one.rows.shape[0] <= other.rows.shape[0]
        if forward:
            color, remaining = order[first], _remaining_pegs(layout, order[first + 1 :])
        else:
            color, remaining = order[last], _remaining_pegs(layout, order[:last])
        previous = one if forward else other
        table, slots, fits = extend(layout, previous, color, remaining, slots, initial_rows, max_rows)
        if not fits:
            break
        made += table.rows.shape[0]
        if forward:
            one, first = table, first + 1
        else:
            other, last = table, last - 1
    return one, other, first, last, made


@kernel
def _remaining_pegs(layout: Layout, colors: Index) -> Index:
    remaining = np.zeros_like(layout.colors.max_pegs)
    for color in colors:
        remaining[color] = layout.colors.max_pegs[color]
    return remaining


@kernel
def extend(
    layout: Layout, table: Table, color: int, remaining: Index, slots: Slots, initial_rows: int, max_rows: int
) -> tuple[Table, Slots, bool]:
    """Return ``table`` with ``color`` added, a hash table for the next call, and whether the new table fits.

    A table with more than ``max_rows`` rows does not fit and is returned without rows. ``remaining`` (colors,) is how
    many pegs can have each color to come, 0 for all others. ``slots``, a hash table, is overwritten or replaced.
    """
    increments = score_increments(layout, color)
    bounds = score_bounds(layout, remaining)
    starts = np.empty_like(table.starts)
    room = min(_GROWTH * table.rows.shape[0] + initial_rows, max_rows)
    while True:
        rows = np.empty((room, table.rows.shape[1]), np.uint64)
        slots[:] = -1
        used = _add_color(layout, table, increments, bounds, starts, rows, slots)
        if used >= 0:
            return Table(starts, rows[:used]), slots, True
        if used == _NO_SLOT:
            slots = np.empty(4 * slots.size, np.int32)
        elif room == max_rows:
            return Table(starts, rows[:0]), slots, False
        else:
            room = min(4 * room, max_rows)


# One long function: with the search for a slot and the writing of a row in kernels of their own, a count takes 1.6
# times as long on 8x10 and 1.7 to 1.9 times on 10x12.
@kernel
def _add_color(  # noqa: C901, PLR0912
    layout: Layout,
    table: Table,
    increments: Rows,
    bounds: Words,
    out_starts: Index,
    out: Rows,
    slots: Slots,
) -> int:
    # Everything the inner loop reads is read before it: the compiler must assume that writing to ``out`` changes the
    # other arrays.
    subsets, targets = layout.subsets, layout.lanes.targets
    starts, rows = table.starts, table.rows
    wide = rows.shape[1] == 5
    mask = slots.size - 1
    used = 0
    inner = new_inner_subsets(subsets)
    numbers, choices = inner.numbers, inner.choices
    guards = targets[0, GUARDS]
    max_black, max_white = targets[0, NEEDED_BLACK] | guards, targets[0, NEEDED_WHITE] | guards
    for subset in range(subsets.sizes.size):
        out_starts[subset] = base = used
        min_black, min_match = bounds[subset, 0, MIN_BLACK], bounds[subset, 0, MIN_MATCH]
        max_match = bounds[subset, 0, MAX_MATCH] | guards
        for index in range(list_inner_subsets(subsets, subset, inner)):
            added = numbers[index]
            first, last = starts[subset - added], starts[subset - added + 1]
            if first == last or not increments[added, COLORINGS]:
                continue
            factor = increments[added, COLORINGS] * choices[index]
            more_black, more_match = increments[added, BLACK], increments[added, MATCH]
            for row in range(first, last):
                black, match = rows[row, BLACK] + more_black, rows[row, MATCH] + more_match
                if not _is_reachable(black, match, max_black, max_white, guards, min_black, min_match, max_match):
                    continue
                black2 = match2 = np.uint64(0)
                if wide:
                    black2 = rows[row, BLACK_2] + increments[added, BLACK_2]
                    match2 = rows[row, MATCH_2] + increments[added, MATCH_2]
                    if not _is_reachable_second(black2, match2, targets, bounds, subset):
                        continue
                slot = hash_words(black + black2 * GOLDEN, match + match2 * STIR) & mask
                while True:
                    existing = slots[slot]
                    if existing < base:  # free, or of an earlier subset: slots need not be cleared between subsets
                        if used == out.shape[0]:
                            return _NO_ROW
                        if (used - base) * 2 > mask:
                            return _NO_SLOT
                        slots[slot] = used
                        out[used, COLORINGS] = rows[row, COLORINGS] * factor
                        out[used, BLACK] = black
                        out[used, MATCH] = match
                        if wide:
                            out[used, BLACK_2] = black2
                            out[used, MATCH_2] = match2
                        used += 1
                        break
                    same = out[existing, BLACK] == black and out[existing, MATCH] == match
                    if same and (not wide or (out[existing, BLACK_2] == black2 and out[existing, MATCH_2] == match2)):
                        out[existing, COLORINGS] += rows[row, COLORINGS] * factor
                        break
                    slot = (slot + 1) & mask
    out_starts[subsets.sizes.size] = used
    return used


@kernel
def _is_reachable(
    black: np.uint64,
    match: np.uint64,
    max_black: np.uint64,
    max_white: np.uint64,
    guards: np.uint64,
    min_black: np.uint64,
    min_match: np.uint64,
    max_match: np.uint64,
) -> bool:
    enough = ((black | guards) - min_black) & ((match | guards) - min_match)
    not_over = (max_black - black) & (max_match - match) & (max_white - (match - black))
    return (enough & not_over & guards) == guards  # type: ignore[no-any-return]


@kernel
def _is_reachable_second(black: np.uint64, match: np.uint64, targets: Words, bounds: Words, subset: int) -> bool:
    guards = targets[1, GUARDS]
    return _is_reachable(
        black,
        match,
        targets[1, NEEDED_BLACK] | guards,
        targets[1, NEEDED_WHITE] | guards,
        guards,
        bounds[subset, 1, MIN_BLACK],
        bounds[subset, 1, MIN_MATCH],
        bounds[subset, 1, MAX_MATCH] | guards,
    )
