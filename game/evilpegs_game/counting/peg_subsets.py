"""All ways to fill some pegs of each kind; where they are few they are laid out once."""

import math
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.compiled import kernel
from evilpegs_game.counting.layout import Fills, Index, Words

SHARED_FILLS: Final = 1 << 12
"""Up to so many fills are kept for the next count; they take 150 KiB with 12 pegs."""
BINOMIALS: Final = np.array([[math.comb(n, k) for k in range(17)] for n in range(17)], np.int64)


class Subsets(NamedTuple):
    """The fills within a fill, rising: ``numbers`` int64, and ``choices`` uint64, the ways to choose each one's pegs.

    Both have room for all fills; how many there are of one is said by `list_subsets`.
    """

    numbers: Index
    choices: Words


def laid_out(kinds: tuple[int, ...]) -> Fills:
    """The fills of so many pegs of each kind; not to be written to where they are shared."""
    return _shared(kinds) if math.prod(pegs + 1 for pegs in kinds) <= SHARED_FILLS else _fills_of(kinds)


def _fills_of(kinds: tuple[int, ...]) -> Fills:
    each = np.array(kinds, np.int64)
    strides = np.concatenate([[1], np.cumprod(each + 1)])
    pegs = (np.arange(strides[-1])[:, None] // strides[:-1] % (each + 1)).astype(np.int8)
    return Fills(
        pegs=pegs,
        strides=strides[:-1],
        sizes=pegs.sum(axis=1).astype(np.int64),
        arrangements=BINOMIALS[each, pegs].prod(axis=1).astype(np.uint64),
    )


_shared: Final = lru_cache(64)(_fills_of)
"""10 MiB at most."""


@kernel
def new_subsets(fills: Fills) -> Subsets:
    """Room for the subsets of any fill."""
    return Subsets(np.zeros(fills.sizes.size, np.int64), np.ones(fills.sizes.size, np.uint64))


@kernel
def list_subsets(fills: Fills, fill: int, subsets: Subsets) -> int:
    """List the fills within a fill, from none of its pegs to all of them; returns how many there are."""
    numbers, choices, all_pegs, strides = subsets.numbers, subsets.choices, fills.pegs, fills.strides
    many = 1  # the first is always none, in one way
    for kind in range(strides.size):
        before, pegs = many, all_pegs[fill, kind]
        for some in range(1, pegs + 1):
            more, ways = some * strides[kind], np.uint64(BINOMIALS[pegs, some])
            for place in range(before):
                numbers[many + place] = numbers[place] + more
                choices[many + place] = choices[place] * ways
            many += before
    return many
