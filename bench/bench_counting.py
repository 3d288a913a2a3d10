"""The time to count the parts of a guess on large rules, next to the plain definition doing the same.

Evil games of random, distinct, paired and one-color guesses, every turn until one code is left; one core.
Run: python bench/bench_counting.py
"""

import resource
import time
from collections import Counter
from collections.abc import Callable
from itertools import product
from random import Random

import numpy as np

from evilpegs_game.counting.first_guess import first_part_sizes
from evilpegs_game.counting.part_counts import DEFAULT_BYTES, count_parts
from evilpegs_game.feedback import Feedback, feedback, feedback_number, feedbacks
from evilpegs_game.live.live_sets import DEFAULT_BYTES as LIST_BYTES
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

GAMES = {"4x6": 20, "6x10": 20, "8x10": 20, "10x12": 6, "12x14": 2}
"""Games of each sort of guess; the largest rules last, because peak memory never falls."""
TARGETS = {"8x10": "p99 5 ms", "10x12": "p99 150 ms, 256 MiB", "12x14": "p99 2000 ms"}
MOST_TURNS = 32


def guess_of(sort: str, rules: Rules, rng: Random) -> tuple[int, ...]:
    """A guess of a sort: random, or of so many colors in equal shares."""
    if sort == "random":
        return tuple(rng.choices(range(rules.colors), k=rules.pegs))
    few = {"distinct": rules.pegs, "paired": (rules.pegs + 1) // 2, "one color": 1}[sort]
    code = (rng.sample(range(rules.colors), few) * rules.pegs)[: rules.pegs]
    rng.shuffle(code)
    return tuple(code)


def shapes(pegs: int, colors: int, most: int = 16) -> list[tuple[int, ...]]:
    """Return the counts of the colors of a guess in falling order: all partitions of the pegs."""
    if not pegs:
        return [()]
    firsts = range(min(pegs, most), 0, -1) if colors else ()
    return [(first, *rest) for first in firsts for rest in shapes(pegs - first, colors - 1, first)]


def timed(count: Callable[[], tuple[int, ...]]) -> tuple[float, tuple[int, ...]]:
    """Milliseconds of this thread, and the sizes."""
    start = time.thread_time()
    sizes = count()
    return (time.thread_time() - start) * 1e3, sizes


def game(rules: Rules, sort: str, rng: Random, max_bytes: int) -> list[float]:
    """Milliseconds of each turn of an evil game to its end, the way a server's codemaker comes to the sizes."""
    live_sets = LiveSets(max(max_bytes, LIST_BYTES), max_bytes)
    table = live_sets.feedback_table(rules)
    if table is not None:
        table.complete()  # as a server does when it starts
    history, took = (), []
    for _ in range(MOST_TURNS):
        guess = guess_of(sort, rules, rng)
        position = Position(rules, history, live_sets)
        milliseconds, sizes = timed(lambda position=position, guess=guess: position.part_sizes(guess))
        took.append(milliseconds)
        index = int(np.argmax(sizes[:-1]))
        if sizes[index] <= 1:
            break
        history = (*history, (guess, feedbacks(rules.pegs)[index]))
    return took


def plain_milliseconds(rules: Rules, guess: tuple[int, ...]) -> float:
    """The yardstick: every code, one by one, after checking that it agrees."""
    start = time.thread_time()
    counts = Counter(feedback(guess, code) for code in product(range(rules.colors), repeat=rules.pegs))
    took = (time.thread_time() - start) * 1e3
    sizes = count_parts(rules, (), guess).sizes
    assert all(sizes[feedback_number(reply, rules.pegs)] == size for reply, size in counts.items())
    return took


def peak_mebibytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def show(label: str, took: list[float], target: str = "") -> None:
    """A row of the table."""
    median, p99 = np.percentile(took, [50, 99])
    figures = f"{median:>10.2f}{p99:>10.2f}{max(took):>10.2f}{peak_mebibytes():>9}"
    print(f"{label:<22}{len(took):>6}{figures}   {target}", flush=True)


def cached(rules: Rules, rng: Random, repeats: int = 400) -> list[float]:
    """Milliseconds of a reply that is known from the same opening in other colors on other pegs."""
    live_sets, took = LiveSets(), []
    history = tuple((guess_of("random", rules, rng), reply) for reply in [Feedback(1, 3), Feedback(2, 3)])
    asked = guess_of("random", rules, rng)
    live_sets.part_sizes(rules, history, asked)
    for _ in range(repeats):
        colors, pegs = (rng.sample(range(count), count) for count in (rules.colors, rules.pegs))
        *guesses, guess = [tuple(colors[code[peg]] for peg in pegs) for code in (*(code for code, _ in history), asked)]
        image = tuple((code, reply) for code, (_, reply) in zip(guesses, history, strict=True))
        took.append(timed(lambda image=image, guess=guess: live_sets.part_sizes(rules, image, guess))[0])
    return took


def compile_all() -> None:
    """Every kernel once: looked up, counted, listed, selected."""
    LiveSets().part_sizes(Rules(4, 6), (), (0, 0, 1, 2))
    Position(Rules(4, 6), (((0, 0, 1, 2), Feedback(1, 1)),), LiveSets()).part_sizes((0, 1, 2, 3))
    rules, live_sets = Rules(8, 10), LiveSets()
    guess, other = (0, 1, 2, 3, 4, 5, 6, 7), (0, 1, 2, 3, 4, 5, 7, 6)
    history = ((guess, Feedback(4, 2)), (other, Feedback(4, 2)), (guess[::-1], Feedback(1, 5)))
    for turns in range(4):
        live_sets.part_sizes(rules, history[:turns], other)
    live_sets.get(rules, history)


def main() -> None:
    """Print first replies of every shape, whole games, and the yardstick."""
    compile_all()
    print(f"{'milliseconds a reply':<22}{'turns':>6}{'p50':>10}{'p99':>10}{'max':>10}{'MiB':>9}   target")
    for name in ["4x6", "6x10", "8x10", "10x12"]:
        rules = Rules.parse(name)
        codes = [tuple(np.repeat(range(len(shape)), shape).tolist()) for shape in shapes(rules.pegs, rules.colors)]
        took = [timed(lambda code=code, rules=rules: first_part_sizes(rules, code))[0] for code in codes]
        show(f"{name} first, shapes", took, "5 ms")
    show("10x12 from cache", cached(Rules(10, 12), Random(1)), "0.05 ms")
    for name, games in GAMES.items():
        rules, rng = Rules.parse(name), Random(1)
        max_bytes = 2 << 30 if name == "12x14" else DEFAULT_BYTES
        sorts = ["random", "distinct", "paired", "one color"]
        took = [turn for sort in sorts for _ in range(games) for turn in game(rules, sort, rng, max_bytes)]
        show(f"{name} games", took, TARGETS.get(name, ""))
    rules, guess = Rules(6, 10), (0, 0, 1, 1, 2, 3)
    plain = plain_milliseconds(rules, guess)
    fast = np.median([timed(lambda: first_part_sizes(rules, guess))[0] for _ in range(50)])
    print(f"{rules} first: {fast:.2f} ms, plain definition {plain:.0f} ms: {plain / fast:,.0f} times as fast")


if __name__ == "__main__":
    main()
