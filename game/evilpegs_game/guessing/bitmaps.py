"""Parts as bitmaps with one bit per candidate, so that one machine instruction handles 64 candidates or more.

A part of a guess is the set of candidates that would give it the same feedback. For each prefix of a guess (its first
pegs) there are bitmaps of the candidates that have a given number of blacks with it, and of those that have a given
number of matches (black + white). Adding a peg to the prefix advances some candidates by one: those with the color of
the peg at this place get one more black, and those that have the color more often than the prefix does get one more
match. A part is the intersection of a bitmap of blacks and a bitmap of matches; its size is the number of bits in it.
Guesses that are neighbors in code order share the bitmaps of their common prefix.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.bits import popcount
from evilpegs_game.codes import Columns
from evilpegs_game.compiled import kernel

Bitmaps = NDArray[np.uint64]
"""Sets of candidates: uint64, the words on the last axis; candidate i is bit i % 64 of word i // 64."""


class GuessBitmaps(NamedTuple):
    """The bitmaps, with one bit per candidate, of a live set and of every prefix of one guess.

    ``hits[peg, color]`` are the candidates with that color at that peg, and ``matches[color, k]`` those that have the
    color more than k times. ``blacks[p, b + 1]`` are the candidates with b blacks from the first p pegs of the guess,
    and ``totals[p, t + 1]`` those with t matches (black + white); at index 0 of this axis there are no candidates. The
    last axis of every array has the words of a bitmap. The whole guess is not a prefix.
    """

    hits: Bitmaps
    matches: Bitmaps
    blacks: Bitmaps
    totals: Bitmaps


@kernel
def advance(below: np.uint64, here: np.uint64, moves: np.uint64) -> np.uint64:
    """Return the candidates that have a certain count (of blacks or matches) after one more peg.

    Every argument is one word of a bitmap. ``here`` are the candidates that had this count before the peg, ``below``
    those that had one less, and ``moves`` those whose count grows by one at the peg.
    """
    return (here & ~moves) | (below & moves)


@kernel
def make_bitmaps(live: Columns, colors: int) -> GuessBitmaps:
    """Return bitmaps, with one bit per candidate, for the guesses at the live set ``live``, one code per column.

    The bitmaps of the live set say which candidates have each color at each peg. The bitmaps of the guess are those of
    the empty prefix, with which every candidate has no black and no match. All colors in ``live`` are less than
    ``colors``.
    """
    pegs, codes = live.shape
    words = (codes + 63) >> 6
    hits = np.zeros((pegs, colors, words), np.uint64)
    matches = np.zeros((colors, pegs, words), np.uint64)
    blacks = np.zeros((pegs, pegs + 2, words), np.uint64)
    for i in range(codes):
        word, bit = i >> 6, np.uint64(1) << np.uint64(i & 63)
        blacks[0, 1, word] |= bit
        for peg in range(pegs):
            color = live[peg, i]
            hits[peg, color, word] |= bit
            times = 0
            while matches[color, times, word] & bit:
                times += 1
            matches[color, times, word] |= bit
    return GuessBitmaps(hits, matches, blacks, blacks.copy())


@kernel
def add_peg(bitmaps: GuessBitmaps, peg: int, color: int, times: int) -> None:
    """Extend the prefix of a guess by ``color`` at ``peg``: write the bitmaps of the longer prefix to ``bitmaps``.

    A prefix is the first pegs of a guess, so ``peg`` is not the last peg. The bitmaps, with one bit per candidate, of
    the prefix without this peg must be there already. ``times`` is the number of earlier pegs of the guess that have
    this color.
    """
    hits, matches, blacks, totals = bitmaps
    for row in range(1, peg + 3):
        for word in range(hits.shape[2]):
            hit, match = hits[peg, color, word], matches[color, times, word]
            blacks[peg + 1, row, word] = advance(blacks[peg, row - 1, word], blacks[peg, row, word], hit)
            totals[peg + 1, row, word] = advance(totals[peg, row - 1, word], totals[peg, row, word], match)


@kernel
def part_size(bitmaps: GuessBitmaps, slot: int, color: int, times: int) -> int:
    """Return the size of one part of the guess that has ``color`` at its last peg.

    ``bitmaps`` has the candidates by their blacks and matches with the pegs before the last one. ``slot`` is the
    feedback of the part as 256 * blacks + matches, where matches are black + white. ``times`` is the number of earlier
    pegs of the guess that have this color.
    """
    hits, matches, blacks, totals = bitmaps
    last, black, total = hits.shape[0] - 1, slot >> 8, slot & 255
    size = 0
    for word in range(hits.shape[2]):
        hit, match = hits[last, color, word], matches[color, times, word]
        with_black = advance(blacks[last, black, word], blacks[last, black + 1, word], hit)
        size += popcount(with_black & advance(totals[last, total, word], totals[last, total + 1, word], match))
    return size
