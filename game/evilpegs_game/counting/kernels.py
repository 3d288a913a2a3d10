"""The hot loops of `parts`: tables of partial colorings, one color after another.

A *table* belongs to a set of colors and holds, for each set of pegs (a *fill*), one row for each way the guesses
can stand once exactly these pegs have these colors: rows ``starts[fill]`` to ``starts[fill + 1]`` of a uint64 array.

    column 0          how many colorings stand so
    column 1, 2       the blacks and the matches (black + white) got so far, a few bits for each guess
    column 3, 4       the same of the guesses that find no room in the first two words; missing where all do

Each field has a guard bit above it that is 0. Setting the guards of ``x`` and subtracting ``y`` leaves those guards
set whose field of ``x`` is at least that of ``y``: one subtraction compares all guesses at once.
"""

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.kernel import kernel

Words = NDArray[np.uint64]
Rows = NDArray[np.uint64]
"""Table rows: uint64, shape (rows, 3 or 5), C-contiguous."""
Index = NDArray[np.int64]
Slots = NDArray[np.int32]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_STIR = np.uint64(0xC2B2AE3D27D4EB4F)
_HIGH = np.uint64(32)


@kernel
def _hash(black: np.uint64, match: np.uint64) -> int:
    return np.int64(((black * _STIR + match) * _MIX) >> _HIGH)  # type: ignore[return-value]


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


@kernel
def _arrangements(fills: NDArray[np.int8], fill: int, subset: int, binomials: Index) -> np.uint64:
    """How many ways there are to choose the pegs of a subset among those of a fill."""
    ways = np.uint64(1)
    for kind in range(fills.shape[1]):
        if fills[subset, kind]:
            ways *= np.uint64(binomials[fills[fill, kind], fills[subset, kind]])
    return ways


@kernel
def add_color(  # noqa: C901, PLR0912
    fills: NDArray[np.int8],
    packed: Words,
    packed_guards: np.uint64,
    starts: Index,
    rows: Rows,
    subsets: Index,
    gains: Words,
    ways: Words,
    targets: Words,
    bounds: Words,
    binomials: Index,
    out_starts: Index,
    out: Rows,
    slots: Slots,
) -> int:
    """The table with one color more: in each fill, each of the ``subsets`` that it contains may be of that color.

    ``fills`` is int8 (fills, kinds): how many pegs of each kind; ``packed`` the same in one word, a guard above each
    number. ``gains`` (fills, 2 or 4) is what a set of pegs of the new color adds, ``ways`` (fills,) how often such
    a set counts. ``targets`` is (words, 3), ``bounds`` (fills, words, 3). ``slots`` must be all -1.
    Returns the number of rows, -1 when ``out`` is full and -2 when ``slots`` is.
    """
    # One long function: calls with so many arrays cost more than what they do here, and whatever the inner loop
    # reads is read before it, since the compiler must assume that writing to ``out`` changes the other arrays.
    wide = rows.shape[1] == 5
    mask = slots.size - 1
    several = fills.shape[0] > 1 << fills.shape[1]  # else each kind is one peg
    used = 0
    guards = targets[0, 2]
    most_black, most_white = targets[0, 0] | guards, targets[0, 1] | guards
    for fill in range(fills.shape[0]):
        out_starts[fill] = base = used
        whole = packed[fill] | packed_guards
        least_black, least_match, most_match = bounds[fill, 0, 0], bounds[fill, 0, 1], bounds[fill, 0, 2] | guards
        for place in range(subsets.size):
            subset = subsets[place]
            if ((whole - packed[subset]) & packed_guards) != packed_guards:
                continue
            first, last = starts[fill - subset], starts[fill - subset + 1]
            if first == last:
                continue
            times = ways[subset]
            if several:
                times *= _arrangements(fills, fill, subset, binomials)
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
                slot = _hash(black + black2 * _MIX, match + match2 * _STIR) & mask
                while True:
                    found = slots[slot]
                    if found < base:  # free, or of a fill that is done: nothing has to be cleared between fills
                        if used == out.shape[0]:
                            return -1
                        if (used - base) * 2 > mask:
                            return -2
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
    out_starts[fills.shape[0]] = used
    return used


@kernel
def color_gains(
    fills: NDArray[np.int8],
    sizes: Index,
    mine: NDArray[np.int8],
    times: Index,
    most: int,
    blacks: Index,
    matches: Index,
    words: Index,
    shifts: Index,
    gains: Words,
    possible: NDArray[np.bool_],
) -> None:
    """What each set of pegs adds to each guess if it gets one color, and whether that is not too much.

    ``mine`` (guesses, kinds) is 1 where the guess has the color; ``times`` (guesses,) how often it has it; ``most``
    how many pegs may have the color. ``blacks`` and ``matches`` (guesses,) are the targets, -1 for none.
    """
    for fill in range(fills.shape[0]):
        gains[fill] = 0
        possible[fill] = sizes[fill] <= most
        for guess in range(times.size):
            if not possible[fill]:
                break
            black = 0
            for kind in range(fills.shape[1]):
                black += fills[fill, kind] * mine[guess, kind]
            match = min(sizes[fill], times[guess])
            if matches[guess] >= 0:
                whites = matches[guess] - blacks[guess]
                if black > blacks[guess] or match > matches[guess] or match - black > whites:
                    possible[fill] = False
            word, shift = words[guess], np.uint64(shifts[guess])
            gains[fill, 2 * word] += np.uint64(black) << shift
            gains[fill, 2 * word + 1] += np.uint64(match) << shift


@kernel
def fill_bounds(
    fills: NDArray[np.int8],
    kinds: Index,
    color_of: Index,
    times: Index,
    room: Index,
    repeats: bool,
    blacks: Index,
    matches: Index,
    words: Index,
    shifts: Index,
    bounds: Words,
) -> None:
    """Add to ``bounds`` (fills, words, 3) the least blacks, least matches and most matches due in each fill.

    ``color_of`` (guesses, kinds) and ``times`` (guesses, colors) say how the guesses look, ``room`` (colors,) how many
    pegs each color can still take: 0 for colors that are done.
    """
    for guess in range(matches.size):
        if matches[guess] < 0:
            continue
        most, foreign, least = _still_possible(times[guess], room, repeats, kinds.sum())
        place, word = np.uint64(shifts[guess]), words[guess]
        for fill in range(fills.shape[0]):
            free = open_pegs = 0
            for kind in range(kinds.size):
                left = kinds[kind] - fills[fill, kind]
                free += left
                if room[color_of[guess, kind]]:
                    open_pegs += left
            least_black = max(0, blacks[guess] - open_pegs)
            least_match = max(0, matches[guess] - min(most, free))
            most_match = matches[guess] - max(min(free, least), free - foreign)
            if most_match < 0:  # out of reach: no number is at least 1 and at most 0
                least_match, most_match = 1, 0
            bounds[fill, word, 0] += np.uint64(least_black) << place
            bounds[fill, word, 1] += np.uint64(least_match) << place
            bounds[fill, word, 2] += np.uint64(most_match) << place


@kernel
def _still_possible(times: Index, room: Index, repeats: bool, pegs: int) -> tuple[int, int, int]:
    """The most matches the open colors can give, how many pegs can go without any, what one color gives at least."""
    most = foreign = 0
    least = pegs
    for color in range(times.size):
        if room[color]:
            most += times[color]
            if times[color] == 0:
                foreign += room[color]
            least = min(least, times[color])
    if repeats:
        return most, pegs, least  # any number of pegs can have the color that gives least
    return most, foreign, 0


@kernel
def _index_rows(rows: Rows, first: int, last: int, asked: np.uint64, heads: Slots, following: Slots) -> int:
    """Chain rows ``first`` to ``last`` by what they say of the answered guesses; the mask of ``heads``."""
    size = 16
    while size < 2 * (last - first):
        size *= 2
    heads[:size] = -1
    for row in range(first, last):
        slot = _row_hash(rows, row, asked) & (size - 1)
        following[row - first] = heads[slot]
        heads[slot] = row
    return size - 1


@kernel
def _row_hash(rows: Rows, row: int, asked: np.uint64) -> int:
    black, match = rows[row, 1] & ~asked, rows[row, 2] & ~asked
    if rows.shape[1] == 5:
        black += rows[row, 3] * _MIX
        match += rows[row, 4] * _STIR
    return _hash(black, match)


@kernel
def _complete(one: Rows, row: int, other: Rows, found: int, asked: np.uint64, targets: Words) -> bool:
    """Whether two rows together give every answered guess its feedback."""
    for word in range(targets.shape[0]):
        keep = ~asked if word == 0 else ~np.uint64(0)
        black = (one[row, 2 * word + 1] & keep) + (other[found, 2 * word + 1] & keep)
        match = (one[row, 2 * word + 2] & keep) + (other[found, 2 * word + 2] & keep)
        if black != targets[word, 0] & keep or match - black != targets[word, 1] & keep:
            return False
    return True


@kernel
def _complement_hash(rows: Rows, row: int, asked: np.uint64, targets: Words) -> int:
    """The `_row_hash` of what completes a row."""
    black = (targets[0, 0] & ~asked) - (rows[row, 1] & ~asked)
    match = (targets[0, 0] & ~asked) + (targets[0, 1] & ~asked) - (rows[row, 2] & ~asked)
    if rows.shape[1] == 5:
        black += (targets[1, 0] - rows[row, 3]) * _MIX
        match += (targets[1, 0] + targets[1, 1] - rows[row, 4]) * _STIR
    return _hash(black, match)


@kernel
def join(  # noqa: C901
    fills: NDArray[np.int8],
    packed: Words,
    packed_guards: np.uint64,
    starts: Index,
    rows: Rows,
    subsets: Index,
    gains: Words,
    ways: Words,
    other_starts: Index,
    other: Rows,
    arrangements: Words,
    binomials: Index,
    targets: Words,
    asked: np.uint64,
    bits: int,
    heads: Slots,
    following: Slots,
    sizes: Index,
) -> int:
    """Give the last color to each of ``subsets`` of the pegs, look up what completes the code, and count.

    So the last table is never made. ``sizes[black << bits | match]`` grows by the codes that give the asked guess so
    much. ``gains`` and ``ways`` are as in `add_color`; ``arrangements`` (fills,) is in how many ways the pegs divide
    into a fill and its complement. Returns how many rows were looked up.
    """
    wide = rows.shape[1] == 5
    several = fills.shape[0] > 1 << fills.shape[1]  # else each kind is one peg
    last_fill = fills.shape[0] - 1
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
        mask = _index_rows(other, base, end, asked, heads, following)
        whole = packed[fill] | packed_guards
        for place in range(subsets.size):
            subset = subsets[place]
            if ((whole - packed[subset]) & packed_guards) != packed_guards:
                continue
            first, last = starts[fill - subset], starts[fill - subset + 1]
            if first == last:
                continue
            times = ways[subset] * arrangements[fill]
            if several:
                times *= _arrangements(fills, fill, subset, binomials)
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
                found = heads[_hash(black + black2 * _MIX, match + match2 * _STIR) & mask]
                while found >= 0:
                    # A guess that has got too much borrows from the next field and leaves more than any row has.
                    same = other[found, 1] & fields == black and other[found, 2] & fields == match
                    if same and (not wide or (other[found, 3] == black2 and other[found, 4] == match2)):
                        got = rows[row, 1] + gains[subset, 0] + other[found, 1] & asked
                        met = rows[row, 2] + gains[subset, 1] + other[found, 2] & asked
                        sizes[np.int64((got << np.uint64(bits)) | met)] += np.int64(
                            times * rows[row, 0] * other[found, 0]
                        )
                    found = following[found - base]
    return looked_up


@kernel
def partners(
    starts: Index, rows: Rows, other_starts: Index, other: Rows, targets: Words, heads: Slots, following: Slots
) -> Index:
    """For each row of one half the row of the other that completes it (there is one at most), or -1."""
    fills = starts.size - 1
    none = np.uint64(0)
    found_for = np.full(rows.shape[0], -1, np.int64)
    for fill in range(fills):
        first, last = other_starts[fills - 1 - fill], other_starts[fills - fill]
        if first == last or starts[fill] == starts[fill + 1]:
            continue
        mask = _index_rows(other, first, last, none, heads, following)
        for row in range(starts[fill], starts[fill + 1]):
            found = heads[_complement_hash(rows, row, none, targets) & mask]
            while found >= 0:
                if _complete(rows, row, other, found, none, targets):
                    found_for[row] = found
                    break
                found = following[found - first]
    return found_for


@kernel
def live_edges(
    packed: Words,
    packed_guards: np.uint64,
    starts: Index,
    rows: Rows,
    subsets: Index,
    gains: Words,
    next_starts: Index,
    next_rows: Rows,
    live: NDArray[np.bool_],
    heads: Slots,
    following: Slots,
    edges: Slots,
) -> int:
    """How the live rows of a table come from the table of one color less.

    ``edges`` int32 (most, 3) is filled with (row, subset of pegs that gets the color, next row), in the order of the
    next rows' fills. Returns their number; it is at most the number of codes that the live rows stand for.
    """
    count = 0
    for fill in range(packed.size):
        base, end = next_starts[fill], next_starts[fill + 1]
        if base == end:
            continue
        mask = _index_live(next_rows, base, end, live, heads, following)
        if mask < 0:
            continue
        for place in range(subsets.size):
            subset = subsets[place]
            if (((packed[fill] | packed_guards) - packed[subset]) & packed_guards) != packed_guards:
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
def _index_live(rows: Rows, first: int, last: int, live: NDArray[np.bool_], heads: Slots, following: Slots) -> int:
    """As `_index_rows`, of the live rows only; -1 if there are none."""
    size, some = 16, False
    while size < 2 * (last - first):
        size *= 2
    heads[:size] = -1
    for row in range(first, last):
        if live[row]:
            some = True
            slot = _row_hash(rows, row, np.uint64(0)) & (size - 1)
            following[row - first] = heads[slot]
            heads[slot] = row
    return size - 1 if some else -1


@kernel
def _moved_hash(rows: Rows, row: int, gains: Words, subset: int) -> int:
    """The `_row_hash` of a row that has gained a subset of pegs."""
    black, match = rows[row, 1] + gains[subset, 0], rows[row, 2] + gains[subset, 1]
    if rows.shape[1] == 5:
        black += (rows[row, 3] + gains[subset, 2]) * _MIX
        match += (rows[row, 4] + gains[subset, 3]) * _STIR
    return _hash(black, match)


@kernel
def _leads_to(rows: Rows, row: int, gains: Words, subset: int, next_rows: Rows, found: int) -> bool:
    for column in range(1, rows.shape[1]):
        if rows[row, column] + gains[subset, column - 1] != next_rows[found, column]:
            return False
    return True
