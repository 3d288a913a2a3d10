"""The branch-and-bound search for the least total of a set of codes, with an explicit stack.

A node of the search is a set of codes and an upper bound; the question is whether the least total of the set is under
the bound, and if so, what it is. The guesses that may have a total under the bound are tried in the order of an
estimate that is never too high. Each guess splits the codes; its lower bound is the number of codes plus the lower
bounds of its parts. While this lower bound is under the upper bound, the parts are solved one after another, the
smallest first, and the bound of each is replaced by its total. Of guesses that split a set into the same parts only one
is tried.

The stack has one row per node on the path to the current node: the first row, at depth 0, is the set to solve, and each
later row is a part that a guess makes of the set in the row above it.
"""

import numpy as np

from evilpegs_game.kernels import ZERO, kernel, mix
from evilpegs_game.optimal.node_bounds import list_guesses, quick_bounds, set_key
from evilpegs_game.optimal.search_state import (
    ELSEWHERE,
    GUESS_BITS,
    NEVER,
    NO_BOUND,
    NONE,
    GuessTables,
    OrbitTable,
    SearchStack,
    TotalsTable,
    look_up,
    store,
)
from evilpegs_game.partition import Indices


@kernel
def search(
    tables: GuessTables,
    stack: SearchStack,
    totals: TotalsTable,
    control: np.record,
    shared: np.record,
    orbits: OrbitTable,
) -> bool:
    """Try the guesses listed in the first row of ``stack``, and return True if the search was not stopped early.

    It stops early if ``shared.is_stopped`` is set, if ``control.work`` exceeds ``control.allowed``, or if the stack is
    full. Otherwise, either the guess ``best`` of the first row attains its bound ``upper``, or no guess tried has a
    total under `bound_of_failed`. ``orbits`` groups the guesses of the second row that are equally good, of which only
    one is tried; if it is empty, all are tried. New bounds are stored in ``totals``.
    """
    depth = ZERO
    while shared.is_stopped == 0 and control.work <= control.allowed and depth + 1 < stack.state.shape[0]:
        state = stack.state[depth]
        if depth == 0:
            exchange_bound(state, shared)
        if state.open_parts:
            _descend(tables, stack, totals, depth, control)
            if depth == 0 and orbits.shape[0]:
                keep_first_of_each_orbit(stack, orbits[tables.by_guess[state.guess, stack.codes[1, 0]]])
            depth += 1
        elif state.following < state.listed and not (depth == 0 and control.is_first_enough and state.best >= 0):
            _begin_guess(tables, stack, totals, depth, control)
        elif depth == 0:
            return True
        else:
            _ascend(tables, stack, totals, depth, control)
            depth -= 1
    return False


@kernel
def bound_of_failed(state: np.record) -> int:
    """Return a lower bound of the least total of a `NODE` whose listed guesses all failed to beat ``upper``."""
    return int(min(NEVER, max(state.upper, state.least)))


@kernel
def record_bounds(tables: GuessTables, totals: TotalsTable, codes: Indices, limit: int, lower: int, upper: int) -> None:
    key, check = set_key(tables, codes, limit)
    store(totals, key, check, codes.size, lower, upper)


@kernel
def exchange_bound(state: np.record, shared: np.record) -> None:
    """Set the upper bounds of ``state``, the set to solve, and of ``shared`` to the lower of the two.

    If the guess being tried can no longer beat the bound, it is given up.
    """
    if shared.upper > state.upper:
        shared.upper = state.upper
    elif shared.upper < state.upper:
        state.upper, state.best = shared.upper, NONE
        if state.lower >= state.upper:
            _update_guess(state, state.guess, state.lower, state.open_parts)


@kernel
def _begin_guess(tables: GuessTables, stack: SearchStack, totals: TotalsTable, depth: int, control: np.record) -> None:
    state = stack.state[depth]
    entry = stack.entries[depth, state.following]
    state.following += 1
    if entry >> GUESS_BITS >= state.upper:
        state.least = min(state.least, entry >> GUESS_BITS)
        return
    guess = entry & ((1 << GUESS_BITS) - 1)
    control.work += state.codes
    parts = _split_by_guess(tables, stack, depth, guess)
    if _is_repeated(stack, depth):
        return
    most, lower, start, left = state.most, state.codes, 0, ZERO
    for index in range(parts):
        lower += tables.least_totals[most, stack.counts[stack.order[index]]]
    for index in range(parts):
        size = stack.counts[stack.order[index]]
        codes = stack.grouped[depth, start : start + size]
        filled = tables.least_totals[most, size]
        least, known = quick_bounds(tables, stack, totals, codes, state.limit - 1, control)
        least = max(least, filled)
        lower += least - filled
        if lower >= state.upper:
            break
        if least < known:
            stack.starts[depth, left], stack.sizes[depth, left], stack.lowers[depth, left] = start, size, least
            left += 1
        start += size
    state.part = 0
    _update_guess(state, guess, lower, left)


@kernel
def _update_guess(state: np.record, guess: int, lower: int, left: int) -> None:
    state.open_parts, state.guess, state.lower = 0, guess, lower
    if lower >= state.upper:
        state.least = min(state.least, lower)
    elif left == 0:
        state.upper, state.best = lower, guess
    else:
        state.open_parts = left


@kernel
def _split_by_guess(tables: GuessTables, stack: SearchStack, depth: int, guess: int) -> int:
    size = stack.state[depth].codes
    # the parts go to ``stack.grouped[depth]``, the smallest first and all-black last
    codes, row = stack.codes[depth], tables.by_guess[guess]
    stack.counts[:] = 0
    stack.part_keys[:] = 0
    for i in range(size):
        number = row[codes[i]]
        stack.counts[number] += 1
        stack.part_keys[number] += tables.code_keys[codes[i], 0]
    parts = _order_by_size(stack, tables.all_black)
    following = stack.lowers[depth]  # scratch until the parts are bounded
    start = 0
    for index in range(parts):
        following[stack.order[index]] = start
        start += stack.counts[stack.order[index]]
    following[tables.all_black] = start
    for i in range(size):
        number = row[codes[i]]
        stack.grouped[depth, following[number]] = codes[i]
        following[number] += 1
    return parts


@kernel
def _order_by_size(stack: SearchStack, all_black: int) -> int:
    parts = 0
    for number in range(all_black):
        if stack.counts[number]:
            index = parts
            while index and stack.counts[stack.order[index - 1]] > stack.counts[number]:
                stack.order[index] = stack.order[index - 1]
                index -= 1
            stack.order[index] = number
            parts += 1
    return parts


@kernel
def _is_repeated(stack: SearchStack, depth: int) -> bool:
    # a code of the set needs fewer guesses than another guess with the same partition: it has the lower estimate, so it
    # is tried first
    digest = np.uint64(0)
    for number in range(stack.counts.size):
        if stack.counts[number]:
            digest += mix(stack.part_keys[number])
    state = stack.state[depth]
    for i in range(state.tried):
        if stack.tried[depth, i] == digest:
            return True
    if state.tried < stack.tried.shape[1]:
        stack.tried[depth, state.tried] = digest
        state.tried += 1
    return False


@kernel
def _descend(tables: GuessTables, stack: SearchStack, totals: TotalsTable, depth: int, control: np.record) -> None:
    state, below = stack.state[depth], stack.state[depth + 1]
    part = state.part
    start, size = stack.starts[depth, part], stack.sizes[depth, part]
    for i in range(size):
        stack.codes[depth + 1, i] = stack.grouped[depth, start + i]
    below.codes, below.limit, below.best = size, state.limit - 1, NONE
    # unless the part stays under this, the guess cannot beat the upper bound of row ``depth``
    below.upper = state.upper - (state.lower - stack.lowers[depth, part])
    key, check = set_key(tables, stack.codes[depth + 1, :size], below.limit)
    _, upper = look_up(totals, key, check)
    if upper < below.upper:
        below.upper, below.best = upper, ELSEWHERE
    list_guesses(tables, stack, depth + 1, control)
    if control.width:
        below.listed = min(below.listed, control.width)


@kernel
def keep_first_of_each_orbit(stack: SearchStack, orbit_numbers: Indices) -> None:
    """Drop from the list of the second row all guesses but the first of each orbit; -1: orbits unknown."""
    if orbit_numbers[0] < 0:
        return
    stack.marks[:] = 0
    kept = 0
    for i in range(stack.state[1].listed):
        entry = stack.entries[1, i]
        number = orbit_numbers[entry & ((1 << GUESS_BITS) - 1)]
        if stack.marks[number] == 0:
            stack.marks[number] = 1
            stack.entries[1, kept] = entry
            kept += 1
    stack.state[1].listed = kept


@kernel
def _ascend(tables: GuessTables, stack: SearchStack, totals: TotalsTable, depth: int, control: np.record) -> None:
    state, above = stack.state[depth], stack.state[depth - 1]
    before = stack.lowers[depth - 1, above.part]
    is_attained = state.best != NONE
    lower = state.upper if is_attained else bound_of_failed(state)
    if control.width == 0 or is_attained:
        # a search with a width proves no lower bound
        proved = before if control.width else lower
        codes = stack.codes[depth, : state.codes]
        record_bounds(tables, totals, codes, state.limit, proved, lower if is_attained else NO_BOUND)
    above.part += 1
    _update_guess(above, above.guess, above.lower + lower - before, above.open_parts - 1)
