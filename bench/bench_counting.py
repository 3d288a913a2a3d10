"""How long counting the parts of a guess takes on large rules, next to the plain definition doing the same.

Evil games of random, distinct, paired and one-color guesses, each turn counted from scratch, in seconds of one core.
Run: python bench/bench_counting.py
"""

import resource
import time
from collections import Counter
from itertools import product
from random import Random

import numpy as np

from evilpegs_game.counting import DEFAULT_BYTES, PartCount, count_parts
from evilpegs_game.feedback import all_black, feedback, feedback_number, feedbacks
from evilpegs_game.first_guess import first_parts
from evilpegs_game.rules import Rules

GAMES = {"4x6": 20, "6x10": 20, "8x10": 20, "10x12": 4, "12x14": 1}
"""Games of each sort of guess; the largest rules last, because peak memory never falls."""
TARGETS = {"8x10": "p99 5 ms", "10x12": "p99 150 ms, 256 MiB", "12x14": "p99 2000 ms"}
MOST_TURNS = 16


def guess_of(sort: str, rules: Rules, rng: Random) -> tuple[int, ...]:
    """A guess of a sort: random, or of so many colors in equal shares."""
    if sort == "random":
        return tuple(rng.choices(range(rules.colors), k=rules.pegs))
    few = {"distinct": rules.pegs, "paired": (rules.pegs + 1) // 2, "one color": 1}[sort]
    code = (rng.sample(range(rules.colors), few) * rules.pegs)[: rules.pegs]
    rng.shuffle(code)
    return tuple(code)


def shapes(pegs: int, colors: int, most: int = 16) -> list[tuple[int, ...]]:
    """How often the colors of a guess occur, in falling order: all partitions of the pegs into so many at most."""
    if not pegs:
        return [()]
    firsts = range(min(pegs, most), 0, -1) if colors else ()
    return [(first, *rest) for first in firsts for rest in shapes(pegs - first, colors - 1, first)]


def timed(rules: Rules, history: tuple, guess: tuple[int, ...], max_bytes: int) -> tuple[float, PartCount]:
    """Milliseconds of this thread, and the count: the way an evil codemaker comes to it while live sets are large."""
    start = time.thread_time()
    counted = count_parts(rules, history, guess, max_bytes) if history else PartCount(first_parts(rules, guess), 0)
    return (time.thread_time() - start) * 1e3, counted


def game(rules: Rules, sort: str, rng: Random, least: int, max_bytes: int) -> list[tuple[float, int]]:
    """Milliseconds and work of each turn of an evil game, until the largest part falls under ``least``."""
    history, took = (), []
    for _ in range(MOST_TURNS):
        guess = guess_of(sort, rules, rng)
        milliseconds, counted = timed(rules, history, guess, max_bytes)
        took.append((milliseconds, counted.work))
        place = int(np.argmax(counted.sizes[:-1]))
        given = feedbacks(rules.pegs)[place]
        if counted.sizes[place] < least or given == all_black(rules.pegs):
            break
        history = (*history, (guess, given))
    return took


def plain_milliseconds(rules: Rules, guess: tuple[int, ...]) -> float:
    """The yardstick: every code, one by one, after checking that it agrees."""
    start = time.thread_time()
    counts = Counter(feedback(guess, code) for code in product(range(rules.colors), repeat=rules.pegs))
    took = (time.thread_time() - start) * 1e3
    sizes = count_parts(rules, (), guess).sizes
    assert all(sizes[feedback_number(given, rules.pegs)] == size for given, size in counts.items())
    return took


def peak_mebibytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def show(label: str, took: list[tuple[float, int]], target: str = "") -> None:
    """A row of the table."""
    milliseconds, work = np.array(took).T
    median, p99 = np.percentile(milliseconds, [50, 99])
    figures = f"{median:>10.2f}{p99:>10.2f}{milliseconds.max():>10.2f}{int(work.max()):>13,}{peak_mebibytes():>9}"
    print(f"{label:<22}{len(took):>6}{figures}   {target}", flush=True)


def main() -> None:
    """Print first replies of every shape, whole games, and the yardstick."""
    count_parts(Rules(4, 6), (), (0, 0, 1, 2))  # compile
    first_parts(Rules(4, 6), (0, 0, 1, 2))
    print(
        f"{'milliseconds a count':<22}{'turns':>6}{'p50':>10}{'p99':>10}{'max':>10}{'most work':>13}{'MiB':>9}   target"
    )
    for name in ["4x6", "6x10", "8x10", "10x12"]:
        rules = Rules.parse(name)
        codes = [np.repeat(range(len(shape)), shape).tolist() for shape in shapes(rules.pegs, rules.colors)]
        show(
            f"{name} first, shapes", [_figures(timed(rules, (), tuple(code), DEFAULT_BYTES)) for code in codes], "5 ms"
        )
    for name, games in GAMES.items():
        rules, rng, largest = Rules.parse(name), Random(1), name == "12x14"
        least, max_bytes = (10**6, 2 << 30) if largest else (10**5, DEFAULT_BYTES)
        took = []
        for sort in ["random", "distinct", "paired", "one color"]:
            for _ in range(games):
                took += game(rules, sort, rng, least, max_bytes)
        show(f"{name} games", took, TARGETS.get(name, ""))
    rules, guess = Rules(6, 10), (0, 0, 1, 1, 2, 3)
    plain = plain_milliseconds(rules, guess)
    fast = np.median([timed(rules, (), guess, DEFAULT_BYTES)[0] for _ in range(50)])
    print(f"{rules} first: {fast:.2f} ms, plain definition {plain:.0f} ms: {plain / fast:,.0f} times as fast")


def _figures(measured: tuple[float, PartCount]) -> tuple[float, int]:
    return measured[0], measured[1].work


if __name__ == "__main__":
    main()
