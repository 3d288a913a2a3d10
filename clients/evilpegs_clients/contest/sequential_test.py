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
  error from 7.5 to 4.9 %, for a seventh more pairs (tests/clients/contest/test_sequential_test.py).
* It is at least the distance of the two hypotheses. If a small fraction p of the pairs differs by one guess and the
  others do not differ, the mean is p and the variance about p. The lower bound keeps two strategies that rarely differ
  from being called equal too soon.

The error is approximate. Rare differences of several guesses, as when one strategy fails some games, raise it.

Source: A. Wald, Sequential tests of statistical hypotheses, Annals of Mathematical Statistics 16 (1945).
"""

from dataclasses import dataclass
from math import isfinite, log, sqrt
from typing import Final, Literal

from evilpegs_game.errors import MalformedError

FIRST_PAIRS: Final = 30
"""The least number of pairs for a decision; the variance of fewer differences says too little."""
VARIANCE_MARGIN: Final = 2.0
"""The margin of the variance: the test multiplies the variance of n pairs by 1 + `VARIANCE_MARGIN` / sqrt(n)."""
ERROR: Final = 0.05
"""The accepted probability of a wrong decision, for each hypothesis."""
BOUND: Final = log((1 - ERROR) / ERROR)
"""The absolute value of the log-likelihood ratio at which the test decides: 2.94."""

Verdict = Literal["alternative", "null"]


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """Two values of a mean difference in guesses, of which a test accepts one.

    The difference is the second strategy's mean score minus that of the first; a negative value means that the second
    strategy is better.

    Raises:
        MalformedError: the two values are equal or not finite.
    """

    null: float = 0.0
    alternative: float = -0.02

    def __post_init__(self) -> None:
        if not isfinite(self.null) or not isfinite(self.alternative) or self.null == self.alternative:
            message = (
                f"no test can tell a difference of {self.null:g} from {self.alternative:g}; give them different values"
            )
            raise MalformedError(message)

    @property
    def least_variance(self) -> float:
        """The variance that a test uses in place of a smaller measured variance, in squared guesses."""
        return abs(self.alternative - self.null)


class SequentialTest:
    """A test of ``hypotheses`` that runs while pairs of games are played; `add` takes the difference of one pair.

    The difference is the second strategy's score minus that of the first. ``pairs`` is the number of differences added
    so far.
    """

    def __init__(self, hypotheses: Hypotheses) -> None:
        self.hypotheses = hypotheses
        self.pairs = 0
        self.mean = 0.0
        """The mean difference so far, in guesses."""
        self._squares = 0.0
        """The sum of squared deviations from the mean, updated by Welford's method."""

    def add(self, difference: float) -> None:
        """Add the difference of one more pair of games: the second strategy's score minus the first's, in guesses."""
        self.pairs += 1
        step = difference - self.mean
        self.mean += step / self.pairs
        self._squares += step * (difference - self.mean)

    @property
    def variance(self) -> float:
        """The sample variance of the differences in squared guesses; 0 after fewer than two pairs."""
        return self._squares / (self.pairs - 1) if self.pairs > 1 else 0.0

    @property
    def log_likelihood_ratio(self) -> float:
        """The natural logarithm of the likelihood of the alternative divided by that of the null hypothesis.

        It is positive if the differences agree better with the alternative, and 0 at the beginning.
        """
        null, alternative = self.hypotheses.null, self.hypotheses.alternative
        if not self.pairs:
            return 0.0
        variance = max(self.variance, self.hypotheses.least_variance) * (1 + VARIANCE_MARGIN / sqrt(self.pairs))
        return self.pairs * (alternative - null) * (2 * self.mean - alternative - null) / (2 * variance)

    @property
    def verdict(self) -> Verdict | None:
        """The hypothesis that the test accepts, ``alternative`` or ``null``; None while the test needs more pairs."""
        ratio = self.log_likelihood_ratio
        if self.pairs < FIRST_PAIRS or abs(ratio) < BOUND:
            return None
        return "alternative" if ratio > 0 else "null"
