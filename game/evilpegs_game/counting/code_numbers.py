"""Codes as integers in code order, with one digit to the base ``colors`` per peg.

The first peg has the highest digit. A coloring, which gives colors to some pegs only, is a number of the same form with
0 at the other pegs. So the sum of two colorings that complete each other is a code. Each row of a table has a *list* of
colorings: those of row ``r`` are ``numbers[first[r]:first[r + 1]]``.
"""

from typing import Final

import numpy as np

from evilpegs_game.codes import Columns
from evilpegs_game.counting.layout import Index, Slots, Words
from evilpegs_game.kernels import copy_into, kernel
from evilpegs_game.rules import Rules

_BLOCK: Final = 2048


def codes_fit_word(rules: Rules) -> bool:
    return int(rules.colors**rules.pegs) <= 1 << 64


@kernel
def extend_lists(first: Index, numbers: Words, edges: Slots, rows: int, code_values: Words) -> tuple[Index, Words]:
    """Extend the lists of a table by one color; return ``first`` and ``numbers`` of the next table, of ``rows`` rows.

    ``edges`` are those of `list_live_edges`. ``code_values`` (subsets,) is the number to add to a coloring if a peg
    subset gets the color.
    """
    following = np.zeros(rows + 1, np.int64)
    for edge in range(edges.shape[0]):
        before, row = edges[edge, 0], edges[edge, 2]
        following[row + 1] += first[before + 1] - first[before]
    for row in range(rows):
        following[row + 1] += following[row]
    extended = np.empty(following[rows], np.uint64)
    index = following.copy()
    for edge in range(edges.shape[0]):
        before, row = edges[edge, 0], edges[edge, 2]
        more = code_values[edges[edge, 1]]
        for coloring in range(first[before], first[before + 1]):
            extended[index[row]] = numbers[coloring] + more
            index[row] += 1
    return following, extended


@kernel
def combine_lists(
    ones: Index, others: Index, first: Index, numbers: Words, other_first: Index, other_numbers: Words
) -> Words:
    """Return the codes that the rows ``ones[i]`` of one table and ``others[i]`` of another form."""
    count = 0
    for pair in range(ones.size):
        one, other = ones[pair], others[pair]
        count += (first[one + 1] - first[one]) * (other_first[other + 1] - other_first[other])
    codes = np.empty(count, np.uint64)
    index = 0
    for pair in range(ones.size):
        one, other = ones[pair], others[pair]
        for mine in range(first[one], first[one + 1]):
            for its in range(other_first[other], other_first[other + 1]):
                codes[index] = numbers[mine] + other_numbers[its]
                index += 1
    return codes


@kernel
def sort_numbers(numbers: Words, bits: int) -> Words:
    """Sort numbers of at most ``bits`` bits by a radix sort, which overwrites the argument."""
    ordered, scratch = numbers, np.empty_like(numbers)
    for shift in range(0, bits, 8):
        low = np.uint64(shift)
        following = np.zeros(257, np.int64)
        for index in range(ordered.size):
            following[np.int64((ordered[index] >> low) & np.uint64(0xFF)) + 1] += 1
        for below in range(256):
            following[below + 1] += following[below]
        for index in range(ordered.size):
            number = ordered[index]
            digit = np.int64((number >> low) & np.uint64(0xFF))
            scratch[following[digit]] = number
            following[digit] += 1
        ordered, scratch = scratch, ordered
    return ordered


@kernel
def numbers_to_columns(numbers: Words, pegs: int, colors: int) -> Columns:
    """Return the codes of ``numbers`` as columns, in the same order.

    A number is split into groups of as many digits as fit into 31 bits. In each group, a product with 1 / colors,
    rounded down, gives the exact quotient: the error of the product is below 2**-21, and the product is never that near
    to a whole number. Loops over products become vector instructions.
    """
    columns = np.empty((pegs, numbers.size), np.uint8)
    together, power = 1, colors
    while power * colors < 1 << 31 and together < pegs:
        together, power = together + 1, power * colors
    whole, part, base = np.uint64(power), 1.0 / colors, np.int32(colors)
    rest, digits = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.int32)
    for start in range(0, numbers.size, _BLOCK):
        stop = min(start + _BLOCK, numbers.size)
        copy_into(rest, numbers[start:stop])
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
