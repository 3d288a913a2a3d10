"""Measure the time to prove which strategy is best, beside a plain loop on the same machine.

Proofs are compiled, start with nothing known, and take turns with the loop; the times are medians of a few runs. Then
the fewest guesses against evil. `--long` adds rules that take seconds to minutes, with one run each.

    python -m bench.solving [--long] [--rounds 5]
"""

import argparse
from statistics import median

from bench.command import Option, run_alone
from bench.figures import Figure
from bench.timing import peak_mebibytes, seconds_of, times_beside_loop
from evilpegs_game.optimal.against_evil import ShortestLineSearch
from evilpegs_game.optimal.solve import Objective, solve
from evilpegs_game.rules import Rules

THREADS = 2
OFTEN = [
    *((f"3x{colors}", "mean") for colors in range(2, 9)),
    ("4x4", "mean"),
    ("4x5", "mean"),
    ("4x6", "mean"),
    ("4x6", "worst"),
    ("3x6-distinct", "mean"),
    ("4x6-distinct", "mean"),
]
SELDOM = [("4x7", "mean"), ("4x7", "worst"), ("4x8", "mean"), ("4x8-distinct", "mean")]
EVIL = ["3x3", "3x5", "4x5", "4x6", "3x8"]
WANTED_LOOPS = {("3x8", "mean"): 13.0, ("4x6", "mean"): 14.0, ("4x6", "worst"): 15.0}
"""Half more than the processor time measured on two cores with AVX-512, in plain loops."""
OPTIONS = (
    Option("rounds", 5, 1, "runs of each problem"),
    Option("long", False, help="add rules that take seconds to minutes"),
)


def measure_proof(rules: str, objective: Objective, rounds: int) -> list[Figure]:
    """Solve, print a row, and return the figure of a proof of which one is wanted."""
    solutions = []
    times = times_beside_loop(lambda: solutions.append(solve(Rules.parse(rules), objective, THREADS)), rounds)
    best = solutions[-1]
    assert best.is_proved
    clock = f"{times.wall:>10.3f}{times.processor:>12.3f}{times.loops:>9.1f}"
    print(f"{rules:<14}{objective:<11}{best.total:>7}{best.max:>5}{clock}", flush=True)
    wanted = WANTED_LOOPS.get((rules, objective))
    return [Figure(f"proof of the best {objective} on {rules}", times.loops, "loops", wanted)] if wanted else []


def measure_against_evil(rules: str, rounds: int) -> None:
    """Search for the shortest line against evil and print a row."""
    search = ShortestLineSearch(Rules.parse(rules))
    guesses = len(search.run())
    seconds = median(seconds_of(ShortestLineSearch(Rules.parse(rules)).run) for _ in range(rounds))
    print(f"{rules:<14}{guesses:>7}{seconds:>10.3f}", flush=True)


def measure(options: argparse.Namespace) -> list[Figure]:
    """Print one row per problem."""
    figures = []
    print(f"optimal play with {THREADS} threads; a loop is a plain one of 10^6 steps")
    print(f"{'rules':<14}{'objective':<11}{'total':>7}{'max':>5}{'seconds':>10}{'processors':>12}{'loops':>9}")
    for rules, objective in OFTEN:
        figures += measure_proof(rules, objective, options.rounds)
    for rules, objective in SELDOM if options.long else ():
        figures += measure_proof(rules, objective, 1)
    print(f"\nagainst evil, one thread\n{'rules':<14}{'guesses':>7}{'seconds':>10}")
    for rules in EVIL:
        measure_against_evil(rules, options.rounds)
    print(f"\npeak memory {peak_mebibytes():,} MiB")
    return figures


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
