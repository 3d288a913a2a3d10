"""Measure the time to count the parts of a guess on large rules, beside the plain definition of a count.

There are evil games of random, distinct, paired and one-color guesses, every turn until one code is left, on one core.
Then the canonical key of a history is timed, conversions and symmetry included, by number of guesses. Histories are of
two kinds: guesses drawn from all codes, each with the feedback of one secret; and cyclic shifts of one guess, all with
the same feedback, which are about the most alike that guesses can be.

    python -m bench.counting [--rules 8x10 10x12] [--share 1] [--histories 2000]
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable
from itertools import product
from random import Random

import numpy as np

from bench.command import Option, run_alone
from bench.figures import Figure
from bench.timing import peak_mebibytes, percentiles, seconds_of
from evilpegs_game.codes import Code, code_at
from evilpegs_game.counting.first_guess import first_part_sizes
from evilpegs_game.counting.part_counts import count_parts
from evilpegs_game.feedback import Feedback, feedback, feedback_number, feedbacks
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.history_key import history_key

GAMES = {"4x6": 20, "6x10": 20, "8x10": 20, "10x12": 6, "12x14": 2}
"""Games of each sort of guess; the largest rules last, because peak memory never falls."""
WANTED_MS = {"8x10": 5.0, "10x12": 150.0, "12x14": 700.0}
"""The p99 that is wanted of the replies of games, in milliseconds."""
WANTED_MEBIBYTES = {"10x12": 256.0}
FIRST_MS, CACHED_MS, KEY_US = 5.0, 0.05, 50.0
OPTIONS = (
    Option("rules", list(GAMES), ["4x6", "6x10"], "the rules of the games", choices=list(GAMES)),
    Option("share", 1.0, 0.05, "share of the usual number of games"),
    Option("histories", 2000, 20, "histories of each kind whose keys are timed"),
)
MOST_TURNS = 32


def guess_of(sort: str, rules: Rules, rng: Random) -> tuple[int, ...]:
    """Return a guess of a sort: random, or of a number of colors in equal shares."""
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
    """Return the milliseconds of this thread, and the sizes."""
    start = time.thread_time()
    sizes = count()
    return (time.thread_time() - start) * 1e3, sizes


def game(rules: Rules, sort: str, rng: Random) -> list[float]:
    """Return the milliseconds of each turn of an evil game to its end, with sizes from the caches of a server."""
    live_sets = LiveSets()
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


def plain_milliseconds(rules: Rules, guess: Code) -> float:
    """Return the milliseconds of counting every code one by one; check that the counts agree."""
    start = time.thread_time()
    counts = Counter(feedback(guess, code) for code in product(range(rules.colors), repeat=rules.pegs))
    took = (time.thread_time() - start) * 1e3
    sizes = count_parts(rules, (), guess).sizes
    assert all(sizes[feedback_number(reply, rules.pegs)] == size for reply, size in counts.items())
    return took


def show(label: str, took: list[float]) -> float:
    """Print a row and return the p99."""
    median, p99 = percentiles(took, 50, 99)
    print(f"{label:<22}{len(took):>6}{median:>10.2f}{p99:>10.2f}{max(took):>10.2f}{peak_mebibytes():>9}", flush=True)
    return p99


def cached(rules: Rules, rng: Random, repeats: int = 400) -> list[float]:
    """Return the milliseconds of replies known from the same history in other colors on other pegs."""
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
    """Use every kernel once: looked up, counted, listed, selected."""
    LiveSets().part_sizes(Rules(4, 6), (), (0, 0, 1, 2))
    Position(Rules(4, 6), (((0, 0, 1, 2), Feedback(1, 1)),), LiveSets()).part_sizes((0, 1, 2, 3))
    rules, live_sets = Rules(8, 10), LiveSets()
    guess, other = (0, 1, 2, 3, 4, 5, 6, 7), (0, 1, 2, 3, 4, 5, 7, 6)
    history = ((guess, Feedback(4, 2)), (other, Feedback(4, 2)), (guess[::-1], Feedback(1, 5)))
    for turns in range(4):
        live_sets.part_sizes(rules, history[:turns], other)
    live_sets.get(rules, history)


def measure_first_guesses() -> list[Figure]:
    """Count the parts of first guesses of every shape."""
    figures = []
    for name in ["4x6", "6x10", "8x10", "10x12"]:
        rules = Rules.parse(name)
        codes = [tuple(np.repeat(range(len(shape)), shape).tolist()) for shape in shapes(rules.pegs, rules.colors)]
        took = [timed(lambda code=code, rules=rules: first_part_sizes(rules, code))[0] for code in codes]
        figures.append(Figure(f"count of a first guess on {name}, p99", show(f"{name} first", took), "ms", FIRST_MS))
    return figures


def measure_games(name: str, share: float) -> list[Figure]:
    """Play evil games with every sort of guess, a share of the usual number."""
    rules, rng, games = Rules.parse(name), Random(1), max(1, round(GAMES[name] * share))
    sorts = ["random", "distinct", "paired", "one color"]
    took = [turn for sort in sorts for _ in range(games) for turn in game(rules, sort, rng)]
    p99, figures = show(f"{name} games", took), []
    if name in WANTED_MS:
        figures.append(Figure(f"count of a reply on {name}, p99", p99, "ms", WANTED_MS[name]))
    if name in WANTED_MEBIBYTES:
        figures.append(Figure(f"peak memory after games on {name}", peak_mebibytes(), "MiB", WANTED_MEBIBYTES[name]))
    return figures


def show_plain_count() -> None:
    """Print how much faster a count is than its plain definition."""
    rules, guess = Rules(6, 10), (0, 0, 1, 1, 2, 3)
    plain = plain_milliseconds(rules, guess)
    fast = np.median([timed(lambda: first_part_sizes(rules, guess))[0] for _ in range(50)])
    print(f"{rules} first: {fast:.2f} ms, plain definition {plain:.0f} ms: {plain / fast:,.0f} times as fast")


def drawn(rules: Rules, guesses: int, rng: Random) -> list[tuple[Code, Feedback]]:
    """Return turns of a player who guesses at random."""
    secret, *codes = (code_at(rng.randrange(rules.size), rules) for _ in range(guesses + 1))
    return [(code, feedback(code, secret)) for code in codes]


def shifted(rules: Rules, guesses: int, rng: Random) -> list[tuple[Code, Feedback]]:
    """Return turns that are nearly alike."""
    colors = rng.sample(range(rules.colors), rules.pegs)
    return [(tuple(colors[shift:] + colors[:shift]), Feedback(0, rules.pegs)) for shift in range(guesses)]


def measure_keys(histories: int) -> list[Figure]:
    """Time the keys of histories of each number of guesses on three rules."""
    history_key(Rules(4, 6), [((0, 0, 1, 1), Feedback(1, 0))])
    print(f"\n{'microseconds per key':<22}{'guesses':>8}{'drawn p50':>12}{'p99':>8}{'shifted p50':>14}{'p99':>8}")
    slowest = 0.0
    for rules, guesses in product((Rules(8, 10), Rules(10, 12), Rules(12, 14)), range(1, 9)):
        rng, row = Random(guesses), []
        for make in (drawn, shifted):
            made = [make(rules, guesses, rng) for _ in range(histories)]
            took = [seconds_of(lambda turns=turns, rules=rules: history_key(rules, turns)) * 1e6 for turns in made]
            row += percentiles(took, 50, 99)
        slowest = max(slowest, row[1])
        print("{!s:<22}{:>8}{:>12.1f}{:>8.1f}{:>14.1f}{:>8.1f}".format(rules, guesses, *row))
    return [Figure("canonical key of drawn guesses, slowest p99", slowest, "us", KEY_US)]


def measure(options: argparse.Namespace) -> list[Figure]:
    """Time first guesses of every shape, replies from the cache, whole games, the plain definition, and keys."""
    compile_all()
    print(f"{'milliseconds a reply':<22}{'turns':>6}{'p50':>10}{'p99':>10}{'max':>10}{'MiB':>9}")
    figures = measure_first_guesses()
    p99 = show("10x12 from cache", cached(Rules(10, 12), Random(1)))
    figures.append(Figure("reply on 10x12 from the cache, p99", p99, "ms", CACHED_MS))
    for name in options.rules:
        figures += measure_games(name, options.share)
    show_plain_count()
    return figures + measure_keys(options.histories)


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
