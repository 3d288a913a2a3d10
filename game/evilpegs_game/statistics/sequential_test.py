"""A sequential test of two hypotheses about a mean difference of scores: it ends as soon as the games decide.

A pair is two games, one per strategy, and its difference is the second strategy's score minus the first's. The test is
Wald's sequential probability ratio test for normal differences. Their unknown variance is replaced by the variance
measured so far, as in programs that test chess engines. After n pairs whose differences have mean m and variance v, the
log-likelihood ratio of the alternative a to the null hypothesis h is::

    n (a - h) (2 m - a - h) / (2 v)

The test accepts the alternative when the ratio reaches log((1 - error) / error), and the null hypothesis at the
opposite value. No decision is made before `FIRST_PAIRS` pairs. The variance is taken larger than measured in two ways:

* It is multiplied by 1 + 2 / sqrt(n), which is 1.4 standard errors of a measured variance. Differences of real
  strategies are skewed, and before the first rare ones both mean and variance are wrong. On 4x6 this lowers the largest
  error from 7.5 to 4.9 %, for a seventh more pairs (tests/game/statistics/test_sequential_test.py).
* It is at least the distance of the two hypotheses. If a small fraction p of the pairs differs by one guess and the
  others do not, the mean is p and the variance about p. The lower bound keeps two strategies that rarely differ from
  being called equal too soon.

The error is approximate. Rare differences of several guesses, as when one strategy fails some games, raise it.

Source: A. Wald, Sequential tests of statistical hypotheses, Annals of Mathematical Statistics 16 (1945).
"""

from dataclasses import dataclass
from math import isfinite, log, sqrt
from typing import Final, Literal

from evilpegs_game.errors import MalformedError

FIRST_PAIRS: Final = 30
"""Pairs before a decision; the variance of fewer differences says too little."""
VARIANCE_MARGIN: Final = 2.0
"""The variance of n pairs is multiplied by 1 + `VARIANCE_MARGIN` / sqrt(n)."""
ERROR: Final = 0.05
"""The accepted probability of a wrong decision, for each hypothesis."""
BOUND: Final = log((1 - ERROR) / ERROR)
"""The absolute log-likelihood ratio at which the test decides: 2.94."""

Verdict = Literal["alternative", "null"]


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """Two values of a mean difference; a negative one means that the second strategy is better."""

    null: float = 0.0
    alternative: float = -0.02

    def __post_init__(self) -> None:
        if not isfinite(self.null) or not isfinite(self.alternative) or self.null == self.alternative:
            raise MalformedError(
                f"no test can tell a difference of {self.null:g} from {self.alternative:g}; give them different values"
            )


class SequentialTest:
    """A test that runs while pairs of games are played."""

    def __init__(self, hypotheses: Hypotheses) -> None:
        self.hypotheses = hypotheses
        self.pairs = 0
        self.mean = 0.0
        # squared deviations from the mean, by Welford's method
        self._squares = 0.0

    def add(self, difference: float) -> None:
        self.pairs += 1
        step = difference - self.mean
        self.mean += step / self.pairs
        self._squares += step * (difference - self.mean)

    @property
    def variance(self) -> float:
        return self._squares / (self.pairs - 1) if self.pairs > 1 else 0.0

    @property
    def log_likelihood_ratio(self) -> float:
        null, alternative = self.hypotheses.null, self.hypotheses.alternative
        if not self.pairs:
            return 0.0
        variance = max(self.variance, abs(alternative - null)) * (1 + VARIANCE_MARGIN / sqrt(self.pairs))
        return self.pairs * (alternative - null) * (2 * self.mean - alternative - null) / (2 * variance)

    @property
    def verdict(self) -> Verdict | None:
        """The accepted hypothesis; None while the test needs more pairs."""
        ratio = self.log_likelihood_ratio
        if self.pairs < FIRST_PAIRS or abs(ratio) < BOUND:
            return None
        return "alternative" if ratio > 0 else "null"
