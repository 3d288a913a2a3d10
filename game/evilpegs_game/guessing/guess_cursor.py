"""The cursor of the search at large live sets: a state that moves from guess to guess in code order and counts parts.

Parts are bitmaps with one bit per candidate, so that one machine instruction handles 64 candidates or more.

For each prefix of a guess (its first pegs) there are bitmaps of the candidates that have a given number of blacks with
it, and of those that have a given number of matches (black + white). Adding a peg to the prefix advances some
candidates by one: those with the color of the peg at this place get one more black, and those that have the color more
often than the prefix does get one more match. A part is the intersection of a bitmap of blacks and a bitmap of matches;
its size is the number of bits in it. Guesses that are neighbors in code order share the bitmaps of their common prefix.

A guess is abandoned as soon as the parts counted so far make it worse than the best guess. The part that ruled out one
guess is counted first for the next guess, which mostly differs in one peg. So for most guesses one or two parts are
counted. This is the killer heuristic of chess programs; source: S. G. Akl and M. M. Newborn, The principal continuation
and the killer heuristic, Proceedings of the ACM Annual Conference 1977.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Columns
from evilpegs_game.guessing.color_classes import ColorClasses, Integers
from evilpegs_game.kernels import ZERO, kernel, popcount

Bitmaps = NDArray[np.uint64]
"""Sets of candidates, the words on the last axis; candidate i is bit i % 64 of word i // 64."""


class GuessBitmaps(NamedTuple):
    """The bitmaps of a live set and of every prefix of one guess; the whole guess is not a prefix.

    ``hits[peg, color]`` are the candidates with that color at that peg, and ``matches[color, k]`` those that have the
    color more than k times. ``blacks[p, b + 1]`` are the candidates with b blacks from the first p pegs of the guess,
    and ``totals[p, t + 1]`` those with t matches (black + white); index 0 of this axis is empty.
    """

    hits: Bitmaps
    matches: Bitmaps
    blacks: Bitmaps
    totals: Bitmaps


@kernel
def advance(below: np.uint64, here: np.uint64, moves: np.uint64) -> np.uint64:
    """Return the candidates that have a certain count (of blacks or matches) after one more peg, in one word.

    ``here`` had this count before the peg, ``below`` one less; the counts of ``moves`` grow by one.
    """
    return (here & ~moves) | (below & moves)


@kernel
def make_hits(live: Columns, colors: int) -> tuple[Bitmaps, Bitmaps]:
    """Return ``hits`` and ``matches`` of a live set; all colors in it are less than ``colors``."""
    pegs, codes = live.shape
    words = (codes + 63) >> 6
    hits = np.zeros((pegs, colors, words), np.uint64)
    matches = np.zeros((colors, pegs + 1, words), np.uint64)
    for i in range(codes):
        word, bit = i >> 6, np.uint64(1) << np.uint64(i & 63)
        for peg in range(pegs):
            color = live[peg, i]
            hits[peg, color, word] |= bit
            times = 0
            while matches[color, times, word] & bit:
                times += 1
            matches[color, times, word] |= bit
    return hits, matches


@kernel
def make_bitmaps(live: Columns, colors: int) -> GuessBitmaps:
    """Return the bitmaps of a live set and of the empty prefix; all colors in ``live`` are less than ``colors``."""
    pegs, codes = live.shape
    hits, matches = make_hits(live, colors)
    blacks = np.zeros((pegs, pegs + 2, hits.shape[2]), np.uint64)
    for i in range(codes):
        blacks[0, 1, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
    return GuessBitmaps(hits, matches, blacks, blacks.copy())


@kernel
def add_peg(bitmaps: GuessBitmaps, peg: int, color: int, times: int) -> None:
    """Write the bitmaps of a prefix with one more peg, which is not the last peg of the guess.

    ``times`` is the number of earlier pegs of the guess that have this color.
    """
    hits, matches, blacks, totals = bitmaps
    for row in range(1, peg + 3):
        for word in range(hits.shape[2]):
            hit, match = hits[peg, color, word], matches[color, times, word]
            blacks[peg + 1, row, word] = advance(blacks[peg, row - 1, word], blacks[peg, row, word], hit)
            totals[peg + 1, row, word] = advance(totals[peg, row - 1, word], totals[peg, row, word], match)


@kernel
def part_size(bitmaps: GuessBitmaps, slot: int, color: int, times: int) -> int:
    """Return the size of the part of feedback ``slot`` if the guess has ``color`` at its last peg.

    ``slot`` is 256 * blacks + matches, and ``times`` the number of earlier pegs of the guess that have this color.
    """
    hits, matches, blacks, totals = bitmaps
    last, black, total = hits.shape[0] - 1, slot >> 8, slot & 255
    size = 0
    for word in range(hits.shape[2]):
        hit, match = hits[last, color, word], matches[color, times, word]
        with_black = advance(blacks[last, black, word], blacks[last, black + 1, word], hit)
        size += popcount(with_black & advance(totals[last, total, word], totals[last, total + 1, word], match))
    return size


class Cursor(NamedTuple):
    """A guess, complete or not, from which compiled code moves on in code order, in place.

    Colors are their numbers in `ColorClasses`. ``guess`` holds -1 at pegs without a color; ``used`` is the number of
    pegs of each color. ``feedback_slots`` are the feedbacks as 256 * blacks + matches (black + white), in the order in
    which parts are counted; feedbacks that ruled out recent guesses move to the front.
    """

    guess: Integers
    used: Integers
    feedback_slots: NDArray[np.uint16]


@kernel
def make_slots(pegs: int) -> NDArray[np.uint16]:
    """Return all feedbacks as 256 * blacks + matches."""
    slots = np.empty((pegs + 1) * (pegs + 2) // 2, np.uint16)
    kept = 0
    for black in range(pegs + 1):
        for total in range(black, pegs + 1):
            slots[kept] = (black << 8) + total
            kept += 1
    return slots


@kernel
def make_cursor(pegs: int, colors: int) -> Cursor:
    """Return a cursor before the first guess; ``colors`` is the number of colors in the color classes."""
    guess = np.zeros(pegs, np.int64)
    guess[:] = -1
    return Cursor(guess, np.zeros(colors, np.int64), make_slots(pegs))


@kernel
def may_follow(color: int, used: Integers, before: Integers, repeats: bool) -> bool:
    if used[color]:
        return repeats
    return bool(before[color] < 0 or used[before[color]] > 0)


@kernel
def move_to_prefix(
    bitmaps: GuessBitmaps, cursor: Cursor, color_classes: ColorClasses, codes: Columns, i: int, pegs: int
) -> bool:
    """Give the guess the first ``pegs`` pegs of code ``i`` of ``codes``, no color at later pegs, and their bitmaps.

    Return False if no guess that begins like this needs to be tried. ``codes`` has the numbers of the classes.
    """
    guess, used, _ = cursor
    used[:] = 0
    shared = True
    for peg in range(pegs):
        color = ZERO + codes[peg, i]
        if not may_follow(color, used, color_classes.before, color_classes.repeats):
            guess[peg] = -1
            return False
        shared = shared and guess[peg] == color
        if not shared:
            add_peg(bitmaps, peg, color, used[color])
        guess[peg] = color
        used[color] += 1
    guess[pegs:] = -1
    return True


@kernel
def find_next(  # noqa: C901
    bitmaps: GuessBitmaps,
    cursor: Cursor,
    color_classes: ColorClasses,
    weights: Integers,
    summed: bool,
    base: int,
    start: int,
    stop: int,
    limit: int,
) -> int:
    """Move the cursor to the next guess in code order with a score of at most ``limit``; return the score, or -1.

    Only the pegs from ``base`` on change, to the colors in ``range(start, stop)``; if ``base`` is not the last peg, the
    range must hold all colors. If ``summed`` is True, the score is the sum of the ``weights`` of the part sizes,
    otherwise the largest part size. ``bitmaps`` are kept up to date with the guess.

    """
    hits, matches, blacks, totals = bitmaps
    guess, used, feedback_slots = cursor
    before, repeats = color_classes.before, color_classes.repeats
    last, words = hits.shape[0] - 1, hits.shape[2]
    peg = base if guess[last] < 0 else last
    while peg >= base:
        color = start
        if guess[peg] >= 0:
            color = guess[peg] + 1
            used[guess[peg]] -= 1
        while color < stop:
            if may_follow(color, used, before, repeats):
                if peg < last:
                    break
                score, times = 0, used[color]
                for i in range(feedback_slots.size):
                    slot = feedback_slots[i]
                    black, total = slot >> 8, slot & 255
                    size = 0
                    for word in range(words):
                        hit, match = hits[last, color, word], matches[color, times, word]
                        with_black = advance(blacks[last, black, word], blacks[last, black + 1, word], hit)
                        with_total = advance(totals[last, total, word], totals[last, total + 1, word], match)
                        size += popcount(with_black & with_total)
                    score = score + weights[size] if summed else max(score, size)
                    if score > limit:
                        feedback_slots[i] = feedback_slots[i >> 1]
                        feedback_slots[i >> 1] = slot
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
        add_peg(bitmaps, peg, color, used[color])
        used[color] += 1
        peg += 1
    return -1
