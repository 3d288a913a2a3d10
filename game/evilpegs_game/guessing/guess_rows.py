"""The search for the best guess at a live set of at most `MAX_CODES` codes: many guesses are judged at once.

The guesses that share all but their last two pegs, a *row*, are neighbors in arrays, and so are the candidates. Parts
are bitmaps, as in `evilpegs_game.guessing.guess_cursor`, and compilers count those of eight guesses by one instruction
where a processor has registers of 512 bits. A row is left as soon as all its guesses are worse than the best one; what
ruled out one row is counted first in the next.

A peg whose color no candidate has there, and none has more often than the guess so far, changes no bitmap. Guesses that
differ only in such colors have the same parts, so only the first of these colors is tried.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Columns
from evilpegs_game.guessing.color_classes import ColorClasses, Integers, make_color_classes, to_color_classes
from evilpegs_game.guessing.guess_cursor import Bitmaps, advance, make_hits, make_slots, may_follow
from evilpegs_game.guessing.ranking import (
    LISTS,
    NO_LIMIT,
    PRODUCTS,
    Best,
    Measure,
    end_with_all_black,
    is_summed,
    keep_guess,
    least_score,
    no_guess,
    score_limit,
)
from evilpegs_game.kernels import ZERO, kernel, popcount
from evilpegs_game.partition import take_columns

MAX_CODES: Final = 1296
"""With more, bitmaps leave the cache, and one by one most guesses are ruled out by their first part."""
_FEW: Final = 8  # guesses of a row are counted one by one
_CLOSED: Final = NO_LIMIT + 1


class Row(NamedTuple):
    """A prefix of guesses, all but their last two pegs, and the bitmaps of the guesses that begin with it.

    ``hits[peg, color]`` are the candidates with that color at that peg, and ``matches[color, k]`` those that have the
    color more than k times. ``blacks[p, b + 2]`` are the candidates with b blacks from the first p pegs of the prefix,
    and ``totals[p, t + 2]`` those with t matches (black + white); the first two of this axis are empty.

    Guess i has colors i // colors and i % colors at its last pegs. ``first_hits[word, i]`` are the candidates with the
    former there and ``second_hits`` those with the latter, ``first_matches`` and ``second_matches`` those for which
    this is one more match. ``closed[i]`` is more than `NO_LIMIT` if the guess need not be tried, otherwise 0.

    ``prefix`` holds -1 at pegs without a color; ``used`` is the number of pegs of each color; ``idle[peg]`` is the
    first color at this peg that changes no bitmap, or -1. ``slots`` are the feedbacks as 256 * blacks + matches, in the
    order in which parts are counted. ``scores``, ``sizes`` and ``open_guesses`` are those of the row that is searched.
    """

    hits: Bitmaps
    matches: Bitmaps
    blacks: Bitmaps
    totals: Bitmaps
    first_hits: Bitmaps
    second_hits: Bitmaps
    first_matches: Bitmaps
    second_matches: Bitmaps
    closed: Integers
    prefix: Integers
    used: Integers
    idle: Integers
    slots: NDArray[np.uint16]
    scores: Integers
    sizes: Integers
    open_guesses: Integers


@kernel
def make_row(hits: Bitmaps, matches: Bitmaps, codes: int) -> Row:
    """Return the row of the empty prefix."""
    pegs, colors, words = hits.shape
    blacks = np.zeros((pegs - 1, pegs + 3, words), np.uint64)
    for i in range(codes):
        blacks[0, 2, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    first_hits, second_hits, first_matches, second_matches = _last_pegs(hits, matches)
    closed, prefix, used = np.zeros(colors * colors, np.int64), np.zeros(pegs - 2, np.int64), np.zeros(colors, np.int64)
    prefix[:] = -1
    last = first_hits, second_hits, first_matches, second_matches
    searched = closed.copy(), closed.copy(), np.zeros(closed.size + 1, np.int64)
    return Row(
        hits, matches, blacks, blacks.copy(), *last, closed, prefix, used, prefix.copy(), make_slots(pegs), *searched
    )


@kernel
def _last_pegs(hits: Bitmaps, matches: Bitmaps) -> tuple[Bitmaps, Bitmaps, Bitmaps, Bitmaps]:
    pegs, colors, words = hits.shape
    first_hits = np.empty((words, colors * colors), np.uint64)
    second_hits, first_matches = np.empty_like(first_hits), np.empty_like(first_hits)
    second_matches = np.empty_like(first_hits)
    for first in range(colors):
        for second in range(colors):
            i, times = first * colors + second, int(first == second)
            for word in range(words):
                first_hits[word, i], second_hits[word, i] = hits[pegs - 2, first, word], hits[pegs - 1, second, word]
                first_matches[word, i], second_matches[word, i] = matches[first, 0, word], matches[second, times, word]
    return first_hits, second_hits, first_matches, second_matches


@kernel
def _size(
    blacks: tuple[np.uint64, np.uint64, np.uint64],
    totals: tuple[np.uint64, np.uint64, np.uint64],
    hits: tuple[np.uint64, np.uint64],
    matches: tuple[np.uint64, np.uint64],
) -> int:
    # of the part of a feedback within one word: after two more pegs, with the last three counts before them
    with_black = advance(advance(blacks[0], blacks[1], hits[0]), advance(blacks[1], blacks[2], hits[0]), hits[1])
    with_total = advance(
        advance(totals[0], totals[1], matches[0]), advance(totals[1], totals[2], matches[0]), matches[1]
    )
    return popcount(with_black & with_total)


@kernel
def next_better(  # noqa: C901, PLR0912, PLR0915 - a call per row would take longer than the row
    row: Row, color_classes: ColorClasses, weights: Integers, summed: bool, leaves_out: bool, start: int, limit: int
) -> int:
    """Return the next guess with a score of at most ``limit``, from ``start`` on in this row or in a later one, or -1.

    If ``start`` is negative, the search begins in the row after this one. If ``summed`` is True, the score is the sum
    of the ``weights`` of the part sizes, otherwise the largest part size. If ``leaves_out`` is True, guesses whose
    prefix has the bitmaps of an earlier one are not tried.

    These are the innermost loops of most searches. With three kernels, for a row, for the next and for a peg of its
    prefix, an evaluation of minimax on 5x8 takes 2.8 times as long.
    """
    hits, matches, blacks, totals, first_hits, second_hits, first_matches, second_matches = row[:8]
    closed, prefix, used, idle, slots, scores, sizes, open_guesses = row[8:]
    before, repeats = color_classes.before, color_classes.repeats
    colors, words, last, known = used.size, hits.shape[2], prefix.size - 1, -1
    is_bound = not repeats
    for color in range(colors):
        is_bound = is_bound or before[color] >= 0
    while True:
        if start >= 0:
            now = 0
            for color in range(colors):
                now |= int(used[color] > 0) << (color & 63)
            if is_bound and now != known:
                known = now if colors <= 64 else -1
                for first in range(colors):
                    may_be_first = repeats if used[first] else before[first] < 0 or used[before[first]] > 0
                    used[first] += 1
                    for second in range(colors):
                        is_tried = repeats if used[second] else before[second] < 0 or used[before[second]] > 0
                        closed[first * colors + second] = 0 if may_be_first and is_tried else _CLOSED
                    used[first] -= 1
            for k in range(scores.size):
                scores[k] = closed[k]
            for k in range(start):
                scores[k] = _CLOSED
            count = 0
            for k in range(scores.size if summed else 0):
                open_guesses[count] = k
                count += scores[k] == 0
            least = NO_LIMIT
            for i in range(slots.size):
                slot = slots[i]
                black, total = slot >> 8, slot & 255
                for word in range(words):
                    below = (
                        blacks[last + 1, black, word],
                        blacks[last + 1, black + 1, word],
                        blacks[last + 1, black + 2, word],
                    )
                    fewer = (
                        totals[last + 1, total, word],
                        totals[last + 1, total + 1, word],
                        totals[last + 1, total + 2, word],
                    )
                    if summed and count <= _FEW:
                        for j in range(count):
                            k = open_guesses[j]
                            more = first_hits[word, k], second_hits[word, k]
                            size = _size(below, fewer, more, (first_matches[word, k], second_matches[word, k]))
                            sizes[k] = size if word == 0 else sizes[k] + size
                    elif word == 0:
                        for k in range(sizes.size):
                            more = first_hits[word, k], second_hits[word, k]
                            sizes[k] = _size(below, fewer, more, (first_matches[word, k], second_matches[word, k]))
                    else:
                        for k in range(sizes.size):
                            more = first_hits[word, k], second_hits[word, k]
                            sizes[k] += _size(below, fewer, more, (first_matches[word, k], second_matches[word, k]))
                least = _CLOSED
                if summed:
                    kept = 0
                    for j in range(count):
                        k = open_guesses[j]
                        scores[k] += weights[sizes[k]]
                        open_guesses[kept] = k
                        kept += scores[k] <= limit
                    count = kept
                    least = limit if count else _CLOSED
                else:
                    for k in range(scores.size):
                        scores[k] = max(scores[k], sizes[k])
                        least = min(least, scores[k])
                if least > limit:
                    slots[i] = slots[i >> 1]
                    slots[i >> 1] = slot
                    break
            if least <= limit:
                for k in range(start, scores.size):
                    if scores[k] <= limit:
                        return k
        start = 0
        peg = 0 if last >= 0 and prefix[last] < 0 else last
        while 0 <= peg <= last:
            color = prefix[peg]
            if color >= 0:
                used[color] -= 1
                times = used[color]
                for word in range(words):
                    match = matches[color, times, word]
                    for other in range(colors):
                        first_matches[word, color * colors + other] = match
                        second_matches[word, other * colors + color] = match
                    second_matches[word, color * colors + color] = matches[color, times + 1, word]
            color += 1
            while color < colors:
                times = used[color]
                if repeats if times else before[color] < 0 or used[before[color]] > 0:
                    changed = np.uint64(0)
                    for word in range(words):
                        changed |= hits[peg, color, word] | matches[color, times, word]
                    if changed or not leaves_out:
                        break
                    if idle[peg] < 0:
                        idle[peg] = color
                    if idle[peg] == color:
                        break
                color += 1
            if color == colors:
                prefix[peg] = idle[peg] = -1
                peg -= 1
                continue
            prefix[peg] = color
            times = used[color]
            used[color] += 1
            for word in range(words):
                hit, match = hits[peg, color, word], matches[color, times, word]
                for i in range(2, peg + 4):
                    blacks[peg + 1, i, word] = advance(blacks[peg, i - 1, word], blacks[peg, i, word], hit)
                    totals[peg + 1, i, word] = advance(totals[peg, i - 1, word], totals[peg, i, word], match)
                match = matches[color, times + 1, word]
                for other in range(colors):
                    first_matches[word, color * colors + other] = match
                    second_matches[word, other * colors + color] = match
                second_matches[word, color * colors + color] = matches[color, times + 2, word]
            peg += 1
        if peg < 0:
            return -1


@kernel
def count_parts_of_each(guesses: Columns, hits: Bitmaps, matches: Bitmaps) -> NDArray[np.int64]:  # noqa: C901
    """Return the part sizes of each guess: shape (feedbacks, guesses), ordered as by `make_slots`."""
    pegs, codes = guesses.shape
    slots = make_slots(pegs)
    sizes = np.zeros((slots.size, codes), np.int64)
    moves = np.empty((2, codes), np.uint64)
    counts = np.empty((2, pegs + 2, codes), np.uint64)
    for word in range(hits.shape[2]):
        everyone = np.uint64(0)
        for color in range(hits.shape[1]):
            everyone |= hits[0, color, word]
        counts[:] = 0
        counts[:, 1] = everyone
        for peg in range(pegs):
            for j in range(codes):
                color, times = guesses[peg, j], 0
                for other in range(peg):
                    times += guesses[other, j] == color
                moves[0, j], moves[1, j] = hits[peg, color, word], matches[color, times, word]
            for kind in range(2):
                for i in range(peg + 2, 0, -1):
                    for j in range(codes):
                        counts[kind, i, j] = advance(counts[kind, i - 1, j], counts[kind, i, j], moves[kind, j])
        for k in range(slots.size):
            black, total = (slots[k] >> 8) + 1, (slots[k] & 255) + 1
            for j in range(codes):
                sizes[k, j] += popcount(counts[0, black, j] & counts[1, total, j])
    return sizes


@kernel
def best_of_few(
    live: Columns, colors: int, repeats: bool, guessed: int, rule: int, weights: Integers, only: bool, listed: int
) -> tuple[NDArray[np.uint8], Integers]:
    """Return the best ``listed`` guesses at a live set of 3 to `MAX_CODES` codes, and their scores, negative for none.

    If ``only`` is True, candidates only are tried. Otherwise like `evilpegs_game.guessing.search.best_of_many`.
    """
    color_classes = make_color_classes(live, colors, repeats, guessed)
    classified, class_count = to_color_classes(live, color_classes), color_classes.colors.size
    pegs, codes = live.shape
    measure, best = Measure(rule, weights), no_guess(pegs, listed)
    hits, matches = make_hits(classified, class_count)
    _search_candidates(classified, hits, matches, color_classes, measure, best)
    if only or pegs == 1:  # of one peg, other guesses have only one part
        return best.guess, best.score
    end_with_all_black(best, measure)
    least, summed = least_score(measure, codes), is_summed(measure, codes)
    guess, sizes = np.empty(pegs, np.uint8), np.zeros(best.sizes.size, np.int64)
    row = make_row(hits, matches, codes)
    start = 0 if pegs == 2 else -1
    while not 0 <= best.score[0] <= least:
        start = next_better(row, color_classes, weights, summed, listed == 1, start, score_limit(best, measure, codes))
        if start < 0:
            break
        for peg in range(pegs - 2):
            guess[peg] = color_classes.colors[row.prefix[peg]]
        guess[pegs - 2] = color_classes.colors[start // class_count]
        guess[pegs - 1] = color_classes.colors[start % class_count]
        if rule in (LISTS, PRODUCTS):
            _count_parts(row, start, sizes)
        keep_guess(guess, row.scores[start], sizes, best, measure, codes)
        start += 1
    return best.guess, best.score


@kernel
def _search_candidates(
    live: Columns, hits: Bitmaps, matches: Bitmaps, color_classes: ColorClasses, measure: Measure, best: Best
) -> None:
    pegs, codes = live.shape
    least, summed = least_score(measure, codes), is_summed(measure, codes)
    guess, sizes = np.empty(pegs, np.uint8), np.zeros(best.sizes.size, np.int64)
    guesses = _tried(live, color_classes)
    parts = count_parts_of_each(guesses, hits, matches)
    for i in range(guesses.shape[1]):
        score = ZERO
        for k in range(sizes.size):
            sizes[k] = parts[k, i]
            score = score + measure.weights[sizes[k]] if summed else max(score, sizes[k])
        if score <= score_limit(best, measure, codes):
            for peg in range(pegs):
                guess[peg] = color_classes.colors[guesses[peg, i]]
            keep_guess(guess, score, sizes, best, measure, codes)
        if 0 <= best.score[0] <= least:
            break


@kernel
def _tried(live: Columns, color_classes: ColorClasses) -> Columns:
    # the first of each candidates that are equivalent
    pegs, codes = live.shape
    used, tried, count = np.empty(color_classes.colors.size, np.int64), np.empty(codes, np.int32), 0
    for i in range(codes):
        used[:] = 0
        tried[count] = i
        is_tried = True
        for peg in range(pegs):
            color = int(live[peg, i])
            is_tried = is_tried and may_follow(color, used, color_classes.before, color_classes.repeats)
            used[color] += 1
        count += is_tried
    return take_columns(live, tried[:count])


@kernel
def _count_parts(row: Row, guess: int, sizes: Integers) -> None:
    last = row.prefix.size
    for k in range(sizes.size):
        black, total = row.slots[k] >> 8, row.slots[k] & 255
        sizes[k] = 0
        for word in range(row.hits.shape[2]):
            below = row.blacks[last, black, word], row.blacks[last, black + 1, word], row.blacks[last, black + 2, word]
            fewer = row.totals[last, total, word], row.totals[last, total + 1, word], row.totals[last, total + 2, word]
            more = row.first_hits[word, guess], row.second_hits[word, guess]
            sizes[k] += _size(below, fewer, more, (row.first_matches[word, guess], row.second_matches[word, guess]))
