"""The time to prove which strategy is best, next to a plain loop on the same machine.

Compiled, medians of a few runs, each with nothing known; and the least guesses against evil.

Run: python bench/bench_optimal.py [--long]; --long adds rules that take seconds to minutes, one run each.
"""

import resource
import sys
import time
from collections.abc import Callable
from statistics import median

from evilpegs_game.optimal.against_evil import ShortestLineSearch
from evilpegs_game.optimal.solve import Objective, solve
from evilpegs_game.rules import Rules

ROUNDS = 5
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


def plain_loop() -> int:
    """Run a million steps of the interpreter, as the yardstick."""
    total = 0
    for step in range(1_000_000):
        total += step & 3
    return total


def timed(run: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Return median wall-clock and processor seconds; if there are several rounds, an unmeasured run comes first."""
    if rounds > 1:
        run()
    clock, processors = [], []
    for _ in range(rounds):
        began, worked = time.perf_counter(), time.process_time()
        run()
        clock.append(time.perf_counter() - began)
        processors.append(time.process_time() - worked)
    return median(clock), median(processors)


def show(rules: str, objective: Objective, rounds: int, loop: float) -> None:
    """Solve and print a row."""
    kept = []
    clock, processors = timed(lambda: kept.append(solve(Rules.parse(rules), objective, THREADS)), rounds)
    best = kept[-1]
    assert best.is_proved
    figures = f"{best.total:>7}{best.max:>5}{clock:>10.3f}{processors:>12.3f}{processors / loop:>9.1f}"
    print(f"{rules:<14}{objective:<11}{figures}")


def main() -> None:
    """Print one row per problem."""
    _, loop = timed(plain_loop, ROUNDS)
    print(f"optimal play, {THREADS} threads; yardstick: a plain loop of 10^6 steps, {1000 * loop:.1f} ms")
    print(f"{'rules':<14}{'objective':<11}{'total':>7}{'max':>5}{'seconds':>10}{'processors':>12}{'loops':>9}")
    for rules, objective in OFTEN:
        show(rules, objective, ROUNDS, loop)
    for rules, objective in SELDOM if "--long" in sys.argv[1:] else ():
        show(rules, objective, 1, loop)
    print(f"\nagainst evil, one thread\n{'rules':<14}{'guesses':>7}{'seconds':>10}")
    for rules in EVIL:
        clock, _ = timed(lambda rules=rules: ShortestLineSearch(Rules.parse(rules)).run(), ROUNDS)
        print(f"{rules:<14}{len(ShortestLineSearch(Rules.parse(rules)).run()):>7}{clock:>10.3f}")
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")


if __name__ == "__main__":
    main()
