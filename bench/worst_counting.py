"""A search for games that make counting dear: prints the worst found for each rules, and ends with 1 if over the bound.

    make worst, or: PYTHONPATH=tests python bench/worst_counting.py [--examples 500] [--rules 8x10 10x12]

It is led by work alone, never by time; the time is printed beside it.
"""

import argparse
import sys
import time

from hypothesis import HealthCheck, Phase, given, settings, target

from evilpegs_game.codes import format_code
from evilpegs_game.rules import Rules
from support.evil_games import evil_game
from support.worst_counting import WORST_WORK, known_games, nasty_games, works


def worst_game(name, examples):
    """The most work and the guesses that cause it, the known ones included."""
    rules = Rules.parse(name)
    worst = max(((max(works(rules, game)), game) for game in known_games(name)), default=(0, []))

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.target],
        suppress_health_check=list(HealthCheck),
    )
    @given(nasty_games(rules))
    def search(game):
        nonlocal worst
        work = max(works(rules, game))
        worst = max(worst, (work, game))
        target(float(work))

    search()
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--examples", type=int, default=500)
    parser.add_argument("--rules", nargs="*", default=["8x10", "10x12"])
    given_arguments = parser.parse_args()
    over = False
    for name in given_arguments.rules:
        work, game = worst_game(name, given_arguments.examples)
        over |= work >= WORST_WORK[name]
        print(f"{name}: most work {work:,}, at most {WORST_WORK[name]:,} allowed", flush=True)
        start = time.thread_time()
        for _, guess, counted, left in evil_game(Rules.parse(name), game, least=1000):
            took, start = (time.thread_time() - start) * 1e3, time.thread_time()
            print(f"    {format_code(guess)}{counted.work:>14,}{took:>10.1f} ms{left:>18,} left")
    sys.exit(over)


if __name__ == "__main__":
    main()
