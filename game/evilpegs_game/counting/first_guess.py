"""The part sizes of a first guess, on rules of any size, by inclusion and exclusion instead of tables.

Without a history only the number of pegs of each color in the guess matters. Each of these colors is handled in turn:
some of the pegs that have it in the guess are black, and some more of these pegs are forced to have it, with the sign
(-1)**forced, where ``forced`` is their number. Any number of other pegs have it without restriction. The signs remove
the codes that would have more blacks. This method shares nothing with `part_counts`, so tests compare the two.
"""

import math

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Code
from evilpegs_game.counting.layout import BINOMIALS
from evilpegs_game.counting.problem import exact_numbers, moduli
from evilpegs_game.feedback import feedbacks
from evilpegs_game.kernels import kernel
from evilpegs_game.rules import Rules

Sums = NDArray[np.int64]


def first_part_sizes(rules: Rules, guess: Code) -> tuple[int, ...]:
    """Return the part sizes in feedback order."""
    color_counts = np.array(sorted(guess.count(color) for color in set(guess)), np.int64)
    unused = rules.colors - len(color_counts)
    residues = []
    for modulus in moduli(rules):
        choose = (lambda pegs: unused**pegs) if rules.repeats else (lambda pegs: math.perm(unused, pegs))
        others = [choose(pegs) % (modulus or 2**64) for pegs in range(rules.pegs + 1)]
        with np.errstate(over="ignore"):  # sums wrap around 64 bits and come back: each final sum is a part size
            sums = _sums_by_score(
                color_counts, rules.pegs, rules.repeats, np.array(others, np.uint64).view(np.int64), BINOMIALS, modulus
            )
        residues.append(
            [int(sums[black, black + white]) % (modulus or 2**64) for black, white in feedbacks(rules.pegs)]
        )
    return exact_numbers(residues)


@kernel
def _sums_by_score(color_counts: Sums, pegs: int, repeats: bool, others: Sums, binomials: Sums, modulus: int) -> Sums:
    # Indices: settled pegs (black or forced), pegs taken elsewhere, blacks, matches.
    sums = np.zeros((pegs + 1, pegs + 1, pegs + 1, pegs + 1), np.int64)
    sums[0, 0, 0, 0] = 1
    done = 0
    for color_count in color_counts:
        following = np.zeros_like(sums)
        for settled in range(done + 1):
            for taken in range(pegs + 1 - settled):
                for black in range(settled + 1):
                    for match in range(black, min(settled + taken, done) + 1):
                        if sums[settled, taken, black, match]:
                            _add_color(
                                following, sums, settled, taken, black, match, color_count, pegs, repeats, binomials
                            )
        sums = following % modulus if modulus else following
        done += color_count
    result = np.zeros((pegs + 1, pegs + 1), np.int64)
    for settled in range(pegs + 1):
        free = pegs - settled
        for taken in range(free + 1):
            chosen = sums[settled, taken] * binomials[free, taken]
            result += (chosen % modulus if modulus else chosen) * others[free - taken]
            if modulus:
                result %= modulus
    return result


@kernel
def _add_color(
    following: Sums,
    sums: Sums,
    settled: int,
    taken: int,
    black: int,
    match: int,
    color_count: int,
    pegs: int,
    repeats: bool,
    binomials: Sums,
) -> None:
    here = sums[settled, taken, black, match]
    for blacks in range(color_count + 1):
        for forced in range(color_count - blacks + 1):
            ways = (
                here * binomials[color_count, blacks] * binomials[color_count - blacks, forced] * (1 - 2 * (forced & 1))
            )
            own = blacks + forced
            elsewhere = pegs - settled - own - taken
            if not repeats:
                elsewhere = min(elsewhere, 1 - own)
            for more in range(elsewhere + 1):
                following[settled + own, taken + more, black + blacks, match + min(color_count, own + more)] += (
                    ways * binomials[taken + more, more]
                )
