"""Compiled game trees below live sets: how many codes a heuristic solves at each guess.

The live sets below one guess are ranges of one list of indices, and each guess sorts its range into parts. So the whole
traversal takes only this list and a stack of ranges. Sets of one or two codes are counted where they arise.
"""

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Columns
from evilpegs_game.guessing.ranking import Measure
from evilpegs_game.guessing.search import best_code
from evilpegs_game.kernels import copy_into, kernel
from evilpegs_game.partition import Sizes, number_codes, pair_number, separates, sort_into_parts, take_columns

_FEW = 8  # only smaller live sets are first searched for a candidate that separates all codes


@kernel
def count_solved_codes(
    columns: Columns,
    sizes: Sizes,
    guessed: int,
    colors: int,
    repeats: bool,
    measure: Measure,
    candidates_only: bool,
) -> Sizes:
    """Return, at index i, how many codes are solved at guess i + 1 from their live sets: shape (codes + 2,).

    ``columns`` are the codes of the live sets, one set after the other, and ``sizes`` the sizes of the sets. Bit c of
    ``guessed`` is set if color c is in a guess so far.
    """
    pegs, codes = columns.shape
    parts = (pegs + 1) * (pegs + 2) // 2
    rule, weights = measure
    solved = np.zeros(codes + 2, np.int64)
    indices = np.empty(codes, np.int32)
    for i in range(codes):
        indices[i] = i
    stack = np.empty((codes // 3 + sizes.size + 1, 4), np.int64)
    zero = int(np.int64(0))  # with a literal the callee would be compiled twice
    top = _push_parts(stack, zero, solved, sizes, zero, zero, guessed)
    while top:
        top -= 1
        start, stop, depth, guessed = stack[top]
        live = take_columns(columns, indices[start:stop])
        if stop - start <= _FEW and some_candidate_separates(live):
            solved[depth] += 1
            solved[depth + 1] += stop - start - 1
            continue
        guess = best_code(live, colors, repeats, guessed, rule, weights, candidates_only)
        counts, order = sort_into_parts(number_codes(live, guess), parts)
        for i in range(order.size):
            order[i] = indices[start + order[i]]
        copy_into(indices[start:stop], order)
        solved[depth] += counts[-1]
        for peg in range(pegs):
            guessed |= 1 << guess[peg]
        top = _push_parts(stack, top, solved, counts[:-1], start, depth + 1, guessed)
    return solved


@kernel
def _push_parts(
    stack: NDArray[np.int64], top: int, solved: Sizes, sizes: Sizes, start: int, depth: int, guessed: int
) -> int:
    for size in sizes:
        if size > 2:
            # first code of the part, end, guesses so far, colors guessed so far
            stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = start, start + size, depth, guessed
            top += 1
        elif size:
            solved[depth] += 1
            solved[depth + 1] += size - 1  # of two codes, the second takes one more guess
        start += size
    return top


@kernel
def some_candidate_separates(live: Columns) -> bool:
    """Return True if some candidate gets a different feedback from each code of ``live``; no guess is better then."""
    codes = live.shape[1]
    numbers = np.empty((codes, codes), np.uint8)
    for first in range(codes):
        for second in range(first, codes):
            numbers[first, second] = numbers[second, first] = pair_number(live, first, second)
    everyone = np.empty(codes, np.int32)
    for i in range(codes):
        everyone[i] = i
    for guess in range(codes):  # noqa: SIM110 - compiled code has no generators
        if separates(numbers[guess], everyone):
            return True
    return False
