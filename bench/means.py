"""Measure the mean guesses of randomized strategies, with 95 % intervals, beside published means; takes minutes.

`sampled` guesses by entropy among a sample of the candidates; the published means are of entropy over all candidates,
so its own mean may be slightly higher. For `random-consistent` on small rules the exact expectation is printed too.
Run: python bench/means.py [--games 1000] [--consistent 100000] [--seed 0] [--only 6x9]
"""

import argparse
import time

from evilpegs_clients.evaluation.work_units import simulate_games
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.registry import warm_up
from evilpegs_game.evaluation.expectation import expected_guesses
from evilpegs_game.evaluation.simulation import Simulation
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules

CONSISTENT = {"4x6": ("4.638", "P. F. Swaszek 1999-2000"), "5x8-distinct": ("5.3466", "a million games")}
SAMPLED = {name: (mean, "entropy over all candidates") for name, mean in
           {"6x9": "6.285", "6x10": "6.597", "7x10": "7.129", "8x8": "7.162"}.items()}  # fmt: skip
EXACT = ("4x6",)


def measure_games(strategy: str, rules: Rules, games: int, seed: int) -> tuple[Simulation, float]:
    """Return the simulated games, and the processor seconds that they took."""
    chosen = load_strategy(strategy)
    warm_up(chosen, [rules], LiveSets())
    start = time.process_time()
    return simulate_games(chosen, rules, range(games), None, seed), time.process_time() - start


def comparison(strategy: str, rules: Rules, published: tuple[str, str], games: int, seed: int) -> str:
    """Return a line that compares the mean of one strategy on some rules with the published mean."""
    simulation, seconds = measure_games(strategy, rules, games, seed)
    low, high = simulation.interval or (simulation.mean, simulation.mean)
    mean, source = published
    inside = "inside" if low <= float(mean) <= high else "below" if float(mean) < low else "above"
    return (
        f"{strategy:17} {rules!s:12} {games:>9,} games  mean {simulation.mean:.4f}  95 % {low:.4f}-{high:.4f}  most "
        f"{simulation.max:2}  published {mean} ({source}): {inside}  {seconds * 1e3 / games:.2f} ms per game"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000, help="of sampled, on each of its rules")
    parser.add_argument("--consistent", type=int, default=100_000, help="of random-consistent")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="these rules alone")
    options = parser.parse_args()
    for name in EXACT:
        if options.only in (None, name):
            print(f"{'random-consistent':17} {name:12} exactly {float(expected_guesses(Rules.parse(name))):.7f}")
    for strategy, games, table in [
        ("random-consistent", options.consistent, CONSISTENT),
        ("sampled", options.games, SAMPLED),
    ]:
        for name, published in table.items():
            if options.only in (None, name):
                print(comparison(strategy, Rules.parse(name), published, games, options.seed), flush=True)


if __name__ == "__main__":
    main()
