"""Time the devil's replies: the first of a game, later ones, and the replies that take the most work.

The solver forgets everything before each reply, as if no game had been played yet; "known" replies come from a devil
that keeps what it has solved, as in a server. The most expensive lines are those that bench/devil_work.py found.
Run: python bench/bench_devil.py
"""

import time
from random import Random

import numpy as np

from evilpegs_game.codemakers.codemaker import Devil
from evilpegs_game.codemakers.worst_case import WorstCase, affordable_codes
from evilpegs_game.codes import Code, code_at, format_code, parse_code
from evilpegs_game.feedback import all_black
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

WORST = {"4x6": ("1112",), "3x8": ("111",), "4x5": ("1111",)}


def seconds_of_games(devil: Devil, games: int, seed: int, forget: bool) -> tuple[list[float], list[float]]:
    """Return the seconds of first and of later replies; guesses are random codes, then random candidates."""
    rules, rng, live_sets = devil.worst_case.rules, Random(seed), LiveSets()
    first, later = [], []
    for _ in range(games):
        position, guess = Position(rules, (), live_sets), code_at(rng.randrange(rules.size), rules)
        while not position.history or position.history[-1].feedback != all_black(rules.pegs):
            if forget:
                devil.worst_case.forget()
            start = time.perf_counter()
            reply = devil.reply(position, guess)
            (later if position.history else first).append(time.perf_counter() - start)
            position = position.after(guess, reply)
            guess = position.candidate(rng.randrange(position.count))
    return first, later


def show(label: str, took: list[float]) -> None:
    """Print one row of the table."""
    median, p99, most = np.percentile(took, [50, 99, 100]) * 1e3
    print(f"{label:<28}{len(took):>8}{median:>12.2f}{p99:>12.2f}{most:>12.2f}")


def show_worst(rules: Rules, guesses: tuple[Code, ...]) -> None:
    """Print the time and work of each reply in the line of play that takes the most work."""
    devil, position = Devil(WorstCase(rules), rules.size), Position(rules, (), LiveSets())
    for guess in guesses:
        devil.worst_case.forget()
        start = time.perf_counter()
        reply, _, work = devil.decide(position, guess)
        took = time.perf_counter() - start
        print(f"{rules} {format_code(guess)}: {work:,} feedbacks looked at, {took * 1e3:.0f} ms")
        position = position.after(guess, reply)


def main() -> None:
    """Print one row per kind of reply."""
    print(f"{'milliseconds a reply':<28}{'replies':>8}{'p50':>12}{'p99':>12}{'most':>12}")
    for text, games in [("4x6", 100), ("4x10-distinct", 20), ("5x8", 20)]:
        rules = Rules.parse(text)
        devil = Devil(WorstCase(rules), affordable_codes(rules))
        seconds_of_games(devil, 1, seed=0, forget=True)
        first, later = seconds_of_games(devil, games, seed=1, forget=True)
        devil.worst_case.forget()
        known = seconds_of_games(devil, games, seed=1, forget=False)
        label = f"{rules} up to {devil.exact_up_to}"
        for kind, took in (("first", first), ("later", later), ("known", known[0] + known[1])):
            show(f"{label} {kind}", took)
    for text, line in WORST.items():
        rules = Rules.parse(text)
        show_worst(rules, tuple(parse_code(guess, rules) for guess in line))


if __name__ == "__main__":
    main()
