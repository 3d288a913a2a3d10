from typing import Protocol


class RandomSource(Protocol):
    """A generator that the caller passes in, like `random.Random`; the package itself holds none."""

    def randrange(self, stop: int, /) -> int:
        """Return a uniform integer from 0 up to but not including ``stop``, which may exceed 64 bits."""
        ...
