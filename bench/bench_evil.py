"""The time that the evil codemaker thinks, everything included, next to plain numpy doing the same.

Each reply starts from a history that is new to the codemaker: the live set is computed from that of the
turn before, as in a server. The player keeps live sets of its own. Run: python bench/bench_evil.py
"""

import time
from random import Random

import numpy as np

from evilpegs_game.codemakers.codemaker import Evil
from evilpegs_game.codes import Code, Columns, code_at
from evilpegs_game.feedback import all_black
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules


def numpy_reply(columns: Columns, guess: Code) -> tuple[int, int]:
    """The yardstick: all feedbacks by whole-array operations, then the largest part."""
    black = sum((column == color).astype(np.int64) for column, color in zip(columns, guess, strict=True))
    matches = sum(np.minimum((columns == color).sum(axis=0), guess.count(color)) for color in sorted(set(guess)))
    pegs = len(guess)
    counts = np.bincount(black * (pegs + 1) + matches - black, minlength=(pegs + 1) ** 2)
    if np.count_nonzero(counts) > 1:
        counts[pegs * (pegs + 1)] = 0
    return divmod(int(counts.argmax()), pegs + 1)


def seconds_of_games(rules: Rules, games: int, guesses_a_game: int, seed: int) -> tuple[list[float], list[float]]:
    """Seconds of first and of later replies, the guesses drawn from all codes, then from the candidates."""
    rng, players, servers = Random(seed), LiveSets(), LiveSets()
    first, later = [], []
    table = servers.feedback_table(rules)
    if table is not None:
        table.complete()  # as a server does when it starts
    for _ in range(games):
        position, guess = Position(rules, (), players), code_at(rng.randrange(rules.size), rules)
        for _ in range(guesses_a_game):
            fresh = Position(rules, position.history, servers)
            start = time.perf_counter()
            reply = Evil().reply(fresh, guess)
            (later if position.history else first).append(time.perf_counter() - start)
            if reply == all_black(rules.pegs):
                break
            position = position.after(guess, reply)
            guess = position.candidate(rng.randrange(position.count))
    return first, later


def seconds_of_numpy(rules: Rules, times: int) -> list[float]:
    """Seconds of first replies by the yardstick, after checking that it agrees."""
    rng, position = Random(7), Position(rules, (), LiveSets())
    took = []
    for _ in range(times):
        guess = code_at(rng.randrange(rules.size), rules)
        start = time.perf_counter()
        reply = numpy_reply(position.candidates, guess)
        took.append(time.perf_counter() - start)
        assert reply == Evil().reply(position, guess)
    return took


def seconds_of_one(rules: Rules, times: int) -> list[float]:
    """Seconds of one and the same reply: what varies here is the machine."""
    live_sets, guess, took = LiveSets(), code_at(rules.size // 3, rules), []
    for _ in range(times):
        position = Position(rules, (), live_sets)
        start = time.perf_counter()
        Evil().reply(position, guess)
        took.append(time.perf_counter() - start)
    return took


def show(label: str, took: list[float]) -> None:
    """A row of the table."""
    median, p99 = np.percentile(took, [50, 99]) * 1e6
    print(f"{label:<28}{len(took):>8}{median:>12.1f}{p99:>12.1f}")


def main() -> None:
    """Print a row a kind of reply."""
    print(f"{'microseconds a reply':<28}{'replies':>8}{'p50':>12}{'p99':>12}")
    for rules, games, plain in [(Rules(4, 6), 2000, 300), (Rules(6, 10), 150, 10)]:
        seconds_of_games(rules, 2, 9, seed=0)
        first, later = seconds_of_games(rules, games, 12, seed=1)
        yardstick = seconds_of_numpy(rules, plain)
        show(f"{rules} first", first)
        show(f"{rules} later", later)
        if rules.size < 10_000:
            show(f"{rules} the same again", seconds_of_one(rules, times=5000))
        show(f"{rules} first, plain numpy", yardstick)
        print(f"{rules} first: {np.median(yardstick) / np.median(first):.0f} times as fast as plain numpy")


if __name__ == "__main__":
    main()
