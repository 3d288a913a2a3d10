"""Measure the evaluation of criteria and of strategies against every secret: medians of five warm runs.

Two references run beside them: a plain loop of a million interpreter steps and, on the smallest rules, a plain
evaluation that computes a table of all part sizes at every turn. Run: python bench/bench_evaluate.py
"""

import resource
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from statistics import median

from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import seeded_choice
from evilpegs_game.codes import column_code, parse_code
from evilpegs_game.evaluation.exact import evaluate
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.feedback import Feedback
from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, MINIMAX, Criterion
from evilpegs_game.guessing.selection import best_guess, best_guess_at, guessed_color_mask
from evilpegs_game.history import Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.partition import part_size_table
from evilpegs_game.rules import Rules

CLASSIC = Rules(4, 6)
ROUNDS = 5
EVALUATIONS = [
    ("4x6", MINIMAX, 1, 0.004),
    ("4x10-distinct", ENTROPY, 1, 0.15),
    ("5x8", MINIMAX, 1, None),
    ("5x8", MINIMAX, 2, 1.2),
    ("6x6", MINIMAX, 2, 5.0),
]
"""Rules, criterion, threads, and the seconds allowed."""

MOVE_RULES = Rules(6, 10)
MOVE_HISTORY = (("112234", "0,1"), ("567891", "1,1"))
MOVE_BOUND = 2.0


def plain_loop() -> int:
    """Run a million steps of the interpreter."""
    total = 0
    for step in range(1_000_000):
        total += step & 3
    return total


def plain_guess(position: Position, criterion: Criterion):
    """Return the best guess according to the table of part sizes of every code."""
    if position.count <= 2:
        return position.first_candidate
    table = part_size_table(position.candidates, position.all_codes)
    best = criterion.best(table)
    candidates = best[table[-1, best] > 0]
    return column_code(position.all_codes, int((candidates if candidates.size else best)[0]))


def measure_times(run: Callable[[], object]) -> tuple[float, float]:
    """Return the median wall-clock and processor seconds of a run, after one run to warm up."""
    run()
    walls, works = [], []
    for _ in range(ROUNDS):
        wall, work = time.perf_counter(), time.process_time()
        run()
        walls.append(time.perf_counter() - wall)
        works.append(time.process_time() - work)
    return median(walls), median(works)


def print_row(
    name: str, threads: int, total: object, times: tuple[float, float], loop: float, bound: float | None
) -> None:
    wall, work = (1000 * seconds for seconds in times)
    limit = "" if bound is None else f"{1000 * bound:>9,.0f}"
    print(f"{name:<42}{threads:>3}{total:>9}{wall:>11,.2f}{work:>11,.2f}{work / (1000 * loop):>9.2f}{limit}")


def run_evaluations(loop: float) -> None:
    """Evaluate criteria against every secret."""
    for text, criterion, threads, bound in EVALUATIONS:
        rules = Rules.parse(text)
        distribution = evaluate_heuristic(rules, criterion, threads=threads)
        total = sum(guesses * codes for guesses, codes in enumerate(distribution, 1))
        times = measure_times(lambda rules=rules, c=criterion, t=threads: evaluate_heuristic(rules, c, threads=t))
        print_row(f"{text} {criterion.name}, all secrets", threads, total, times, loop, bound)


def run_guesses(loop: float) -> None:
    """Choose single guesses at a large live set."""
    history = tuple(Turn(parse_code(code, MOVE_RULES), Feedback.parse(reply)) for code, reply in MOVE_HISTORY)
    position = Position(MOVE_RULES, history, LiveSets())
    live, guessed = position.candidates, guessed_color_mask(history)
    for criterion in (MINIMAX, EXPECTED_SIZE, ENTROPY):
        bound = MOVE_BOUND if criterion is MINIMAX else None
        name = f"{MOVE_RULES} {criterion.name}, a guess at {position.count:,}"
        print_row(name, 1, "", measure_times(lambda c=criterion: best_guess(position, c)), loop, bound)
    measure = MINIMAX.measure(position.count)
    with ThreadPoolExecutor(2) as threads:
        times = measure_times(lambda: best_guess_at(live, MOVE_RULES, guessed, measure, False, threads))
    print_row(f"{MOVE_RULES} minimax, a guess at {position.count:,}", 2, "", times, loop, MOVE_BOUND)


def run_strategies(loop: float) -> None:
    """Evaluate every strategy by calling it at every turn."""
    for name in STRATEGIES:
        choose = seeded_choice(load_strategy(name))
        total = evaluate(choose, CLASSIC).total
        times = measure_times(lambda choose=choose: evaluate(choose, CLASSIC))
        print_row(f"{CLASSIC} {name}, asked", 1, total, times, loop, None)


def main() -> None:
    """Print one row per run."""
    loop, _ = measure_times(plain_loop)
    print(f"a plain loop of 10^6 steps takes {1000 * loop:.1f} ms")
    print(f"{'run':<42}{'on':>3}{'total':>9}{'ms':>11}{'cpu ms':>11}{'loops':>9}{'may take':>9}")
    run_evaluations(loop)
    run_guesses(loop)
    run_strategies(loop)
    times = measure_times(lambda: evaluate(lambda position: plain_guess(position, MINIMAX), CLASSIC))
    print_row(f"{CLASSIC} minimax, plain evaluation", 1, "", times, loop, None)
    compiled = measure_times(lambda: evaluate_heuristic(CLASSIC, MINIMAX))
    print(f"{times[1] / compiled[1]:.1f} times as long as compiled {CLASSIC} minimax")
    print(f"memory: at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB for all of it")


if __name__ == "__main__":
    main()
