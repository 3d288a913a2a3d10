"""Tables with more colors, one color after another."""

from typing import Final

import numpy as np

from evilpegs_game.compiled import kernel
from evilpegs_game.counting.layout import Index, Layout, Rows, Slots, Table, Words
from evilpegs_game.counting.peg_subsets import list_subsets, new_subsets
from evilpegs_game.counting.row_index import MIX, STIR, hashed
from evilpegs_game.counting.score_increments import color_gains, fill_bounds

FEW_SLOTS: Final = 1 << 12
_GROWTH: Final = 8
_NO_ROW: Final = -1
_NO_SLOT: Final = -2


@kernel
def grown(
    layout: Layout, one: Table, other: Table, order: Index, first: int, last: int, few_rows: int, most: int
) -> tuple[Table, Table, int, int, int]:
    """Two tables with more colors: those from ``first`` to ``last`` of the order, always where the table is smaller.

    Until one color is left or the next table would have over ``most`` rows. Returns the tables, which colors are left
    and how many rows were made. There is room for ``few_rows`` at least in every table, unless that is over ``most``.
    """
    slots = np.empty(FEW_SLOTS, np.int32)
    made = 0
    while first < last:
        forward = one.rows.shape[0] <= other.rows.shape[0]
        if forward:
            color, remaining = order[first], _lacking(layout, order[first + 1 :])
        else:
            color, remaining = order[last], _lacking(layout, order[:last])
        before = one if forward else other
        table, slots, fits = with_color(layout, before, color, remaining, slots, few_rows, most)
        if not fits:
            break
        made += table.rows.shape[0]
        if forward:
            one, first = table, first + 1
        else:
            other, last = table, last - 1
    return one, other, first, last, made


@kernel
def _lacking(layout: Layout, colors: Index) -> Index:
    """How many pegs each color can take that a table lacks: these. int64 (colors,), 0 for the others."""
    remaining = np.zeros_like(layout.colors.most)
    for color in colors:
        remaining[color] = layout.colors.most[color]
    return remaining


@kernel
def with_color(
    layout: Layout, table: Table, color: int, remaining: Index, slots: Slots, few_rows: int, most: int
) -> tuple[Table, Slots, bool]:
    """The table with one color more; ``remaining`` (colors,) is how many pegs each color to come can take.

    Also the slots, for the next table, and whether it has at most ``most`` rows; else there are none.
    """
    gains, ways = color_gains(layout, color)
    bounds = fill_bounds(layout, remaining)
    starts = np.empty_like(table.starts)
    room = min(_GROWTH * table.rows.shape[0] + few_rows, most)
    while True:
        rows = np.empty((room, table.rows.shape[1]), np.uint64)
        slots[:] = -1
        used = _add_color(layout, table, gains, ways, bounds, starts, rows, slots)
        if used >= 0:
            return Table(starts, rows[:used]), slots, True
        if used == _NO_SLOT:
            slots = np.empty(4 * slots.size, np.int32)
        elif room == most:
            return Table(starts, rows[:0]), slots, False
        else:
            room = min(4 * room, most)


@kernel
def _add_color(  # noqa: C901, PLR0912
    layout: Layout,
    table: Table,
    gains: Words,
    ways: Words,
    bounds: Words,
    out_starts: Index,
    out: Rows,
    slots: Slots,
) -> int:
    """The table with one color more: in each fill, each set of its pegs may be of that color.

    ``gains`` and ``ways`` are as in `color_gains`, ``bounds`` as in `fill_bounds`; ``slots`` must be all -1.
    Returns the number of rows, or that ``out`` or ``slots`` is full.
    """
    # One long function: calls with so many arrays cost more than what they do here, and whatever the inner loop
    # reads is read before it, since the compiler must assume that writing to ``out`` changes the other arrays.
    fills, targets = layout.fills, layout.fields.targets
    starts, rows = table.starts, table.rows
    wide = rows.shape[1] == 5
    mask = slots.size - 1
    used = 0
    subsets = new_subsets(fills)
    numbers, choices = subsets.numbers, subsets.choices
    guards = targets[0, 2]
    most_black, most_white = targets[0, 0] | guards, targets[0, 1] | guards
    for fill in range(fills.sizes.size):
        out_starts[fill] = base = used
        least_black, least_match, most_match = bounds[fill, 0, 0], bounds[fill, 0, 1], bounds[fill, 0, 2] | guards
        for place in range(list_subsets(fills, fill, subsets)):
            subset = numbers[place]
            first, last = starts[fill - subset], starts[fill - subset + 1]
            if first == last or not ways[subset]:
                continue
            times = ways[subset] * choices[place]
            more_black, more_match = gains[subset, 0], gains[subset, 1]
            for row in range(first, last):
                black, match = rows[row, 1] + more_black, rows[row, 2] + more_match
                if not _within(black, match, most_black, most_white, guards, least_black, least_match, most_match):
                    continue
                black2 = match2 = np.uint64(0)
                if wide:
                    black2, match2 = rows[row, 3] + gains[subset, 2], rows[row, 4] + gains[subset, 3]
                    if not _within_second(black2, match2, targets, bounds, fill):
                        continue
                slot = hashed(black + black2 * MIX, match + match2 * STIR) & mask
                while True:
                    found = slots[slot]
                    if found < base:  # free, or of a fill that is done: nothing has to be cleared between fills
                        if used == out.shape[0]:
                            return _NO_ROW
                        if (used - base) * 2 > mask:
                            return _NO_SLOT
                        slots[slot] = used
                        out[used, 0] = rows[row, 0] * times
                        out[used, 1] = black
                        out[used, 2] = match
                        if wide:
                            out[used, 3] = black2
                            out[used, 4] = match2
                        used += 1
                        break
                    same = out[found, 1] == black and out[found, 2] == match
                    if same and (not wide or (out[found, 3] == black2 and out[found, 4] == match2)):
                        out[found, 0] += rows[row, 0] * times
                        break
                    slot = (slot + 1) & mask
    out_starts[fills.sizes.size] = used
    return used


@kernel
def _within(
    black: np.uint64,
    match: np.uint64,
    most_black: np.uint64,
    most_white: np.uint64,
    guards: np.uint64,
    least_black: np.uint64,
    least_match: np.uint64,
    most_match: np.uint64,
) -> bool:
    """Whether every guess in one word can still come to its feedback. The upper limits have their guards set."""
    enough = ((black | guards) - least_black) & ((match | guards) - least_match)
    not_over = (most_black - black) & (most_match - match) & (most_white - (match - black))
    return (enough & not_over & guards) == guards  # type: ignore[no-any-return]


@kernel
def _within_second(black: np.uint64, match: np.uint64, targets: Words, bounds: Words, fill: int) -> bool:
    guards = targets[1, 2]
    return _within(
        black,
        match,
        targets[1, 0] | guards,
        targets[1, 1] | guards,
        guards,
        bounds[fill, 1, 0],
        bounds[fill, 1, 1],
        bounds[fill, 1, 2] | guards,
    )
