from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.kernels import COMPILES, kernel

# 2**64 / golden ratio: its multiples modulo 2**64 spread evenly over all words
GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)


@kernel
def _popcount(word: np.uint64) -> int:  # pragma: no cover - compilers turn it into one instruction
    pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    fours = (pairs & np.uint64(0x3333333333333333)) + ((pairs >> np.uint64(2)) & np.uint64(0x3333333333333333))
    eights = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((eights * np.uint64(0x0101010101010101)) >> np.uint64(56))  # type: ignore[return-value]


def _plain_popcount(word: np.uint64) -> int:
    return int(word).bit_count()


popcount = _popcount if COMPILES else _plain_popcount


@kernel
def mix(word: np.uint64) -> np.uint64:
    """Hash a word so that similar words get unrelated values. Source: S. Vigna, splitmix64."""
    once = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    twice = (once ^ (once >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return twice ^ (twice >> np.uint64(31))


@kernel
def mix_each(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply `mix` to every word of a C-contiguous array."""
    mixed = np.empty_like(words)
    source, target = words.reshape(-1), mixed.reshape(-1)
    for i in range(source.size):
        target[i] = mix(source[i])
    return mixed
