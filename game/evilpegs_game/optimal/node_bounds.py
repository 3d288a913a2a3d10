"""A look at a set of codes: bounds of its least total without trying a guess, and which guesses to try.

One pass over a table of bits finds how many parts every guess makes of the set, all-black not counted; two codes in one
part cost a guess more than in two. So with n codes and b parts no guess of the set does better than 3 n - 2 - b, and no
other than 3 n - b: exact where no part holds three. Most sets are solved or excluded by that. Where the largest part
may be larger than the most parts that any guess makes, the sizes are counted too: a subset cannot be split into more
parts than the set, which bounds what it needs. *Work* is feedbacks looked at.
"""

from typing import Final

import numpy as np

from evilpegs_game.codemakers.small_sets import FeedbackSets
from evilpegs_game.compiled import kernel
from evilpegs_game.optimal.search_state import (
    CODES,
    GUESS_BITS,
    LEAST,
    LIMIT,
    LISTED,
    NEVER,
    NEXT,
    OPEN,
    TRIED,
    UPPER,
    WORK,
    Board,
    Ints,
    Stack,
)
from evilpegs_game.optimal.totals_table import NO_BOUND, Totals, note, recall
from evilpegs_game.partition import Numbers, Places

_BLOCK: Final = 64


@kernel
def mixed(word: np.uint64) -> np.uint64:
    """Stir 64 bits. Source: S. Vigna, splitmix64."""
    once = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    twice = (once ^ (once >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return twice ^ (twice >> np.uint64(31))


@kernel
def key_of(board: Board, codes: Places, limit: int) -> tuple[np.uint64, np.uint64]:
    """The key of a set: the sum of those of its codes, stirred with the limit where that can matter."""
    key, check = np.uint64(0), np.uint64(0)
    for i in range(codes.size):
        key += board.keys[codes[i], 0]
        check += board.keys[codes[i], 1]
    if limit < codes.size:  # no optimal tree is higher than the number of codes
        key ^= mixed(np.uint64(limit))
    return key, check


@kernel
def _count_parts(board: Board, stack: Stack, codes: Places) -> int:
    """The parts that each guess makes of ``codes``, all-black not counted; and the most."""
    _mark(board.bits, codes, stack.seen)
    return _count_bits(stack.seen, np.uint64(1) << np.uint64(board.black), stack.parts)


@kernel
def _mark(bits: FeedbackSets, codes: Places, seen: FeedbackSets) -> None:
    row = bits[codes[0]]
    for g in range(seen.size):
        seen[g] = row[g]
    for i in range(1, codes.size):
        row = bits[codes[i]]
        for g in range(seen.size):
            seen[g] |= row[g]


@kernel
def _most_of(parts: Numbers) -> int:
    most = np.uint8(0)
    for g in range(parts.size):
        most = max(most, parts[g])
    return int(np.int64(most))


@kernel
def _count_bits(seen: FeedbackSets, but: np.uint64, counts: Numbers) -> int:
    """The bits of each word ``but`` one; and the most. Source: the sideways sum, D. E. Knuth, TAOCP 7.1.3."""
    for g in range(seen.size):
        word = np.uint64(seen[g]) & ~but
        word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
        word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
        word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        counts[g] = np.uint8((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
    return _most_of(counts)


@kernel
def _is_told_apart(board: Board, codes: Places) -> bool:
    """Whether guessing some code of the set tells all of it apart."""
    for i in range(codes.size):
        row = board.by_guess[board.own[codes[i]]]
        seen, different = np.uint64(0), True
        for j in range(codes.size):
            bit = np.uint64(1) << np.uint64(row[codes[j]])
            different = (seen & bit) == np.uint64(0)
            if not different:
                break
            seen |= bit
        if different:
            return True
    return False


@kernel
def _max_codes(board: Board, limit: int) -> int:
    """A bound on the codes within ``limit`` guesses."""
    return int(board.most[min(limit, board.most.size - 1)])


@kernel
def _look(board: Board, stack: Stack, codes: Places, limit: int, control: Ints) -> tuple[int, int]:
    """A lower and an upper bound for over two codes."""
    size = codes.size
    if size <= board.black + 1:
        control[WORK] += size * size
        if _is_told_apart(board, codes):
            return 2 * size - 1, 2 * size - 1
    control[WORK] += size * stack.seen.size
    most = _count_parts(board, stack, codes)
    own = 0
    for i in range(size):
        own = max(own, int(np.int64(stack.parts[board.own[codes[i]]])))
    if most == size:
        return 2 * size, 2 * size
    if limit == 2:
        return NEVER, NEVER
    lower = min(3 * size - most, 3 * size - own - 2)
    if own == size - 2 or most == size - 1:  # one pair is left
        return lower, lower
    return max(lower, int(board.bounds[most, size])), NO_BOUND


@kernel
def glance(board: Board, stack: Stack, totals: Totals, codes: Places, limit: int, control: Ints) -> tuple[int, int]:
    """A lower and an upper bound of the total within ``limit`` guesses, from what is known or from a look."""
    size = codes.size
    if size > _max_codes(board, limit):
        return NEVER, NEVER
    if size <= 2:
        return 2 * size - 1, 2 * size - 1
    key, check = key_of(board, codes, limit)
    lower, upper = recall(totals, key, check)
    if lower == 0:
        lower, upper = _look(board, stack, codes, limit, control)
        note(totals, key, check, size, lower, upper)
    return lower, upper


@kernel
def _bound_by_sizes(board: Board, stack: Stack, codes: Places, guess: int, most: int, largest: int) -> int:
    """A lower bound by the sizes of the parts, none of which can be split into more than ``most``."""
    row = board.by_guess[guess]
    stack.counts[:] = 0
    for i in range(codes.size):
        stack.counts[row[codes[i]]] += 1
    total = codes.size
    for number in range(board.black):
        count = stack.counts[number]
        if count > largest:
            return NEVER
        total += board.bounds[most, count]
    return total


@kernel
def list_guesses(board: Board, stack: Stack, depth: int, control: Ints) -> None:
    """List the guesses that may have a total under the upper bound, those of the least estimates first."""
    state = stack.state[depth]
    size, upper = state[CODES], state[UPPER]
    codes = stack.codes[depth, :size]
    control[WORK] += size * stack.seen.size
    most = _count_parts(board, stack, codes)
    largest = _max_codes(board, state[LIMIT] - 1)
    least, listed = NEVER, 0
    for start in range(0, stack.parts.size, _BLOCK):
        stop = min(start + _BLOCK, stack.parts.size)
        at_least = 3 * size - 2 - _most_of(stack.parts[start:stop])
        if at_least >= upper:
            least = min(least, at_least)
            continue
        for g in range(start, stop):
            parts = int(np.int64(stack.parts[g]))
            is_own = int(np.int64((stack.seen[g] >> board.black) & 1))
            estimate = 3 * size - 2 * is_own - parts
            if parts + is_own == 1:
                continue  # it tells nothing
            if estimate < upper and size - is_own - parts + 1 > min(most, largest):
                control[WORK] += size
                estimate = _bound_by_sizes(board, stack, codes, g, most, largest)
            if estimate < upper:
                stack.listed[depth, listed] = (estimate << GUESS_BITS) + g
                listed += 1
            else:
                least = min(least, estimate)
    stack.listed[depth, :listed].sort()
    state[LISTED], state[NEXT], state[LEAST], state[TRIED], state[OPEN] = listed, 0, least, 0, 0
