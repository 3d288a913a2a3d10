"""The interface of the random generators with which codes are drawn."""

from typing import Protocol


class RandomSource(Protocol):
    """A source of random integers that the caller passes in, such as a `random.Random` or a `random.SystemRandom`.

    The package itself holds no generator, so equal generators in equal states give equal draws.
    """

    def randrange(self, stop: int, /) -> int:
        """Return a uniformly distributed integer from 0 up to but not including ``stop``, which may exceed 64 bits."""
        ...
