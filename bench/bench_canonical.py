"""The time that the canonical key of a history takes, conversions and symmetry included, by number of guesses.

Two kinds of histories: guesses drawn from all codes, each with the feedback of one secret; and cyclic shifts of one
guess, all with the same feedback, about the most alike that guesses can be. Run: python bench/bench_canonical.py
"""

import time
from random import Random

import numpy as np

from evilpegs_game.codes import Code, code_at
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.history_key import history_key

HISTORIES = 2000


def drawn(rules: Rules, guesses: int, rng: Random) -> list[tuple[Code, Feedback]]:
    """Turns of a player who guesses at random."""
    secret, *codes = (code_at(rng.randrange(rules.size), rules) for _ in range(guesses + 1))
    return [(code, feedback(code, secret)) for code in codes]


def shifted(rules: Rules, guesses: int, rng: Random) -> list[tuple[Code, Feedback]]:
    """Turns that can hardly be told apart."""
    colors = rng.sample(range(rules.colors), rules.pegs)
    return [(tuple(colors[shift:] + colors[:shift]), Feedback(0, rules.pegs)) for shift in range(guesses)]


def microseconds(rules: Rules, histories: list[list[tuple[Code, Feedback]]]) -> tuple[float, float]:
    """The median and the 99th percentile of the microseconds a key takes."""
    took = []
    for history in histories:
        start = time.perf_counter()
        history_key(rules, history)
        took.append(time.perf_counter() - start)
    median, p99 = np.percentile(took, [50, 99]) * 1e6
    return float(median), float(p99)


def main() -> None:
    """Print a row for each number of guesses of each of three rules."""
    history_key(Rules(4, 6), [((0, 0, 1, 1), Feedback(1, 0))])
    print(f"{'microseconds a key':<24}{'guesses':>8}{'drawn p50':>12}{'p99':>8}{'shifted p50':>14}{'p99':>8}")
    for rules in (Rules(8, 10), Rules(10, 12), Rules(12, 14)):
        for guesses in range(1, 9):
            rng = Random(guesses)
            row = f"{rules!s:<24}{guesses:>8}"
            for make, width in [(drawn, 12), (shifted, 14)]:
                median, p99 = microseconds(rules, [make(rules, guesses, rng) for _ in range(HISTORIES)])
                row += f"{median:>{width}.1f}{p99:>8.1f}"
            print(row)


if __name__ == "__main__":
    main()
