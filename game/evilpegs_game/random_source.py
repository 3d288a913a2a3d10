"""The interface of a random generator that codes are drawn with."""

from typing import Protocol


class RandomSource(Protocol):
    """A source of random integers, passed in by the caller; `random.Random` and `random.SystemRandom` are two.

    The package itself holds no generator, so equal generators in equal states give equal draws.
    """

    def randrange(self, stop: int, /) -> int:
        """Return an integer from 0 up to but not including ``stop``, uniformly distributed. ``stop`` may be huge."""
        ...
