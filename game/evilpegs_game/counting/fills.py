"""All ways to fill some pegs of each kind; where they are few they are laid out once."""

from functools import lru_cache
from typing import Final

import numpy as np

from evilpegs_game.counting.grow import BINOMIALS
from evilpegs_game.counting.layout import Fills

SHARED_FILLS: Final = 1 << 12
"""Up to so many fills are kept for the next count; they take 150 KiB with 12 pegs."""


def laid_out(kinds: tuple[int, ...]) -> Fills:
    """The fills of so many pegs of each kind; not to be written to where they are shared."""
    many = int(np.prod([pegs + 1 for pegs in kinds]))
    return _shared(kinds) if many <= SHARED_FILLS else _fills_of(kinds)


def _fills_of(kinds: tuple[int, ...]) -> Fills:
    each = np.array(kinds, np.int64)
    strides = np.concatenate([[1], np.cumprod(each + 1)])
    pegs = (np.arange(strides[-1])[:, None] // strides[:-1] % (each + 1)).astype(np.int8)
    widths = np.array([kind.bit_length() + 1 for kind in kinds], np.uint64)
    places = np.concatenate([[0], np.cumsum(widths)]).astype(np.uint64)
    return Fills(
        pegs=pegs,
        packed=(pegs.astype(np.uint64) << places[:-1]).sum(axis=1, dtype=np.uint64),
        guards=np.bitwise_or.reduce(np.uint64(1) << (places[1:] - np.uint64(1))),
        sizes=pegs.sum(axis=1).astype(np.int64),
        arrangements=BINOMIALS[each, pegs].prod(axis=1).astype(np.uint64),
    )


_shared: Final = lru_cache(64)(_fills_of)
"""10 MiB at most."""
