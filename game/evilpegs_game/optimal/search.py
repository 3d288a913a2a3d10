"""The search for the least total of a set of codes: branch and bound over guesses, with a stack of its own.

At a node stands a set of codes and an upper bound: is its total less, and which is it then? The guesses that may do it
are tried in the order of an estimate that is never too high. For each the codes are split; its lower bound is the
number of codes and the lower bounds of its parts. As long as that is under the upper bound, part after part is solved,
the smallest first, and its bound replaced by its total. Of guesses that split a set into the same parts one is tried.
"""

import numpy as np

from evilpegs_game.compiled import kernel
from evilpegs_game.optimal.node_bounds import glance, key_of, list_guesses, mixed
from evilpegs_game.optimal.search_state import (
    ALLOWED,
    BEST,
    CODES,
    ELSEWHERE,
    FIRST,
    GUESS,
    GUESS_BITS,
    LEAST,
    LIMIT,
    LISTED,
    LOWER,
    NEVER,
    NEXT,
    NONE,
    OPEN,
    PART,
    SHARED,
    STOP,
    TRIED,
    UPPER,
    WIDTH,
    WORK,
    Board,
    Families,
    Ints,
    Stack,
)
from evilpegs_game.optimal.totals_table import NO_BOUND, Totals, note, recall
from evilpegs_game.partition import Places


@kernel
def search(board: Board, stack: Stack, totals: Totals, control: Ints, shared: Ints, families: Families) -> bool:
    """Try the guesses listed for the set in the first row; whether it came to an end.

    ``families``: of the guesses in the second row, where one only is tried in the first.
    Then either BEST attains UPPER, or no guess tried has a total under `at_least`.
    """
    depth = 0
    while shared[STOP] == 0 and control[WORK] <= control[ALLOWED] and depth + 1 < stack.state.shape[0]:
        state = stack.state[depth]
        if depth == 0:
            share(state, shared)
        if state[OPEN]:
            _descend(board, stack, totals, depth, control)
            if depth == 0 and families.shape[0]:
                take_one_a_family(stack, families[board.by_guess[state[GUESS], stack.codes[1, 0]]])
            depth += 1
        elif state[NEXT] < state[LISTED] and not (depth == 0 and control[FIRST] and state[BEST] >= 0):
            _begin(board, stack, totals, depth, control)
        elif depth == 0:
            return True
        else:
            _ascend(board, stack, totals, depth, control)
            depth -= 1
    return False


@kernel
def at_least(state: Ints) -> int:
    """A lower bound of the total of a set for which no guess was found."""
    return int(min(NEVER, max(state[UPPER], state[LEAST])))


@kernel
def remember(board: Board, totals: Totals, codes: Places, limit: int, lower: int, upper: int) -> None:
    """Note bounds of a set."""
    key, check = key_of(board, codes, limit)
    note(totals, key, check, codes.size, lower, upper)


@kernel
def share(state: Ints, shared: Ints) -> None:
    """Tell other searches of the same set what was found, or learn it from them."""
    if shared[SHARED] > state[UPPER]:
        shared[SHARED] = state[UPPER]
    elif shared[SHARED] < state[UPPER]:
        state[UPPER], state[BEST] = shared[SHARED], NONE
        if state[LOWER] >= state[UPPER]:
            _weigh(state, state[GUESS], state[LOWER], state[OPEN])


@kernel
def _begin(board: Board, stack: Stack, totals: Totals, depth: int, control: Ints) -> None:
    """Split the set by the next guess and look at its parts; those that are not solved by that are left open."""
    state = stack.state[depth]
    listed = stack.listed[depth, state[NEXT]]
    state[NEXT] += 1
    if listed >> GUESS_BITS >= state[UPPER]:
        state[LEAST] = min(state[LEAST], listed >> GUESS_BITS)
        return
    guess = listed & ((1 << GUESS_BITS) - 1)
    control[WORK] += state[CODES]
    parts = _group(board, stack, depth, guess)
    if _is_repeated(stack, depth):
        return
    lower = 3 * state[CODES] - 2 * stack.counts[board.black] - parts  # if each part needs as little as can be
    start, left = 0, 0
    for place in range(parts):
        size = stack.counts[stack.order[place]]
        codes = stack.grouped[depth, start : start + size]
        least, most = glance(board, stack, totals, codes, state[LIMIT] - 1, control)
        lower += least - (2 * size - 1)
        if lower >= state[UPPER]:
            break
        if least < most:
            stack.starts[depth, left], stack.sizes[depth, left], stack.lowers[depth, left] = start, size, least
            left += 1
        start += size
    state[PART] = 0
    _weigh(state, guess, lower, left)


@kernel
def _weigh(state: Ints, guess: int, lower: int, left: int) -> None:
    """Go on with a guess of which ``left`` parts are to be solved, unless it is known to be too much, or solved."""
    state[OPEN], state[GUESS], state[LOWER] = 0, guess, lower
    if lower >= state[UPPER]:
        state[LEAST] = min(state[LEAST], lower)
    elif left == 0:
        state[UPPER], state[BEST] = lower, guess
    else:
        state[OPEN] = left


@kernel
def _group(board: Board, stack: Stack, depth: int, guess: int) -> int:
    """Split the codes: their parts one after the other in ``grouped``; how many there are.

    ``order`` holds the feedback numbers of the parts, the smallest first, all-black left out; ``counts`` the sizes.
    """
    size = stack.state[depth, CODES]
    codes, row = stack.codes[depth], board.by_guess[guess]
    stack.counts[:] = 0
    stack.part_keys[:] = 0
    for i in range(size):
        number = row[codes[i]]
        stack.counts[number] += 1
        stack.part_keys[number] += board.keys[codes[i], 0]
    parts = _order_parts(stack, board.black)
    following = stack.lowers[depth]  # free until the parts are looked at
    start = 0
    for place in range(parts):
        following[stack.order[place]] = start
        start += stack.counts[stack.order[place]]
    following[board.black] = start
    for i in range(size):
        number = row[codes[i]]
        stack.grouped[depth, following[number]] = codes[i]
        following[number] += 1
    return parts


@kernel
def _order_parts(stack: Stack, black: int) -> int:
    """Put the numbers of the parts in order of size; how many there are."""
    parts = 0
    for number in range(black):
        if stack.counts[number]:
            place = parts
            while place and stack.counts[stack.order[place - 1]] > stack.counts[number]:
                stack.order[place] = stack.order[place - 1]
                place -= 1
            stack.order[place] = number
            parts += 1
    return parts


@kernel
def _is_repeated(stack: Stack, depth: int) -> bool:
    """Whether the codes were split into these parts before; if not, it is noted.

    A code of the set and another guess may do so. The code, which needs less, has the lesser estimate and came first.
    """
    digest = np.uint64(0)
    for number in range(stack.counts.size):
        if stack.counts[number]:
            digest += mixed(stack.part_keys[number])
    state = stack.state[depth]
    for i in range(state[TRIED]):
        if stack.tried[depth, i] == digest:
            return True
    if state[TRIED] < stack.tried.shape[1]:
        stack.tried[depth, state[TRIED]] = digest
        state[TRIED] += 1
    return False


@kernel
def _descend(board: Board, stack: Stack, totals: Totals, depth: int, control: Ints) -> None:
    """Put the part to be solved one row deeper."""
    state, below = stack.state[depth], stack.state[depth + 1]
    part = state[PART]
    start, size = stack.starts[depth, part], stack.sizes[depth, part]
    for i in range(size):
        stack.codes[depth + 1, i] = stack.grouped[depth, start + i]
    below[CODES], below[LIMIT], below[BEST] = size, state[LIMIT] - 1, NONE
    below[UPPER] = state[UPPER] - (state[LOWER] - stack.lowers[depth, part])
    key, check = key_of(board, stack.codes[depth + 1, :size], below[LIMIT])
    _, upper = recall(totals, key, check)
    if upper < below[UPPER]:
        below[UPPER], below[BEST] = upper, ELSEWHERE
    list_guesses(board, stack, depth + 1, control)
    if control[WIDTH]:
        below[LISTED] = min(below[LISTED], control[WIDTH])


@kernel
def take_one_a_family(stack: Stack, family: Places) -> None:
    """Of the guesses listed in the second row leave the first of each family."""
    if family[0] < 0:
        return
    stack.marks[:] = 0
    kept = 0
    for i in range(stack.state[1, LISTED]):
        listed = stack.listed[1, i]
        number = family[listed & ((1 << GUESS_BITS) - 1)]
        if stack.marks[number] == 0:
            stack.marks[number] = 1
            stack.listed[1, kept] = listed
            kept += 1
    stack.state[1, LISTED] = kept


@kernel
def _ascend(board: Board, stack: Stack, totals: Totals, depth: int, control: Ints) -> None:
    """Note what is known of the set of this row, and take it one row up."""
    state, above = stack.state[depth], stack.state[depth - 1]
    known = stack.lowers[depth - 1, above[PART]]
    is_found = state[BEST] != NONE
    lower = state[UPPER] if is_found else at_least(state)
    if control[WIDTH] == 0 or is_found:
        proved = known if control[WIDTH] else lower
        codes = stack.codes[depth, : state[CODES]]
        remember(board, totals, codes, state[LIMIT], proved, lower if is_found else NO_BOUND)
    above[PART] += 1
    _weigh(above, above[GUESS], above[LOWER] + lower - known, above[OPEN] - 1)
