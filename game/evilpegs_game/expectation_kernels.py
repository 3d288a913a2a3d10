"""The hot loop of the expectation: live sets of few codes, every choice weighed, in whole numbers.

A *table* holds the feedback numbers of every code against every code: uint8, shape (codes, codes). *Places* are
indices of codes, int32. Totals are guesses in units of ``1 / UNIT``, which divides evenly all that occurs here: with n
codes one of n guesses is drawn at each turn and fewer codes are left, so their total is a multiple of 2 / n!.

Within one small set a *mask* is a subset of it, one bit a code. What is known of subsets stands in `Known`.
"""

from math import factorial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.breaking import Table
from evilpegs_game.kernel import kernel
from evilpegs_game.partition import Places

FEW: Final = 16
"""Codes of a set that is totalled here; with a few more the whole numbers would not fit 63 bits."""

UNIT: Final = factorial(FEW) // 2

Whole = NDArray[np.int64]

Known = Whole
"""Totals by mask, and the number of the set each belongs to: int64, shape (2, 2**FEW). The latest is at ``[1, 0]``."""


def nothing_known() -> Known:
    """Scratch to begin with; 1 MB."""
    return np.zeros((2, 1 << FEW), np.int64)


@kernel
def small_parts_total(table: Table, places: Places, sizes: Whole, known: Known) -> tuple[int, int]:
    """The totals of the parts of at most `FEW` codes, added up, in units; and the work, in feedbacks looked at.

    ``places`` are part after part and ``sizes`` how many codes are in each part, the last all-black.
    """
    masks = np.empty((FEW, FEW), np.int64)
    counts = np.empty(FEW, np.int64)
    frames = np.empty((4, FEW + 2), np.int64)
    total, work, start = 0, 0, 0
    for number in range(sizes.size - 1):
        size = sizes[number]
        if 0 < size <= FEW:
            known[1, 0] += 1
            work += _part_masks(table, places[start : start + size], masks, counts)
            part, looked = _small_total(size, masks, counts, known, frames)
            total += part
            work += looked
        start += size
    return total, work


@kernel
def _part_masks(table: Table, places: Places, masks: Whole, counts: Whole) -> int:
    """Fill row i of ``masks`` with the ``counts[i]`` parts but all-black of guess i; gives the work."""
    numbers = np.empty(FEW, np.int64)
    for guess in range(places.size):
        row = table[places[guess]]
        count = 0
        for i in range(places.size):
            if i != guess:
                at = 0
                while at < count and numbers[at] != row[places[i]]:
                    at += 1
                if at == count:
                    numbers[at] = row[places[i]]
                    masks[guess, at] = 0
                    count += 1
                masks[guess, at] |= 1 << i
        counts[guess] = count
    return places.size * places.size


@kernel
def _small_total(codes: int, masks: Whole, counts: Whole, known: Known, frames: Whole) -> tuple[int, int]:
    """The total of a set of so many codes, and the work. A loop over ``frames`` takes the place of recursion.

    A frame is a subset (its mask), the guess and the part of it that come next, and the total so far.
    """
    subset, guess, part, total = frames[0], frames[1], frames[2], frames[3]
    total[0] = 0
    depth, work = 1, 0
    subset[1], guess[1], part[1], total[1] = (1 << codes) - 1, 0, 0, 0
    while depth:
        if guess[depth] == codes:
            value = _drawn_alike(subset[depth], total[depth])
            known[0, subset[depth]], known[1, subset[depth]] = value, known[1, 0]
            depth -= 1
            total[depth] += value
        elif not (subset[depth] >> guess[depth]) & 1 or part[depth] == counts[guess[depth]]:
            guess[depth] += 1
            part[depth] = 0
        else:
            rest = masks[guess[depth], part[depth]] & subset[depth]
            part[depth] += 1
            work += 1
            value = _known_total(rest, known)
            total[depth] += value
            if not value and rest:
                depth += 1
                subset[depth], guess[depth], part[depth], total[depth] = rest, 0, 0, 0
    return total[0], work


@kernel
def _drawn_alike(subset: int, after: int) -> int:
    """The total of a subset, given those of the parts of all its guesses."""
    size = 0
    while subset:
        subset &= subset - 1
        size += 1
    return size * UNIT + after // size


@kernel
def _known_total(subset: int, known: Known) -> int:
    """The total of a subset; 0 if it is empty or not known."""
    without_first = subset & (subset - 1)
    if not without_first:
        return UNIT if subset else 0
    if not without_first & (without_first - 1):
        return 3 * UNIT  # 1 + 2, whichever of the two comes first
    return known[0, subset] if known[1, subset] == known[1, 0] else 0
