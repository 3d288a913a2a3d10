"""Parts as bitmaps with one bit per candidate, so that one machine instruction handles 64 candidates or more.

For each prefix of a guess (its first pegs) there are bitmaps of the candidates that have a given number of blacks with
it, and of those that have a given number of matches (black + white). Adding a peg to the prefix advances some
candidates by one: those with the color of the peg at this place get one more black, and those that have the color more
often than the prefix does get one more match. A part is the intersection of a bitmap of blacks and a bitmap of matches;
its size is the number of bits in it. Guesses that are neighbors in code order share the bitmaps of their common prefix.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.bits import popcount
from evilpegs_game.codes import Columns
from evilpegs_game.kernels import kernel

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
def make_bitmaps(live: Columns, colors: int) -> GuessBitmaps:
    """Return the bitmaps of a live set and of the empty prefix; all colors in ``live`` are less than ``colors``."""
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
