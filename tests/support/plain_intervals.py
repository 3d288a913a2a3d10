"""Plain versions of the confidence intervals, computed score by score from the formulas of the papers."""

import math
import statistics
from decimal import Decimal

from evilpegs_game.statistics.confidence_sequences import betting_intervals

BISECTIONS = 60


def log_wealth(scaled, mean, shares):
    """Return ln K+ of the scores ``scaled``, which are in [0, 1], against ``mean``.

    ``shares`` maps each fraction that is bet to its part of the wealth.
    """
    logs = [
        math.log(share) + math.fsum(math.log(1 + fraction * (score / mean - 1)) for score in scaled)
        for fraction, share in shares.items()
    ]
    top = max(logs)
    return top + math.log(math.fsum(math.exp(log - top) for log in logs))


def mixed_interval(scores, lowest, highest, level, shares):
    """Return the betting interval of the mean of ``scores``, which lie between ``lowest`` and ``highest``."""
    scaled = [(score - lowest) / (highest - lowest) for score in scores]
    mirrored = [(highest - score) / (highest - lowest) for score in scores]
    low, high = (_low_end(each, math.log(2 / level), shares) for each in (scaled, mirrored))
    return lowest + (highest - lowest) * low, highest - (highest - lowest) * high


def _low_end(scaled, threshold, shares):
    low, high = 0.0, math.fsum(scaled) / max(len(scaled), 1)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if middle and log_wealth(scaled, middle, shares) > threshold:
            low = middle
        else:
            high = middle
    return low


def hedged_interval(scores, lowest, highest, level, truncation=0.75):
    """Return the hedged predictable plug-in interval of Waudby-Smith and Ramdas, by two one-sided tests.

    Each bet depends on the scores before it: lambda_t = sqrt(2 ln(2 / level) / (variance_{t-1} t ln(t + 1))). It is
    reduced where it would risk more than the fraction ``truncation`` of the wealth.
    """
    scaled = [(score - lowest) / (highest - lowest) for score in scores]
    bets = list(_plug_in_bets(scaled, level))

    def risen(mean):
        return math.fsum(
            math.log(1 + min(bet, truncation / mean) * (score - mean)) for bet, score in zip(bets, scaled, strict=True)
        )

    def fallen(mean):
        return math.fsum(
            math.log(1 - min(bet, truncation / (1 - mean)) * (score - mean))
            for bet, score in zip(bets, scaled, strict=True)
        )

    mean, threshold = math.fsum(scaled) / len(scaled), math.log(2 / level)
    low, high = _boundary(risen, 0.0, mean, threshold), _boundary(fallen, 1.0, mean, threshold)
    return lowest + (highest - lowest) * low, lowest + (highest - lowest) * high


def _plug_in_bets(scaled, level):
    total, squares, variance = 0.5, 0.25, 0.25
    for time, score in enumerate(scaled, 1):
        yield math.sqrt(2 * math.log(2 / level) / (variance * time * math.log(time + 1)))
        total += score
        squares += (score - total / (time + 1)) ** 2
        variance = squares / (time + 1)


def _boundary(log_of, outside, inside, threshold):
    """Return the mean at which ``log_of`` falls to the threshold.

    The result is searched between ``outside``, where ``log_of`` is above the threshold, and ``inside``.
    """
    for _ in range(30):
        middle = (outside + inside) / 2
        if log_of(middle) > threshold:
            outside = middle
        else:
            inside = middle
    return outside


def asymptotic_half_width(scores, level, tuned_for):
    """Return sigma sqrt(2 (t rho^2 + 1) / (t^2 rho^2) ln(sqrt(t rho^2 + 1) / alpha)), computed with 28 digits."""
    alpha, time = Decimal(level), Decimal(len(scores))
    wanted = -2 * alpha.ln()
    rho2 = (wanted + (wanted + 1).ln()) / tuned_for
    mixed = time * rho2 + 1
    variance = statistics.variance(map(Decimal, scores))
    return float((variance * 2 * mixed / (time**2 * rho2) * (mixed.sqrt() / alpha).ln()).sqrt())


def betting_interval(counts, lowest, highest, level):
    """Return the interval (low, high) of `betting_intervals` for one mapping from scores to numbers of games."""
    row = [counts.get(score, 0) for score in range(lowest, highest + 1)]
    ((low, high),) = betting_intervals([row], lowest, highest, level).tolist()
    return low, high
