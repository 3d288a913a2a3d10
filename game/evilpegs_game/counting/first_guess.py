"""The parts of a first guess, on rules of any size: by inclusion and exclusion, without sets of pegs.

With no history only the shape of the guess matters. For each of its colors in turn, some of its own pegs are black,
some others of them are forced to have it too, with the sign of (-1)**forced, and some pegs anywhere else have it
without any care; the signs take out what should not have been black. It shares nothing with `parts` and checks it.
"""

import math

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Code
from evilpegs_game.compiled import kernel
from evilpegs_game.counting.peg_subsets import BINOMIALS
from evilpegs_game.counting.problem import check_countable
from evilpegs_game.feedback import feedbacks
from evilpegs_game.rules import Rules

Sums = NDArray[np.int64]


def first_parts(rules: Rules, guess: Code) -> tuple[int, ...]:
    """The size of each part of a first guess, in the order of `feedbacks`.

    Raises:
        TooLargeError: there are more codes than 63 bits count.
    """
    check_countable(rules)
    times = np.array(sorted(guess.count(color) for color in set(guess)), np.int64)
    unused = rules.colors - len(times)
    choose = (lambda pegs: unused**pegs) if rules.repeats else (lambda pegs: math.perm(unused, pegs))
    others = np.array([choose(pegs) % 2**63 for pegs in range(rules.pegs + 1)], np.int64)
    with np.errstate(over="ignore"):  # sums go over 63 bits and come back: the last of each is a part size
        sums = _signed(times, rules.pegs, rules.repeats, others, BINOMIALS)
    return tuple(int(sums[black, black + white]) for black, white in feedbacks(rules.pegs))


@kernel
def _signed(times: Sums, pegs: int, repeats: bool, others: Sums, binomials: Sums) -> Sums:
    """Codes by blacks and matches: int64, shape (pegs + 1, pegs + 1)."""
    # Indices: pegs that are settled (black or forced), pegs taken elsewhere, blacks, matches.
    sums = np.zeros((pegs + 1, pegs + 1, pegs + 1, pegs + 1), np.int64)
    sums[0, 0, 0, 0] = 1
    done = 0
    for most in times:
        following = np.zeros_like(sums)
        for settled in range(done + 1):
            for taken in range(pegs + 1 - settled):
                for black in range(settled + 1):
                    for match in range(black, min(settled + taken, done) + 1):
                        if sums[settled, taken, black, match]:
                            _add_color(following, sums, settled, taken, black, match, most, pegs, repeats, binomials)
        sums = following
        done += most
    result = np.zeros((pegs + 1, pegs + 1), np.int64)
    for settled in range(pegs + 1):
        free = pegs - settled
        for taken in range(free + 1):
            result += sums[settled, taken] * (binomials[free, taken] * others[free - taken])
    return result


@kernel
def _add_color(
    following: Sums,
    sums: Sums,
    settled: int,
    taken: int,
    black: int,
    match: int,
    most: int,
    pegs: int,
    repeats: bool,
    binomials: Sums,
) -> None:
    """Every way in which one color, ``most`` times in the guess, can go on from one state."""
    here = sums[settled, taken, black, match]
    for blacks in range(most + 1):
        for forced in range(most - blacks + 1):
            ways = here * binomials[most, blacks] * binomials[most - blacks, forced] * (1 - 2 * (forced & 1))
            own = blacks + forced
            elsewhere = pegs - settled - own - taken
            if not repeats:
                elsewhere = min(elsewhere, 1 - own)
            for more in range(elsewhere + 1):
                following[settled + own, taken + more, black + blacks, match + min(most, own + more)] += (
                    ways * binomials[taken + more, more]
                )
