"""The search for the best guess at a live set: first every candidate, then every code that may be better.

A tie goes to a candidate, then to the first guess in code order, by the rule of `evilpegs_game.guessing.selection`.

At live sets of at most `MAX_CODES` codes, `evilpegs_game.guessing.guess_rows` searches. There, with the rule `TOTALS`,
the best `LISTED` guesses of the search, the first ply, are compared by a second: a small part counts as much as the
best next guess among its candidates promises, not as much as other parts of its size.
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
from evilpegs_game.guessing.guess_rows import best_of_few
from evilpegs_game.guessing.ranking import (
    LISTS,
    NO_LIMIT,
    PRODUCTS,
    TOTALS,
    Best,
    Measure,
    end_with_all_black,
    is_summed,
    keep_guess,
    least_score,
    no_guess,
    score_limit,
)
from evilpegs_game.kernels import ZERO, kernel
from evilpegs_game.partition import number_codes, sort_into_parts, take_columns

LISTED: Final = 8
_SMALL: Final = 64  # only parts of at most as many codes are looked into


def tries_others(rule: int, codes: int, colors: int, pegs: int) -> bool:
    """Return False if only candidates are tried, because other guesses would take most of the time of a game."""
    return rule != TOTALS or codes <= max(640, colors**pegs // 50)


@kernel
def best_of_many(
    live: Columns, colors: int, repeats: bool, guessed: int, rule: int, weights: Integers, candidates_only: bool
) -> NDArray[np.uint8]:
    """Return the best guess at a live set of any size, one ply deep; `guessed_color_mask` makes ``guessed``.

    ``live`` must be the live set after the guesses of ``guessed``. ``rule`` and ``weights`` are the fields of a
    `Measure`, passed separately because converting a named tuple from Python is slow.
    """
    pegs, codes = live.shape
    measure, best = Measure(rule, weights), no_guess(pegs, ZERO + 1)
    color_classes = make_color_classes(live, colors, repeats, guessed)
    class_count = color_classes.colors.size
    classified = to_color_classes(live, color_classes)
    bitmaps, cursor = make_bitmaps(classified, class_count), make_cursor(pegs, class_count)
    search(bitmaps, cursor, color_classes, codes, classified, ZERO, codes, measure, best)
    if not candidates_only:
        end_with_all_black(best, measure)
        search(bitmaps, cursor, color_classes, codes, np.zeros((0, 1), np.uint8), ZERO, ZERO + 1, measure, best)
    return best.guess


@kernel
def best_ahead(
    live: Columns, colors: int, repeats: bool, guessed: int, rule: int, weights: Integers, candidates_only: bool
) -> NDArray[np.uint8]:
    """Return the best guess at a live set of at most `MAX_CODES` codes, two plies deep, otherwise as `best_of_many`."""
    pegs, one = live.shape[0], weights[2]
    listed, is_true = ZERO + LISTED, bool(candidates_only | True)  # a literal would compile the callee again
    guesses, scores = best_of_few(live, colors, repeats, guessed, rule, weights, candidates_only, listed)
    least, chosen = NO_LIMIT, 0
    for index in range(LISTED):
        if scores[index] < 0:
            continue
        guess, mask = guesses[index * pegs : (index + 1) * pegs].copy(), guessed
        for color in guess:
            mask |= 1 << int(color)
        sizes, order = sort_into_parts(number_codes(live, guess), (pegs + 1) * (pegs + 2) // 2)
        total, start = -sizes[-1] * one, 0
        for size in sizes[:-1]:
            total += max(size - 1, 0) * one  # at least
        for size in sizes[:-1]:
            if total >= least:
                break
            if 2 < size <= _SMALL:
                part = take_columns(live, order[start : start + size])
                total += best_of_few(part, colors, repeats, mask, rule, weights, is_true, listed)[1][0]
            elif size:
                total += weights[size] - (size - 1) * one
            start += size
        if total < least:
            least, chosen = total, index
    return guesses[chosen * pegs : (chosen + 1) * pegs].copy()


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
    guess = np.empty(cursor.guess.size, np.uint8)
    for peg in range(guess.size):
        guess[peg] = color_classes.colors[cursor.guess[peg]]
    keep_guess(guess, score, sizes, best, measure, codes)
