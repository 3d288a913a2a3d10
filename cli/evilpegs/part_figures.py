"""What the sizes of a guess's parts come to."""

from collections.abc import Collection
from math import log2


def expected_size(sizes: Collection[int]) -> float:
    """How many candidates the feedback leaves on average, each secret being as likely as any other."""
    return sum(size * size for size in sizes) / sum(sizes)


def bits(sizes: Collection[int]) -> float:
    """How much the feedback tells on average, in bits."""
    codes = sum(sizes)
    return sum(size * log2(codes / size) for size in sizes) / codes
