"""How long a strategy takes against every secret, compiled, next to a plain loop on the same machine.

Run: python bench/bench_evaluate.py
"""

import time
from collections.abc import Callable
from statistics import median

from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import player
from evilpegs_game.evaluation import evaluate
from evilpegs_game.rules import Rules

RULES = Rules(4, 6)
ROUNDS = 15


def plain_loop() -> int:
    """The yardstick: a million steps of the interpreter."""
    total = 0
    for step in range(1_000_000):
        total += step & 3
    return total


def milliseconds(run: Callable[[], object]) -> float:
    """The median time of a run, the first left out."""
    run()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return 1000 * median(times)


def main() -> None:
    """Print a row a strategy."""
    yardstick = milliseconds(plain_loop)
    print(f"evaluate {RULES}, all {RULES.size} secrets; yardstick: a plain loop of 10^6 steps, {yardstick:.1f} ms")
    print(f"{'strategy':<18}{'total':>7}{'ms':>8}{'loops':>8}")
    for name in STRATEGIES:
        choose = player(load_strategy(name))
        total = evaluate(choose, RULES).total
        took = milliseconds(lambda choose=choose: evaluate(choose, RULES))
        print(f"{name:<18}{total:>7}{took:>8.1f}{took / yardstick:>8.2f}")


if __name__ == "__main__":
    main()
