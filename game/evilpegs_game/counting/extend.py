"""The tables of a count, extended by one color after another.

`extend` adds one color to a table; `extend_both` extends two tables, from both ends of the color order, until they can
be joined.
"""

from typing import Final

import numpy as np

from evilpegs_game.counting.layout import (
    BLACK_SHIFT,
    BLACKS,
    COLORINGS,
    GUARDS,
    MATCHES,
    MAX_MATCH,
    MIN_BLACK,
    MIN_MATCH,
    NEEDED_BLACK,
    NEEDED_WHITE,
    SCORE,
    STIR,
    Half,
    Index,
    Layout,
    Rows,
    Slots,
    Table,
    Words,
    add_word,
    hash_score,
    list_inner_subsets,
    most_rows,
    new_inner_subsets,
    times,
)
from evilpegs_game.counting.score_increments import score_bounds, score_increments
from evilpegs_game.kernels import ZERO, kernel

FlatHalf = tuple[Index, Rows, Rows, Words, int]
"""The fields of a `Half`, and of its table."""
INITIAL_SLOTS: Final = 1 << 12
_RESERVED: Final = 8  # of the room, the share that no table may take
_RESERVED_LAST: Final = 32  # of the last two, because a join needs little
_ESTIMATED: Final = 1 << 18  # rows from which to estimate, from an eighth of these, how many a color makes


@kernel
def extend_both(
    layout: Layout, one: Table, other: Table, order: Index, first: int, last: int, room: Rows, max_slots: int
) -> tuple[FlatHalf, FlatHalf, int, int, int, Rows]:
    """Add the colors ``order[first]`` to ``order[last]`` to two tables, each where fewer rows are estimated.

    ``one`` gets colors from the beginning of this range, ``other`` from its end. Stop when two colors are left, or when
    the next table does not fit. Return the halves, the indices of the first and last color that is left, the number of
    rows made, and the part of ``room`` that is free.

    All rows made are in ``room``: a new table is made between the two and then moved to its end, over the one before.
    """
    slots = np.empty(INITIAL_SLOTS, np.int32)
    front, back = (
        new_half(layout, one, order[first], order[first + 1 :]),
        new_half(layout, other, order[last], order[:last]),
    )
    low, high, made = ZERO, room.shape[0], 0
    spare = max(0, room.shape[0] - layout.subsets.sizes.size)
    while first + 1 < last:
        reserve = spare // (_RESERVED_LAST if first + 2 == last else _RESERVED)
        forward = front.estimate <= back.estimate
        half = front if forward else back
        table, slots, end = extend(layout, half, ZERO, room[low : max(low, high - reserve)], slots, max_slots)
        if end < layout.subsets.sizes.size:
            break
        rows = table.rows.shape[0]
        made += rows
        if forward:
            moved = Table(table.starts, _move(room, low, ZERO, rows))
            first, low = first + 1, rows
            front = new_half(layout, moved, order[first], order[first + 1 :])
        else:
            moved = Table(table.starts, _move(room, low, room.shape[0] - rows, rows))
            last, high = last - 1, room.shape[0] - rows
            back = new_half(layout, moved, order[last], order[:last])
    return _flatten(front), _flatten(back), first, last, made, room[low:high]


# A kernel that Python calls returns no named tuple: numba runs Python to make one, and if a signal that came meanwhile
# raises there, as Ctrl-C does, numba goes on without the class and the process crashes.
@kernel
def _flatten(half: Half) -> FlatHalf:
    return half.table.starts, half.table.rows, half.increments, half.bounds, half.estimate


def to_half(flat: FlatHalf) -> Half:
    """Return the half that a kernel has returned flat."""
    starts, rows, increments, bounds, estimate = flat
    return Half(Table(starts, rows), increments, bounds, estimate)


@kernel
def extend_part(
    layout: Layout, table: Table, color: int, to_come: Index, start: int, room: Rows, slots: Slots, max_slots: int
) -> tuple[Index, Rows, Slots, int]:
    """Return the starts and the rows of ``table`` with a color added; otherwise like `extend`."""
    part, slots, end = extend(layout, _half_of(layout, table, color, to_come), start, room, slots, max_slots)
    return part.starts, part.rows, slots, end


@kernel
def _move(room: Rows, source: int, target: int, rows: int) -> Rows:
    cells, columns = room.reshape(-1), room.shape[1]
    source, target, count = source * columns, target * columns, rows * columns
    if target < source:
        for i in range(count):
            cells[target + i] = cells[source + i]
    elif target > source:
        for i in range(count - 1, -1, -1):
            cells[target + i] = cells[source + i]
    return room[target // columns : target // columns + rows]


@kernel
def new_half(layout: Layout, table: Table, color: int, to_come: Index) -> Half:
    """Return ``table`` with what adding ``color`` needs; the colors ``to_come`` follow, in this table or another."""
    half, rows = _half_of(layout, table, color, to_come), table.rows.shape[0]
    if rows < _ESTIMATED:
        return half
    step = rows // (_ESTIMATED >> 3)
    return Half(table, half.increments, half.bounds, step * _count_steps(layout, half, step))


@kernel
def _half_of(layout: Layout, table: Table, color: int, to_come: Index) -> Half:
    remaining = np.zeros_like(layout.colors.max_pegs)
    for later in to_come:
        remaining[later] = layout.colors.max_pegs[later]
    return Half(table, score_increments(layout, color), score_bounds(layout, remaining), table.rows.shape[0])


@kernel
def _count_steps(layout: Layout, half: Half, step: int) -> int:
    # for one of ``step`` peg subsets, chosen by a hash: neighbors are alike
    starts, increments, targets = half.table.starts, half.increments, layout.lanes.targets
    count, picked, inner = 0, new_picked(half.table), new_inner_subsets(layout.subsets)
    for subset in range(layout.subsets.sizes.size):
        if hash_score(np.uint64(subset), STIR) % step == 0 and is_possible(half.bounds, subset, targets):
            for index in range(list_inner_subsets(layout.subsets, subset, inner)):
                added = inner.numbers[index]
                first, last = starts[subset - added], starts[subset - added + 1]
                if first < last and increments[added, COLORINGS]:
                    count += pick_rows(
                        half.table.rows, first, last, increments, added, targets, half.bounds, subset, picked
                    )
    return count


@kernel
def is_possible(bounds: Words, subset: int, targets: Words) -> bool:
    """Return False if no scores of a peg subset are within ``bounds``."""
    for word in range(targets.shape[0]):
        guards = targets[word, GUARDS]
        if ((bounds[subset, word, MAX_MATCH] | guards) - bounds[subset, word, MIN_MATCH]) & guards != guards:
            return False
    return True


@kernel
def extend(
    layout: Layout, half: Half, start: int, room: Rows, slots: Slots, max_slots: int
) -> tuple[Table, Slots, int]:
    """Return the table with its color added, in the first rows of ``room``, for peg subsets from ``start`` on.

    Also return slots for the next call, and the first peg subset that did not fit and is left out, with all after it.
    ``slots``, a hash table, is overwritten, or replaced by a larger one of at most ``max_slots``.
    """
    starts, end, no_slot = np.zeros_like(half.table.starts), start, True
    picked = new_picked(half.table)
    while True:
        slots[:] = -1
        end, no_slot = add_color(layout, half, end, starts, room, slots, picked)
        if end == starts.size - 1 or not no_slot or 4 * slots.size + picked.size > max_slots:
            starts[end:] = starts[end]
            return Table(starts, room[: starts[end]]), slots, end
        slots = np.empty(4 * slots.size, np.int32)


@kernel
def new_picked(table: Table) -> Slots:
    """Return an array for `pick_rows` of any peg subset of ``table``."""
    return np.empty(most_rows(table.starts), np.int32)


@kernel
def pick_rows(
    rows: Rows,
    first: int,
    last: int,
    increments: Rows,
    added: int,
    targets: Words,
    bounds: Words,
    subset: int,
    picked: Slots,
) -> int:
    """Write to ``picked`` the rows from which the peg subset ``added`` leads to scores within ``bounds``; count them.

    Most rows are not: nothing here branches on a row, as guessing wrong would cost more than all tests of it.
    """
    count = 0
    for word in range(targets.shape[0]):
        column, guards, shift = SCORE + word, targets[word, GUARDS], targets[word, BLACK_SHIFT]
        blacks, matches, more = targets[word, BLACKS], targets[word, MATCHES], increments[added, column]
        more_black, more_match = more >> shift & blacks, more & matches
        # Guards set, each sum or difference of lanes keeps its guard if the scores of the guess are within the bound.
        over_black = more_black + guards - bounds[subset, word, MIN_BLACK]
        over_match = more_match + guards - bounds[subset, word, MIN_MATCH]
        under_black = targets[word, NEEDED_BLACK] + guards - more_black
        under_match = bounds[subset, word, MAX_MATCH] + guards - more_match
        under_white = targets[word, NEEDED_WHITE] + guards - (more_match - more_black)
        start, stop, count = (first, last, 0) if word == 0 else (0, count, 0)
        for index in range(start, stop):
            row = index if word == 0 else picked[index]
            score = rows[row, column]
            black, match = score >> shift & blacks, score & matches
            within = (black + over_black) & (match + over_match) & (under_black - black) & (under_match - match)
            picked[count] = row
            count += (within & (under_white - match + black) & guards) == guards
    return count


# One long function: with the search for a slot and the writing of a row in kernels of their own, a count takes 1.6
# times as long on 8x10 and 1.7 to 1.9 times on 10x12; called once per peg subset it takes twice as long on 6x10, as
# numba counts references to each array of the tuples.
@kernel
def add_color(  # noqa: C901
    layout: Layout, half: Half, start: int, out_starts: Index, out: Rows, slots: Slots, picked: Slots
) -> tuple[int, bool]:
    """Write the rows of the peg subsets from ``start`` on, with the color added, to ``out``, and where each begin.

    Those of the first begin at ``out_starts[start]``. Return the first peg subset that does not fit, and True if for
    want of ``slots``, which must be all -1 before.
    """
    # Everything the inner loop reads is read before it: the compiler must assume that writing to ``out`` changes the
    # other arrays.
    starts, rows, targets, modulus = half.table.starts, half.table.rows, layout.lanes.targets, layout.modulus
    increments, bounds, subsets = half.increments, half.bounds, layout.subsets
    inner = new_inner_subsets(subsets)
    numbers, choices = inner.numbers, inner.choices
    columns, mask, used = rows.shape[1], slots.size - 1, out_starts[start]
    for subset in range(start, starts.size - 1):
        out_starts[subset] = base = used
        if not is_possible(bounds, subset, targets):
            continue
        for index in range(list_inner_subsets(subsets, subset, inner)):
            added = numbers[index]
            first, last = starts[subset - added], starts[subset - added + 1]
            if first == last or not increments[added, COLORINGS]:
                continue
            factor = times(increments[added, COLORINGS], choices[index], modulus)
            more = increments[added, SCORE]
            for at in range(pick_rows(rows, first, last, increments, added, targets, bounds, subset, picked)):
                row = picked[at]
                score, others = rows[row, SCORE] + more, np.uint64(0)
                for column in range(SCORE + 1, columns):
                    others = add_word(others, rows[row, column] + increments[added, column])
                colorings = times(rows[row, COLORINGS], factor, modulus)
                slot = hash_score(score, others) & mask
                while True:
                    existing = slots[slot]
                    if existing < base:  # free, or of an earlier subset: slots need not be cleared between subsets
                        no_slot = (used - base) * 2 > mask
                        if no_slot or used == out.shape[0]:
                            return subset, no_slot
                        slots[slot] = used
                        out[used, COLORINGS] = colorings
                        out[used, SCORE] = score
                        for column in range(SCORE + 1, columns):
                            out[used, column] = rows[row, column] + increments[added, column]
                        used += 1
                        break
                    same = out[existing, SCORE] == score
                    for column in range(SCORE + 1, columns):
                        same = same and out[existing, column] == rows[row, column] + increments[added, column]
                    if same:
                        out[existing, COLORINGS] += colorings
                        break
                    slot = (slot + 1) & mask
    out_starts[starts.size - 1] = used
    return starts.size - 1, False
