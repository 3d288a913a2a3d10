import math
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.counting.layout import Index, PegSubsets, Words
from evilpegs_game.kernels import kernel

SHARED_SUBSETS: Final = 1 << 12  # the most subsets of a cached result, which takes 150 KiB with 12 pegs
BINOMIALS: Final = np.array([[math.comb(n, k) for k in range(17)] for n in range(17)], np.int64)


class InnerSubsets(NamedTuple):
    """The subsets of one peg subset: their numbers in `PegSubsets`, ascending, and the ways to choose each.

    The arrays are long enough for any peg subset; `list_inner_subsets` returns how many elements are in use.
    """

    numbers: Index
    choices: Words


def peg_subsets(class_sizes: tuple[int, ...]) -> PegSubsets:
    """Return all peg subsets. The arrays may be shared: never write to them."""
    subsets = math.prod(size + 1 for size in class_sizes)
    return _shared(class_sizes) if subsets <= SHARED_SUBSETS else _lay_out(class_sizes)


def _lay_out(class_sizes: tuple[int, ...]) -> PegSubsets:
    sizes = np.array(class_sizes, np.int64)
    strides = np.concatenate([[1], np.cumprod(sizes + 1)])
    pegs = (np.arange(strides[-1])[:, None] // strides[:-1] % (sizes + 1)).astype(np.int8)
    return PegSubsets(
        pegs=pegs,
        strides=strides[:-1],
        sizes=pegs.sum(axis=1).astype(np.int64),
        arrangements=BINOMIALS[sizes, pegs].prod(axis=1).astype(np.uint64),
    )


_shared: Final = lru_cache(64)(_lay_out)  # 10 MiB at most


@kernel
def new_inner_subsets(subsets: PegSubsets) -> InnerSubsets:
    return InnerSubsets(np.zeros(subsets.sizes.size, np.int64), np.ones(subsets.sizes.size, np.uint64))


@kernel
def list_inner_subsets(subsets: PegSubsets, subset: int, inner: InnerSubsets) -> int:
    """Write to ``inner`` all subsets of one peg subset, from the empty to the whole; return their number."""
    numbers, choices, all_pegs, strides = inner.numbers, inner.choices, subsets.pegs, subsets.strides
    count = 1  # the first is the empty subset, chosen in one way
    for peg_class in range(strides.size):
        before, pegs = count, all_pegs[subset, peg_class]
        for some in range(1, pegs + 1):
            more, ways = some * strides[peg_class], np.uint64(BINOMIALS[pegs, some])
            for index in range(before):
                numbers[count + index] = numbers[index] + more
                choices[count + index] = choices[index] * ways
            count += before
    return count
