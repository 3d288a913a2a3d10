"""Confidence intervals of a mean that stay valid if they are computed after every game and if games stop at any time.

The level of an interval, such as 0.05, is the largest probability with which the intervals computed after each game of
an endless sequence *ever* miss the true mean. This module has two methods.

`betting_intervals` assumes only that scores have bounds. To test a possible mean ``m``, it bets on the scores with odds
that are fair if ``m`` is the mean. In this case the wealth is a nonnegative martingale that starts at 1, and the
probability that it ever reaches ``1/level`` is at most ``level`` (Ville's inequality). The interval is the set of all
``m`` against which the wealth has not reached this value. See Waudby-Smith and Ramdas, Estimating means of bounded
random variables by betting (2024).

`asymptotic_half_width` needs no bounds of the scores, only their number, sum and sum of squares, but its interval is
valid only after many games: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and
asymptotic confidence sequences (2021).
"""

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evilpegs_game.statistics.means import deviation

# of the wealth, bet on each score, with a separate wealth per fraction; equally spaced in ln(c / (1 - c)), because few
# or equal scores need large fractions, and many scores need small ones
FRACTIONS: Final = 1 / (1 + np.exp(-np.linspace(math.log(0.005 / 0.995), math.log(0.95 / 0.05), 24)))
# initial wealth per fraction. Fractions and shares were chosen so that intervals are at most 4 % wider than those of
# the paper's hedged bets at 20 to 10,000 games, for scores of strategies with and without failed games and for equal
# scores; most are narrower. Every choice that does not depend on the scores is valid.
SHARES: Final = FRACTIONS / FRACTIONS.sum()
# games at which the asymptotic interval is tightest
TUNED_FOR: Final = 300

_LOG_SHARES: Final = np.log(SHARES)
# rows computed together, whose arrays fit into a processor's cache
_CHUNK: Final = 1_024
_STEPS: Final = 200
# Newton's method ends once ln m changes by less; the error is then of the order of the square of this step
_LAST_STEP: Final = 1e-7

Floats = NDArray[np.float64]


def betting_intervals(counts: ArrayLike, lowest: int, highest: int, levels: ArrayLike) -> Floats:
    """Return the anytime-valid intervals (low, high) of mean scores, with the shape (rows, 2).

    ``counts`` has the shape (rows, highest - lowest + 1): the numbers of games with each integer score. ``levels`` is
    one value for all rows, or one per row. The interval of a row without games is the whole range.

    Let x be the score scaled to [0, 1]. To bet against means that are too low, the fraction c of the wealth is bet on
    the next score with the odds x / m, so that a game multiplies the wealth by 1 + c (x / m - 1). If m is the mean, the
    expected factor is 1. The total wealth of all `FRACTIONS`, which start with `SHARES`,

        K+(m) = sum over c of share(c) * product over games of (1 + c (x / m - 1)),

    is a martingale too, because a weighted mean of martingales is one. K+ depends only on the counts of the scores, not
    on their order, and it falls as m grows. The low end is the m at which K+ equals 2 / level. The high end follows in
    the same way from K-, which has 1 - x and 1 - m in place of x and m. Both ends together err with a probability of at
    most ``level``.

    The method does not estimate a variance, so the interval is also valid if all scores so far are equal. The interval
    then shrinks like ln(2 / level) / games, and its width is never zero, because later games may have other scores.
    """
    table = np.asarray(counts, dtype=np.float64)
    levels_of_rows = np.asarray(levels, dtype=np.float64)
    if highest <= lowest or table.ndim != 2 or table.shape[1] != highest - lowest + 1 or (table < 0).any():
        raise ValueError(f"counts of shape {table.shape} are no numbers of games with scores {lowest} to {highest}")
    if not ((levels_of_rows > 0) & (levels_of_rows < 1)).all():
        raise ValueError("levels must lie between 0 and 1")
    log_wealth = np.broadcast_to(np.log(2 / levels_of_rows), len(table))
    ends = np.empty((len(table), 2))
    for start in range(0, len(table), _CHUNK):
        rows = slice(start, start + _CHUNK)
        ends[rows, 0] = _low_ends(table[rows], log_wealth[rows])
        ends[rows, 1] = 1 - _low_ends(table[rows, ::-1], log_wealth[rows])
    return lowest + (highest - lowest) * ends


def asymptotic_half_width(games: int, total: int, squares: int, level: float) -> float:
    """Return half the width of the asymptotic anytime-valid interval around the sample mean, in the unit of the scores.

    ``total`` and ``squares`` are the sums of integer scores and of their squares. The interval relies on the sample
    variance, so it is wrong for few games and rare large scores.
    """
    if games < 2 or not 0 < level < 1:
        raise ValueError(f"{games} games with level {level} have no interval")
    wanted = -2 * math.log(level)
    tuning = (wanted + math.log(wanted + 1)) / TUNED_FOR
    spread = games * tuning + 1
    return deviation(games, total, squares) * math.sqrt(
        2 * spread / (games**2 * tuning) * math.log(math.sqrt(spread) / level)
    )


def _low_ends(table: Floats, log_wealth: Floats) -> Floats:
    used = np.asarray(table.any(axis=0))
    scores, table = np.linspace(0, 1, len(used))[used], table[:, used]
    # The sums are exact or in a fixed order, so that a row has the same bits alone and among others.
    totals = np.add.accumulate(table * scores, axis=1)[:, -1] if len(scores) else np.zeros(len(table))
    ends = np.zeros(len(table))
    (open_rows,) = np.nonzero(totals > 0)
    logs = np.log(totals[open_rows] / table[open_rows].sum(axis=1))
    # The low end is the root of ln K+ = log_wealth. As a function of ln m, ln K+ is convex and falls, so Newton's
    # method is at the left of the root after its first step, and then approaches it from this side only. It starts at
    # the sample mean, where K+ is at most 1.
    for _ in range(_STEPS):
        if not len(open_rows):
            break
        heights, slopes = _log_wealth(table[open_rows], scores, logs)
        moved = logs + (log_wealth[open_rows] - heights) / slopes
        ends[open_rows] = np.exp(np.minimum(moved, 0))
        unfinished = np.abs(moved - logs) > _LAST_STEP
        open_rows, logs = open_rows[unfinished], moved[unfinished]
    return ends


def _log_wealth(table: Floats, scores: Floats, logs: Floats) -> tuple[Floats, Floats]:
    heights = np.tile(_LOG_SHARES, (len(table), 1))
    slopes = np.zeros_like(heights)
    odds = np.exp(-logs)
    # score by score: arrays with one more dimension would not fit into the processor's cache
    for score, games in zip(scores.tolist(), table.T[:, :, None], strict=True):
        won = (score * odds)[:, None] * FRACTIONS
        factors = won + (1 - FRACTIONS)
        heights += games * np.log(factors)
        slopes -= games * (won / factors)
    top = heights.max(axis=1, keepdims=True)
    shares = np.exp(heights - top)
    total = shares.sum(axis=1)
    return top[:, 0] + np.log(total), (shares * slopes).sum(axis=1) / total
