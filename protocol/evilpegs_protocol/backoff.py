from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays in seconds, drawn between half of a bound and the bound, which doubles from ``first`` to ``longest``."""

    first: float
    longest: float

    def delay(self, failures: int, rng: Random) -> float:
        # drawn, so that clients do not all try at the same moment
        bound = min(self.longest, self.first * 2 ** min(failures, 32))
        return rng.uniform(bound / 2, bound)
