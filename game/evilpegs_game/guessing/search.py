"""The search for the best guess at a live set: first every candidate, then every code that may be better.

A tie goes to a candidate, then to the first guess in code order, by the rule of `evilpegs_game.guessing.selection`.
"""

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
    PRODUCTS,
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


@kernel
def best_code(
    live: Columns, colors: int, repeats: bool, guessed: int, rule: int, weights: Integers, candidates_only: bool
) -> NDArray[np.uint8]:
    """Return the best guess at a live set of three codes or more; `guessed_color_mask` makes ``guessed``.

    ``live`` must be the live set after the guesses of ``guessed``. ``rule`` and ``weights`` are the fields of a
    `Measure`, passed separately because converting a named tuple from Python is slow.
    """
    color_classes = make_color_classes(live, colors, repeats, guessed)
    pegs, codes = live.shape
    class_count = color_classes.colors.size
    classified = to_color_classes(live, color_classes)
    bitmaps, cursor = make_bitmaps(classified, class_count), make_cursor(pegs, class_count)
    measure, best = Measure(rule, weights), no_guess(pegs)
    zero = int(np.int64(0))  # with literals the callee would be compiled twice
    search(bitmaps, cursor, color_classes, codes, classified, zero, codes, measure, best)
    if not candidates_only:
        search(bitmaps, cursor, color_classes, codes, np.zeros((0, 1), np.uint8), zero, zero + 1, measure, best)
    return best.guess


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
    """Search the guesses that begin with ``prefixes[:, start:stop]`` and put a strictly better one into ``best``.

    Of equally good guesses the first is put there. The prefixes are columns in code order, of color numbers. ``codes``
    is the number of candidates. ``bitmaps``, made of the candidates, and ``cursor`` are changed.
    """
    least, summed = least_score(measure, codes), is_summed(measure, codes)
    length = prefixes.shape[0]
    base = min(length, cursor.guess.size - 1)
    for i in range(start, stop):
        if best.score[0] == least or not move_to_prefix(bitmaps, cursor, color_classes, prefixes, i, base):
            continue
        first = int(np.int64(prefixes[base, i] if base < length else 0))  # of a whole guess, the last color is known
        end = first + 1 if base < length else color_classes.colors.size
        score = 0
        while score >= 0 and best.score[0] != least:
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
        best.score[0] = score
        for peg in range(cursor.guess.size):
            best.guess[peg] = color_classes.colors[cursor.guess[peg]]
