"""Bounds of the least total of a set of codes without trying a guess, and the list of guesses worth trying.

One pass over a table of bits counts the parts into which every guess splits the set, all-black not counted. A part of s
codes needs at least 2 s - 1 guesses after that guess: one for its first code, two for each other. So with n codes and b
parts, a guess that is a code of the set needs at least 3 n - 2 - b guesses, and any other guess at least 3 n - b; both
are exact if no part holds three codes. These bounds solve or exclude most sets.

If the largest part may have more codes than the most parts that any guess makes, the part sizes are counted too. A
subset cannot be split into more parts than the set, which raises the bound of a large part. *Work* is feedback
evaluations, and ``codes`` are always indices in the guess matrix.
"""

from typing import Final

import numpy as np

from evilpegs_game.codemakers.small_sets import FeedbackMatrix, Ints
from evilpegs_game.kernels import ZERO, kernel, mix, popcount
from evilpegs_game.optimal.search_state import (
    GUESS_BITS,
    NEVER,
    NO_BOUND,
    GuessTables,
    SearchStack,
    TotalsTable,
    Words,
    look_up,
    store,
)
from evilpegs_game.partition import Indices, Numbers

_BLOCK: Final = 64


@kernel
def set_key(code_keys: Words, codes: Indices, limit: int) -> tuple[np.uint64, np.uint64]:
    """Return the key and the check word of a set in `totals_table`: the sums of its codes' two hash words."""
    key, check = np.uint64(0), np.uint64(0)
    for i in range(codes.size):
        key += code_keys[codes[i], 0]
        check += code_keys[codes[i], 1]
    if limit < codes.size:  # no optimal tree is higher than the number of codes
        key ^= mix(np.uint64(limit))
    return key, check


@kernel
def record_bounds(code_keys: Words, totals: TotalsTable, codes: Indices, limit: int, lower: int, upper: int) -> None:
    """Store bounds of the least total of ``codes`` within ``limit`` guesses per code."""
    key, check = set_key(code_keys, codes, limit)
    store(totals, key, check, codes.size, lower, upper)


@kernel
def quick_bounds(
    tables: GuessTables, stack: SearchStack, totals: TotalsTable, codes: Indices, limit: int, control: np.record
) -> tuple[int, int]:
    """Return bounds of the least total within ``limit`` guesses per code, known or computed and stored in ``totals``.

    Both are `NEVER` if ``limit`` is clearly not enough. The upper bound is `NO_BOUND` if no strategy is known.
    """
    lower, upper = known_bounds(tables.code_keys, tables.max_codes, totals, codes, limit)
    if lower == 0:
        lower, upper = _compute_bounds(tables, stack, codes, limit, control)
        record_bounds(tables.code_keys, totals, codes, limit, lower, upper)
    return lower, upper


@kernel
def known_bounds(code_keys: Words, max_codes: Ints, totals: TotalsTable, codes: Indices, limit: int) -> tuple[int, int]:
    """Return `quick_bounds` if they are in ``totals`` or need no computing, else 0 and `NO_BOUND`."""
    size = codes.size
    lower = upper = 2 * size - 1
    if size > max_codes[min(limit, max_codes.size - 1)]:
        lower = upper = NEVER
    elif size > 2:
        key, check = set_key(code_keys, codes, limit)
        lower, upper = look_up(totals, key, check)
    return lower, upper


@kernel
def _compute_bounds(
    tables: GuessTables, stack: SearchStack, codes: Indices, limit: int, control: np.record
) -> tuple[int, int]:
    size = codes.size
    if size <= tables.all_black + 1:
        control.work += size * size
        pairs = _fewest_pairs(tables.by_guess, tables.self_guess, codes)
        if pairs < min(2, limit - 1):  # a pair takes three guesses
            return 2 * size - 1 + pairs, 2 * size - 1 + pairs
    control.work += size * stack.seen.size
    most = _count_parts(tables, stack, codes)
    most_by_member = 0
    for i in range(size):
        most_by_member = max(most_by_member, int(np.int64(stack.parts[tables.self_guess[codes[i]]])))
    if most == size:
        return 2 * size, 2 * size
    if limit == 2:
        return NEVER, NEVER
    lower = min(3 * size - most, 3 * size - most_by_member - 2)
    if most_by_member == size - 2 or most == size - 1:  # one pair is left
        return lower, lower
    return max(lower, int(tables.least_totals[most, size])), NO_BOUND


@kernel
def _fewest_pairs(by_guess: FeedbackMatrix, self_guess: Indices, codes: Indices) -> int:
    # that a code of the set leaves as a guess; a larger part counts as several
    fewest = codes.size
    for i in range(codes.size):
        row, seen = by_guess[self_guess[codes[i]]], np.uint64(0)
        for k in range(codes.size):
            seen |= np.uint64(1) << np.uint64(row[codes[k]])
        fewest = min(fewest, codes.size - popcount(seen))
        if fewest == 0:
            break
    return fewest


@kernel
def _count_parts(tables: GuessTables, stack: SearchStack, codes: Indices) -> int:
    # callers read ``stack.seen`` and ``stack.parts`` too
    bits, seen, parts = tables.bits, stack.seen, stack.parts
    others = ~(np.uint64(1) << np.uint64(tables.all_black))
    row = bits[codes[0]]
    for g in range(seen.size):
        seen[g] = row[g]
    for i in range(1, codes.size):
        row = bits[codes[i]]
        for g in range(seen.size):
            seen[g] |= row[g]
    for g in range(seen.size):
        parts[g] = np.uint8(popcount(seen[g] & others))
    return _greatest(parts)


@kernel
def _greatest(counts: Numbers) -> int:
    greatest = np.uint8(0)
    for g in range(counts.size):
        greatest = max(greatest, counts[g])
    return int(np.int64(greatest))


@kernel
def _bound_by_part_sizes(
    tables: GuessTables, state: np.record, codes: Indices, guess: int, most: int, largest: int
) -> int:
    row, counts = tables.by_guess[guess], state.counts
    counts[:] = 0
    for i in range(codes.size):
        counts[row[codes[i]]] += 1
    total = codes.size
    for number in range(tables.all_black):
        count = counts[number]
        # such a part cannot be solved in the guesses left
        if count > largest:
            return NEVER
        total += tables.least_totals[most, count]
    return total


@kernel
def _sort_by_estimate(entries: Ints) -> None:
    # by counting, because few estimates are different; equal ones stay in the order of their guesses
    lowest, highest = NEVER, ZERO
    for i in range(entries.size):
        estimate = entries[i] >> GUESS_BITS
        lowest, highest = min(lowest, estimate), max(highest, estimate)
    places = np.zeros(max(ZERO, highest - lowest) + 2, dtype=np.int64)
    for i in range(entries.size):
        places[(entries[i] >> GUESS_BITS) - lowest + 1] += 1
    for number in range(1, places.size):
        places[number] += places[number - 1]
    for entry in entries.copy():
        number = (entry >> GUESS_BITS) - lowest
        entries[places[number]] = entry
        places[number] += 1


@kernel
def list_guesses(tables: GuessTables, stack: SearchStack, depth: int, control: np.record) -> None:
    """List in ``stack.entries`` the guesses whose total may be under the upper bound of row ``depth``.

    An entry is a guess with an estimate of its total that is never too high; the best estimate comes first.
    """
    state = stack.state[depth]
    size, upper = state.codes, state.upper
    codes = stack.codes[depth, state.start : state.start + size]
    control.work += size * stack.seen.size
    most = _count_parts(tables, stack, codes)
    largest = tables.max_codes[min(state.limit, tables.max_codes.size) - 1]
    least, listed = NEVER, 0
    for start in range(0, stack.parts.size, _BLOCK):
        stop = min(start + _BLOCK, stack.parts.size)
        block_bound = 3 * size - 2 - _greatest(stack.parts[start:stop])
        if block_bound >= upper:
            least = min(least, block_bound)
            continue
        for g in range(start, stop):
            parts = int(np.int64(stack.parts[g]))
            is_member = int(np.int64((stack.seen[g] >> tables.all_black) & 1))
            estimate = 3 * size - 2 * is_member - parts
            if parts + is_member == 1:
                continue  # every code gives the same feedback
            if estimate < upper and size - is_member - parts + 1 > min(most, largest):
                control.work += size
                estimate = _bound_by_part_sizes(tables, state, codes, g, most, largest)
            if estimate < upper:
                stack.entries[depth, listed] = (estimate << GUESS_BITS) + g
                listed += 1
            else:
                least = min(least, estimate)
    _sort_by_estimate(stack.entries[depth, :listed])
    state.most, state.least, state.listed, state.following, state.tried, state.open_parts = most, least, listed, 0, 0, 0
