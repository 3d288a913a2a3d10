"""Lower bounds of the guesses that a set of codes needs, from its size alone.

With F feedbacks one code is found with the first guess, at most F - 1 with the second, (F - 1)**2 with the third, and
so on: behind every feedback except all-black stands one more guess. Source: K. Koyama and T. W. Lai, An optimal
Mastermind strategy, Journal of Recreational Mathematics 25 (1993).
"""

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.feedback import feedbacks
from evilpegs_game.rules import Rules

Ints = NDArray[np.int64]


def least_possible_total(codes: int, rules: Rules) -> int:
    """Return a lower bound on the total of any ``codes`` codes of ``rules``."""
    return _sum_of_least_guesses(codes, other_feedback_count(rules))


def other_feedback_count(rules: Rules) -> int:
    """Return the number of possible feedbacks besides all-black."""
    # (pegs - 1, 1) is impossible: if all other pegs are right, the last one cannot be merely misplaced
    return len(feedbacks(rules.pegs)) - 2


def least_total_table(most_parts: int, codes: int) -> Ints:
    """Return lower bounds on totals: int64, shape (most_parts + 1, codes + 1).

    The element ``[b, n]`` is the bound for any n codes that no guess splits into more than b parts, all-black not
    counted.
    """
    table = np.zeros((most_parts + 1, codes + 1), dtype=np.int64)
    for parts in range(most_parts + 1):
        start, most, guess = 0, 1, 1
        marginal = np.empty(codes, dtype=np.int64)
        while start < codes:
            marginal[start : start + most] = guess
            start, most, guess = start + most, most * max(1, parts), guess + 1
        table[parts, 1:] = np.cumsum(marginal)
    return table


def max_codes_within(rules: Rules) -> tuple[int, ...]:
    """Return, at index k, an upper bound on the codes that k guesses can solve; the last covers all codes."""
    most = [0, 1]
    while most[-1] < rules.size:
        most.append(1 + other_feedback_count(rules) * most[-1])
    return tuple(most)


def _sum_of_least_guesses(codes: int, parts: int) -> int:
    total, guess, most = 0, 1, 1
    while codes > 0:
        total += guess * min(codes, most)
        codes, guess, most = codes - most, guess + 1, most * max(1, parts)
    return total
