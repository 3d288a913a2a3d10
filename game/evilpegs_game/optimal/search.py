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

from evilpegs_game.codemakers.small_sets import Ints
from evilpegs_game.kernels import ZERO, kernel, mix
from evilpegs_game.optimal.node_bounds import known_bounds, list_guesses, quick_bounds, record_bounds, set_key
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
    Words,
    look_up,
)
from evilpegs_game.partition import Indices, Numbers


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
                code = stack.codes[1, stack.state[1].start]
                keep_first_of_each_orbit(stack, orbits[tables.by_guess[state.guess, code]])
            depth += 1
        elif state.following < state.listed and not (depth == 0 and control.is_first_enough and state.best >= 0):
            guess = _next_guess(state, stack.entries[depth])
            if guess != NONE:
                _begin_guess(tables, stack, totals, depth, guess, control)
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
def _next_guess(state: np.record, entries: Ints) -> int:
    while state.following < state.listed:
        entry = entries[state.following]
        state.following += 1
        if entry >> GUESS_BITS < state.upper:
            return int(entry & ((1 << GUESS_BITS) - 1))
        state.least = min(state.least, entry >> GUESS_BITS)
    return NONE


@kernel
def _begin_guess(
    tables: GuessTables, stack: SearchStack, totals: TotalsTable, depth: int, guess: int, control: np.record
) -> None:
    state = stack.state[depth]
    control.work += state.codes
    codes, grouped = stack.codes[depth, state.start : state.start + state.codes], stack.codes[depth + 1]
    parts = _split(state, codes, tables.by_guess[guess], tables.code_keys, tables.all_black, grouped)
    if _is_repeated(state, stack.tried[depth], tables.all_black):
        return
    most, lower, start, left = state.most, state.codes, 0, ZERO
    for index in range(parts):
        lower += tables.least_totals[most, state.counts[state.order[index]]]
    for index in range(parts):
        size = state.counts[state.order[index]]
        part = grouped[start : start + size]
        filled = tables.least_totals[most, size]
        least, known = known_bounds(tables.code_keys, tables.max_codes, totals, part, state.limit - 1)
        if least == 0:
            least, known = quick_bounds(tables, stack, totals, part, state.limit - 1, control)
        least = max(least, filled)
        lower += least - filled
        if lower >= state.upper:
            break
        if least < known:
            state.starts[left], state.sizes[left], state.lowers[left] = start, size, least
            left += 1
        start += size
    state.part = 0
    _update_guess(state, guess, lower, left)


@kernel
def _update_guess(state: np.record, guess: int, lower: int, left: int) -> None:
    state.guess, state.lower, state.open_parts = guess, lower, left if lower < state.upper else 0
    if lower >= state.upper:
        state.least = min(state.least, lower)
    elif left == 0:
        state.upper, state.best = lower, guess


@kernel
def _split(state: np.record, codes: Indices, row: Numbers, code_keys: Words, all_black: int, grouped: Indices) -> int:
    # the parts go to ``grouped``, the smallest first and all-black last
    counts, part_keys = state.counts, state.part_keys
    counts[:] = 0
    part_keys[:] = 0
    for i in range(codes.size):
        number = row[codes[i]]
        counts[number] += 1
        part_keys[number] += code_keys[codes[i], 0]
    parts = _order_by_size(state, all_black)
    following = state.lowers  # scratch until the parts are bounded
    start = 0
    for index in range(parts):
        following[state.order[index]] = start
        start += counts[state.order[index]]
    following[all_black] = start
    for i in range(codes.size):
        number = row[codes[i]]
        grouped[following[number]] = codes[i]
        following[number] += 1
    return parts


@kernel
def _order_by_size(state: np.record, all_black: int) -> int:
    counts, order = state.counts, state.order
    parts = 0
    for number in range(all_black):
        if counts[number]:
            index = parts
            while index and counts[order[index - 1]] > counts[number]:
                order[index] = order[index - 1]
                index -= 1
            order[index] = number
            parts += 1
    return parts


@kernel
def _is_repeated(state: np.record, tried: Words, all_black: int) -> bool:
    # a code of the set needs fewer guesses than another guess with the same partition: it has the lower estimate, so it
    # is tried first
    digest = np.uint64(0)
    for number in range(all_black + 1):
        if state.counts[number]:
            digest += mix(state.part_keys[number])
    for i in range(state.tried):
        if tried[i] == digest:
            return True
    if state.tried < tried.size:
        tried[state.tried] = digest
        state.tried += 1
    return False


@kernel
def _descend(tables: GuessTables, stack: SearchStack, totals: TotalsTable, depth: int, control: np.record) -> None:
    state, below = stack.state[depth], stack.state[depth + 1]
    part = state.part
    start, size = state.starts[part], state.sizes[part]
    below.start, below.codes, below.limit, below.best = start, size, state.limit - 1, NONE
    # unless the part stays under this, the guess cannot beat the upper bound of row ``depth``
    below.upper = state.upper - (state.lower - state.lowers[part])
    key, check = set_key(tables.code_keys, stack.codes[depth + 1, start : start + size], below.limit)
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
    is_kept, kept = np.zeros(stack.seen.size, dtype=np.uint8), 0
    for entry in stack.entries[1, : stack.state[1].listed]:
        number = orbit_numbers[entry & ((1 << GUESS_BITS) - 1)]
        if is_kept[number] == 0:
            is_kept[number] = 1
            stack.entries[1, kept] = entry
            kept += 1
    stack.state[1].listed = kept


@kernel
def _ascend(tables: GuessTables, stack: SearchStack, totals: TotalsTable, depth: int, control: np.record) -> None:
    state, above = stack.state[depth], stack.state[depth - 1]
    before = above.lowers[above.part]
    is_attained = state.best != NONE
    lower = state.upper if is_attained else bound_of_failed(state)
    if control.width == 0 or is_attained:
        # a search with a width proves no lower bound
        proved = before if control.width else lower
        codes = stack.codes[depth, state.start : state.start + state.codes]
        record_bounds(tables.code_keys, totals, codes, state.limit, proved, lower if is_attained else NO_BOUND)
    above.part += 1
    _update_guess(above, above.guess, above.lower + lower - before, above.open_parts - 1)
