"""The search for the best guess at a live set: first every candidate, then every code that may be better.

A tie goes to a candidate, then to the first guess in code order, by the rule of `evilpegs_game.guessing.selection`.

With the rule `TOTALS` the best `LISTED` guesses of this search, the first ply, are compared by a second: a small part
counts as much as the best next guess among its candidates promises, not as much as other parts of its size.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Columns
from evilpegs_game.guessing.color_classes import ColorClasses, Integers, make_color_classes, to_color_classes
from evilpegs_game.guessing.guess_cursor import (
    Cursor,
    GuessBitmaps,
    find_next,
    make_bitmaps,
    make_cursor,
    move_to_prefix,
    part_size,
)
from evilpegs_game.guessing.ranking import (
    LISTS,
    NO_LIMIT,
    PRODUCTS,
    TOTALS,
    Best,
    Measure,
    is_better,
    is_summed,
    least_score,
    no_guess,
    score_limit,
    sort_ascending,
)
from evilpegs_game.kernels import copy_into, kernel
from evilpegs_game.partition import number_codes, sort_into_parts, take_columns

LISTED: Final = 8
LOOK_AHEAD_CODES: Final = 1296
"""At larger live sets, `TOTALS` looks one ply deep: few parts are small."""


@kernel
def tries_others(rule: int, codes: int, colors: int, pegs: int) -> bool:
    """Return False if only candidates are tried, because other guesses would take most of the time of a game."""
    return bool(rule != TOTALS or codes <= max(640, colors**pegs // 50))


@kernel
def best_code(
    live: Columns, colors: int, repeats: bool, guessed: int, rule: int, weights: Integers, candidates_only: bool
) -> NDArray[np.uint8]:
    """Return the best guess at a live set of three codes or more; `guessed_color_mask` makes ``guessed``.

    ``live`` must be the live set after the guesses of ``guessed``. ``rule`` and ``weights`` are the fields of a
    `Measure`, passed separately because converting a named tuple from Python is slow.
    """
    pegs, codes = live.shape
    measure = Measure(rule, weights)
    candidates_only = candidates_only or not tries_others(rule, codes, colors, pegs)
    listed = int(np.int64(LISTED if rule == TOTALS and codes <= LOOK_AHEAD_CODES else 1))
    best = best_codes(live, colors, repeats, guessed, measure, candidates_only, listed)
    if listed == 1:
        return best.guess
    least, chosen = NO_LIMIT, int(np.int64(0))
    for index in range(LISTED):
        if best.score[index] >= 0:
            guess = best.guess[index * pegs : (index + 1) * pegs].copy()
            total = _look_ahead(live, colors, repeats, guessed, measure, guess, least)
            if total < least:
                least, chosen = total, index
    return best.guess[chosen * pegs : (chosen + 1) * pegs].copy()


@kernel
def _look_ahead(
    live: Columns, colors: int, repeats: bool, guessed: int, measure: Measure, guess: NDArray[np.uint8], limit: int
) -> int:
    # the score of ``guess`` after a second ply, or a lower bound of it that is at least ``limit``
    for color in guess:
        guessed |= 1 << int(color)
    sizes, order = sort_into_parts(number_codes(live, guess), (guess.size + 1) * (guess.size + 2) // 2)
    one = measure.weights[2]
    total, start = -sizes[-1] * one, 0
    total += np.maximum(sizes[:-1] - 1, 0).sum() * one  # at least
    for size in sizes[:-1]:
        if total >= limit:
            break
        is_small = 2 < size <= 64  # one word per bitmap
        if is_small:
            part = take_columns(live, order[start : start + size])
            total += best_codes(part, colors, repeats, guessed, measure, is_small, int(np.int64(1))).score[0]
        elif size:
            total += measure.weights[size] - (size - 1) * one
        start += size
    return int(total)


@kernel
def best_codes(
    live: Columns, colors: int, repeats: bool, guessed: int, measure: Measure, candidates_only: bool, listed: int
) -> Best:
    """Return the best guesses, at most ``listed`` of them, one ply deep; otherwise like `best_code`."""
    color_classes = make_color_classes(live, colors, repeats, guessed)
    pegs, codes = live.shape
    class_count = color_classes.colors.size
    classified = to_color_classes(live, color_classes)
    bitmaps, cursor = make_bitmaps(classified, class_count), make_cursor(pegs, class_count)
    best = no_guess(pegs, listed)
    zero = int(np.int64(0))  # with literals the callee would be compiled twice
    search(bitmaps, cursor, color_classes, codes, classified, zero, codes, measure, best)
    if not candidates_only:
        end_with_all_black(best, measure)
        search(bitmaps, cursor, color_classes, codes, np.zeros((0, 1), np.uint8), zero, zero + 1, measure, best)
    return best


@kernel
def end_with_all_black(best: Best, measure: Measure) -> None:
    """Take the guess that all-black saves off the scores of ``best``, all of candidates, if the rule counts it."""
    if measure.rule == TOTALS:
        for index in range(best.score.size):
            if best.score[index] > 0:  # otherwise no guess is better
                best.score[index] -= measure.weights[2]


@kernel
def search(
    bitmaps: GuessBitmaps,
    cursor: Cursor,
    color_classes: ColorClasses,
    codes: int,
    prefixes: Columns,
    start: int,
    stop: int,
    measure: Measure,
    best: Best,
) -> None:
    """Search the guesses that begin with ``prefixes[:, start:stop]`` and put strictly better ones into ``best``.

    Of equally good guesses the first is put there. The prefixes are columns in code order, of color numbers. ``codes``
    is the number of candidates. ``bitmaps``, made of the candidates, and ``cursor`` are changed.
    """
    least, summed = least_score(measure, codes), is_summed(measure, codes)
    length = prefixes.shape[0]
    base = min(length, cursor.guess.size - 1)
    for i in range(start, stop):
        if 0 <= best.score[0] <= least or not move_to_prefix(bitmaps, cursor, color_classes, prefixes, i, base):
            continue
        first = int(np.int64(prefixes[base, i] if base < length else 0))  # of a whole guess, the last color is known
        end = first + 1 if base < length else color_classes.colors.size
        score = 0
        while score >= 0 and not 0 <= best.score[0] <= least:
            limit = score_limit(best, measure, codes)
            score = find_next(bitmaps, cursor, color_classes, measure.weights, summed, base, first, end, limit)
            if score >= 0:
                _keep_if_better(bitmaps, cursor, color_classes, codes, score, measure, best)


@kernel
def _keep_if_better(
    bitmaps: GuessBitmaps,
    cursor: Cursor,
    color_classes: ColorClasses,
    codes: int,
    score: int,
    measure: Measure,
    best: Best,
) -> None:
    sizes = best.sizes.copy()
    if measure.rule in (LISTS, PRODUCTS):
        color = cursor.guess[-1]
        for i in range(sizes.size):
            sizes[i] = part_size(bitmaps, cursor.feedback_slots[i], color, cursor.used[color] - 1)
        sort_ascending(sizes)
    if is_better(score, sizes, best, measure, codes):
        copy_into(best.sizes, sizes)
        pegs, index = cursor.guess.size, best.score.size - 1
        while index and not 0 <= best.score[index - 1] <= score:
            best.score[index] = best.score[index - 1]
            for peg in range(pegs):
                best.guess[index * pegs + peg] = best.guess[index * pegs - pegs + peg]
            index -= 1
        best.score[index] = score
        for peg in range(pegs):
            best.guess[index * pegs + peg] = color_classes.colors[cursor.guess[peg]]
