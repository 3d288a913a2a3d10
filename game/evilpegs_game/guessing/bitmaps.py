"""Parts as sets of bits, one bit a candidate, so that one step of the machine looks at 64 candidates or more.

For each beginning of a guess there are bitmaps of the candidates that have got so many blacks from it, and so many
matches (black + white). One more peg moves candidates on by one: those that have its color there get a black, those
that have its color more often than the beginning does get a match. A part is what two bitmaps share, its size the bits
in that. Guesses in code order share the bitmaps of the beginning that they share.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from evilpegs_game.codes import Columns
from evilpegs_game.compiled import kernel

Bitmaps = NDArray[np.uint64]
"""Sets of candidates: uint64, the last axis their words; candidate i is bit i % 64 of word i // 64."""


class Bits(NamedTuple):
    """The bitmaps of a live set and of one guess in the making.

    ``hits[peg, color]`` are the candidates with that color there, ``matches[color, k]`` those that have it more than k
    times. ``blacks[p, b + 1]`` are those with b blacks from the first p pegs, ``totals[p, t + 1]`` those with t
    matches; row 0 is empty. There is no p for a whole guess.
    """

    hits: Bitmaps
    matches: Bitmaps
    blacks: Bitmaps
    totals: Bitmaps


def popcount(word: np.uint64) -> int:
    """How many of 64 bits are set."""
    return int(word).bit_count()


@overload(popcount)
def _compiled_popcount(word: np.uint64) -> Callable[[np.uint64], int]:  # noqa: ARG001
    def count(
        word: np.uint64,
    ) -> int:  # pragma: no cover - never run as it stands: compilers make one instruction of it
        pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
        fours = (pairs & np.uint64(0x3333333333333333)) + ((pairs >> np.uint64(2)) & np.uint64(0x3333333333333333))
        eights = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        return np.int64((eights * np.uint64(0x0101010101010101)) >> np.uint64(56))  # type: ignore[return-value]

    return count


@kernel
def moved(below: np.uint64, here: np.uint64, moves: np.uint64) -> np.uint64:
    """Who has a count after a peg: those of ``below`` that move on by one, and those already there that do not."""
    return (here & ~moves) | (below & moves)


@kernel
def make_bits(live: Columns, colors: int) -> Bits:
    """The bitmaps of candidates that have ``colors`` colors, and of a guess without pegs."""
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
    return Bits(hits, matches, blacks, blacks.copy())


@kernel
def place(bits: Bits, peg: int, color: int, times: int) -> None:
    """Give the guess in the making ``color`` at ``peg``, not the last; it has it ``times`` already."""
    hits, matches, blacks, totals = bits
    for row in range(1, peg + 3):
        for word in range(hits.shape[2]):
            hit, match = hits[peg, color, word], matches[color, times, word]
            blacks[peg + 1, row, word] = moved(blacks[peg, row - 1, word], blacks[peg, row, word], hit)
            totals[peg + 1, row, word] = moved(totals[peg, row - 1, word], totals[peg, row, word], match)


@kernel
def part_size(bits: Bits, slot: int, color: int, times: int) -> int:
    """The size of the part at ``slot``, 256 * blacks + matches, when ``color`` comes last; it came ``times`` before."""
    hits, matches, blacks, totals = bits
    last, black, total = hits.shape[0] - 1, slot >> 8, slot & 255
    size = 0
    for word in range(hits.shape[2]):
        hit, match = hits[last, color, word], matches[color, times, word]
        with_black = moved(blacks[last, black, word], blacks[last, black + 1, word], hit)
        size += popcount(with_black & moved(totals[last, total, word], totals[last, total + 1, word], match))
    return size
