"""The search for the best guess at a live set: every candidate first, then every code that may be better.

A tie goes to a candidate, then to the first in code order: the tie rule of `evilpegs_game.guessing.selection`.

A guess is dropped as soon as its parts so far make it worse than the best. The part that ruled out one guess is looked
at first in the next, which mostly differs in one peg: most guesses cost one or two parts. That is the killer heuristic
of chess programs; source: S. G. Akl and M. M. Newborn, The principal continuation and the killer heuristic, 1977.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Columns
from evilpegs_game.compiled import kernel
from evilpegs_game.guessing.bitmaps import Bits, make_bits, moved, part_size, place, popcount
from evilpegs_game.guessing.color_classes import Integers, Palette, in_palette, make_palette
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
    sort_rising,
)


class Cursor(NamedTuple):
    """A guess in the making: the color of each peg or -1, how often each color is in it, and the parts in order.

    ``slots`` are 256 * blacks + matches.
    """

    guess: Integers
    used: Integers
    slots: NDArray[np.uint16]


@kernel
def make_cursor(pegs: int, colors: int) -> Cursor:
    """Before the first guess."""
    slots = np.empty((pegs + 1) * (pegs + 2) // 2, np.uint16)
    kept = 0
    for black in range(pegs + 1):
        for total in range(black, pegs + 1):
            slots[kept] = (black << 8) + total
            kept += 1
    return Cursor(np.full(pegs, -1, np.int64), np.zeros(colors, np.int64), slots)


@kernel
def best_code(
    live: Columns, colors: int, repeats: bool, guessed: int, rule: int, weights: Integers, candidates_only: bool
) -> NDArray[np.uint8]:
    """The best guess at a live set of three codes or more: uint8, shape (pegs,).

    ``guessed`` has a bit for each color that a guess had so far; the live set follows from these guesses. ``rule`` and
    ``weights`` are those of a `Measure`: plain arguments, as named tuples take long to come from Python.
    """
    palette = make_palette(live, colors, repeats, guessed)
    pegs, codes = live.shape
    known = palette.colors.size
    own = in_palette(live, palette)
    bits, cursor = make_bits(own, known), make_cursor(pegs, known)
    measure, best = Measure(rule, weights), no_guess(pegs)
    search_candidates(bits, cursor, palette, own, 0, codes, measure, best)
    if not candidates_only:
        search_beginnings(bits, cursor, palette, codes, np.zeros((0, 1), np.uint8), 0, 1, measure, best)
    return best.guess


@kernel
def search_candidates(
    bits: Bits,
    cursor: Cursor,
    palette: Palette,
    live: Columns,
    start: int,
    stop: int,
    measure: Measure,
    best: Best,
) -> None:
    """Take of the candidates from ``start`` to ``stop`` the first of the best, if it is better than ``best``."""
    last, codes = live.shape[0] - 1, live.shape[1]
    least = least_score(measure, codes)
    for i in range(start, stop):
        if best.score[0] == least:
            break
        if _begin(bits, cursor, palette, live, i, last):
            color = int(live[last, i])  # as wide as other colors, or all of it would be compiled twice
            _search_on(bits, cursor, palette, codes, last, color, color + 1, measure, best)


@kernel
def search_beginnings(
    bits: Bits,
    cursor: Cursor,
    palette: Palette,
    codes: int,
    beginnings: Columns,
    start: int,
    stop: int,
    measure: Measure,
    best: Best,
) -> None:
    """Take of the guesses with the beginnings from ``start`` to ``stop`` the first best, if it is better than ``best``.

    ``beginnings`` are columns of fewer pegs, in code order; ``codes`` is the number of candidates.
    """
    least = least_score(measure, codes)
    base, colors = beginnings.shape[0], palette.colors.size
    for i in range(start, stop):
        if best.score[0] != least and _begin(bits, cursor, palette, beginnings, i, base):
            _search_on(bits, cursor, palette, codes, base, 0, colors, measure, best)


@kernel
def _begin(bits: Bits, cursor: Cursor, palette: Palette, codes: Columns, i: int, pegs: int) -> bool:
    """Put the cursor at the first so many pegs of a code; or say that guesses that begin so need not be looked at."""
    guess, used, _ = cursor
    used[:] = 0
    shared = True
    for peg in range(pegs):
        color = int(codes[peg, i])
        if not may_come(color, used, palette.before, palette.repeats):
            guess[peg] = -1
            return False
        shared = shared and guess[peg] == color
        if not shared:
            place(bits, peg, color, used[color])
        guess[peg] = color
        used[color] += 1
    guess[pegs:] = -1
    return True


@kernel
def _search_on(
    bits: Bits,
    cursor: Cursor,
    palette: Palette,
    codes: int,
    base: int,
    start: int,
    stop: int,
    measure: Measure,
    best: Best,
) -> None:
    """Take the best of the guesses that begin as the cursor does and go on with a color from ``start`` to ``stop``."""
    least = least_score(measure, codes)
    summed = is_summed(measure, codes)
    score = 0
    while score >= 0 and best.score[0] != least:
        limit = score_limit(best, measure, codes)
        score = find_next(bits, cursor, palette, measure.weights, summed, base, start, stop, limit)
        if score >= 0:
            _record(bits, cursor, palette, codes, score, measure, best)


@kernel
def _record(
    bits: Bits,
    cursor: Cursor,
    palette: Palette,
    codes: int,
    score: int,
    measure: Measure,
    best: Best,
) -> None:
    """Make the cursor's guess, which has that score, the best if it is better."""
    sizes = best.sizes.copy()
    if measure.rule in (LISTS, PRODUCTS):
        color = cursor.guess[-1]
        for i in range(sizes.size):
            sizes[i] = part_size(bits, cursor.slots[i], color, cursor.used[color] - 1)
        sort_rising(sizes)
    if is_better(score, sizes, best, measure, codes):
        best.sizes[:] = sizes
        best.score[0] = score
        for peg in range(cursor.guess.size):
            best.guess[peg] = palette.colors[cursor.guess[peg]]


@kernel
def may_come(color: int, used: Integers, before: Integers, repeats: bool) -> bool:
    """Whether ``color`` may be the next of a guess."""
    if used[color]:
        return repeats
    return bool(before[color] < 0 or used[before[color]] > 0)


@kernel
def find_next(  # noqa: C901, PLR0912, PLR0915 - the innermost loops of everything; to hand arrays on from here is slower
    bits: Bits,
    cursor: Cursor,
    palette: Palette,
    weights: Integers,
    summed: bool,
    base: int,
    start: int,
    stop: int,
    limit: int,
) -> int:
    """Move the cursor to the next guess in code order whose score is within ``limit``: the score, or -1 at the end.

    The pegs left of ``base`` stay as they are. The colors from ``start`` to ``stop`` are tried there: all of them, but
    where ``base`` is the last peg. Most live sets have at most 64 codes; where a bitmap is one word no loop is made.
    """
    hits, matches, blacks, totals = bits
    guess, used, slots = cursor
    before, repeats = palette.before, palette.repeats
    last, words = hits.shape[0] - 1, hits.shape[2]
    last_blacks, last_totals = blacks[last].reshape(-1), totals[last].reshape(-1)
    last_hits, all_matches = hits[last].reshape(-1), matches.reshape(-1)
    hit = match = np.uint64(0)
    peg = base if guess[last] < 0 else last
    while peg >= base:
        color = start
        if guess[peg] >= 0:
            color = guess[peg] + 1
            used[guess[peg]] -= 1
        while color < stop:
            times = used[color]
            if repeats if times else before[color] < 0 or used[before[color]] > 0:
                if peg < last:
                    break
                score = 0
                if words == 1:
                    hit, match = (
                        last_hits[color],
                        all_matches[color * (last + 1) + times],
                    )
                for i in range(slots.size):
                    slot = slots[i]
                    black, total = slot >> 8, slot & 255
                    size = 0
                    if words == 1:
                        with_black = moved(last_blacks[black], last_blacks[black + 1], hit)
                        size = popcount(with_black & moved(last_totals[total], last_totals[total + 1], match))
                    else:
                        for word in range(words):
                            hit, match = (
                                hits[last, color, word],
                                matches[color, times, word],
                            )
                            with_black = moved(
                                blacks[last, black, word],
                                blacks[last, black + 1, word],
                                hit,
                            )
                            with_total = moved(
                                totals[last, total, word],
                                totals[last, total + 1, word],
                                match,
                            )
                            size += popcount(with_black & with_total)
                    score = score + weights[size] if summed else max(score, size)
                    if score > limit:
                        slots[i] = slots[i >> 1]
                        slots[i >> 1] = slot
                        break
                if score <= limit:
                    guess[last] = color
                    used[color] += 1
                    return score
            color += 1
        if color >= stop:
            guess[peg] = -1
            peg -= 1
            continue
        guess[peg] = color
        times = used[color]
        used[color] += 1
        if words == 1:
            hit, match = hits[peg, color, 0], matches[color, times, 0]
            for row in range(1, peg + 3):
                blacks[peg + 1, row, 0] = moved(blacks[peg, row - 1, 0], blacks[peg, row, 0], hit)
                totals[peg + 1, row, 0] = moved(totals[peg, row - 1, 0], totals[peg, row, 0], match)
        else:
            for row in range(1, peg + 3):
                for word in range(words):
                    hit, match = hits[peg, color, word], matches[color, times, word]
                    blacks[peg + 1, row, word] = moved(blacks[peg, row - 1, word], blacks[peg, row, word], hit)
                    totals[peg + 1, row, word] = moved(totals[peg, row - 1, word], totals[peg, row, word], match)
        peg += 1
    return -1
