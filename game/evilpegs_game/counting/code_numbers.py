"""Codes as numbers with one digit a peg, the first peg's the highest: so they add up, and sort in code order.

A coloring of some pegs is such a number too, with a 0 at the others; two that together color all pegs add up to a code.
*Lists* of colorings belong to rows of a table: those of row ``r`` are at ``first[r]`` to ``first[r + 1]``.
"""

from typing import Final

import numpy as np

from evilpegs_game.codes import Columns
from evilpegs_game.compiled import kernel
from evilpegs_game.counting.layout import Index, Slots, Words
from evilpegs_game.rules import Rules

_BLOCK: Final = 2048


def has_numbers(rules: Rules) -> bool:
    """Whether every code's number fits a word of 64 bits."""
    return int(rules.colors**rules.pegs) <= 1 << 64


@kernel
def extended(first: Index, numbers: Words, edges: Slots, rows: int, worth: Words) -> tuple[Index, Words]:
    """The lists with one color more, of the next table, which has so many ``rows``.

    ``edges`` int32 (edges, 3) are (row, set of pegs that gets the color, row of the next table); ``worth`` (fills,) is
    what a set of pegs adds to a number.
    """
    following = np.zeros(rows + 1, np.int64)
    for edge in range(edges.shape[0]):
        before, row = edges[edge, 0], edges[edge, 2]
        following[row + 1] += first[before + 1] - first[before]
    for row in range(rows):
        following[row + 1] += following[row]
    extended = np.empty(following[rows], np.uint64)
    place = following.copy()
    for edge in range(edges.shape[0]):
        before, row = edges[edge, 0], edges[edge, 2]
        more = worth[edges[edge, 1]]
        for coloring in range(first[before], first[before + 1]):
            extended[place[row]] = numbers[coloring] + more
            place[row] += 1
    return following, extended


@kernel
def paired(ones: Index, others: Index, first: Index, numbers: Words, other_first: Index, other_numbers: Words) -> Words:
    """Each coloring in the lists of ``ones`` with each in the list of its partner of ``others``: uint64 (codes,)."""
    many = 0
    for pair in range(ones.size):
        one, other = ones[pair], others[pair]
        many += (first[one + 1] - first[one]) * (other_first[other + 1] - other_first[other])
    codes = np.empty(many, np.uint64)
    place = 0
    for pair in range(ones.size):
        one, other = ones[pair], others[pair]
        for mine in range(first[one], first[one + 1]):
            for its in range(other_first[other], other_first[other + 1]):
                codes[place] = numbers[mine] + other_numbers[its]
                place += 1
    return codes


@kernel
def in_order(numbers: Words, bits: int) -> Words:
    """Numbers of so many bits, rising; ``numbers`` is overwritten. A radix sort, a byte at a time."""
    ordered, scratch = numbers, np.empty_like(numbers)
    for shift in range(0, bits, 8):
        low = np.uint64(shift)
        following = np.zeros(257, np.int64)
        for place in range(ordered.size):
            following[np.int64((ordered[place] >> low) & np.uint64(0xFF)) + 1] += 1
        for below in range(256):
            following[below + 1] += following[below]
        for place in range(ordered.size):
            number = ordered[place]
            digit = np.int64((number >> low) & np.uint64(0xFF))
            scratch[following[digit]] = number
            following[digit] += 1
        ordered, scratch = scratch, ordered
    return ordered


@kernel
def to_columns(numbers: Words, pegs: int, colors: int) -> Columns:
    """The codes of these numbers as columns.

    So many digits at a time as fit 31 bits, block after block: there a product with 1 / colors gives exact quotients
    (it is off by less than 2**-21, and no nearer than that to a whole number) and the loops vectorize.
    """
    columns = np.empty((pegs, numbers.size), np.uint8)
    together, power = 1, colors
    while power * colors < 1 << 31 and together < pegs:
        together, power = together + 1, power * colors
    whole, part, base = np.uint64(power), 1.0 / colors, np.int32(colors)
    rest, digits = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.int32)
    for start in range(0, numbers.size, _BLOCK):
        stop = min(start + _BLOCK, numbers.size)
        rest[: stop - start] = numbers[start:stop]
        peg = pegs
        while peg:
            for i in range(stop - start):
                higher = rest[i] // whole
                digits[i] = np.int32(rest[i] - higher * whole)
                rest[i] = higher
            for _ in range(min(together, peg)):
                peg -= 1
                column = columns[peg, start:stop]
                for i in range(stop - start):
                    quotient = np.int32((digits[i] + 0.5) * part)
                    column[i] = np.uint8(digits[i] - quotient * base)
                    digits[i] = quotient
    return columns
