"""Measure the evaluation of criteria and of strategies against every secret, and of the luck of games.

Evaluations are medians of warm runs that take turns with a plain loop of a million interpreter steps. An evaluation
decides feedbacks, of every guess with every candidate at each live set; a loop that computes each of them says how many
of them are never computed, and the searches, called one by one, are timed by the sizes of their live sets. On the
smallest rules an evaluation by numpy alone runs beside them, and a plain program in C takes turns with two of them. The
luck of games is timed with warm live sets, as after the replies of a server, and with none.

    python -m bench.evaluation [--rounds 5] [--luck 4x6 10x12]
"""

import argparse
import shutil
import subprocess
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.command import ROOT, MissingProgramError, Option, run_alone
from bench.figures import Figure
from bench.timing import Times, peak_mebibytes, seconds_of, times_beside_loop
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import draw_secret, game_seed, seeded_choice
from evilpegs_game.codemakers.codemaker import Fixed
from evilpegs_game.codes import Code, all_codes, column_code, parse_code
from evilpegs_game.evaluation.exact import distribution_from, play_turns, walk_tree
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.feedback import Feedback, Turn
from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, MINIMAX, Criterion
from evilpegs_game.guessing.guess_rows import MAX_CODES
from evilpegs_game.guessing.plain import plain_best_guess
from evilpegs_game.guessing.selection import best_guess, best_guess_at, guessed_color_mask
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import ValueCurve, game_luck, load_value_curve
from evilpegs_game.partition import feedback_numbers
from evilpegs_game.rules import Rules

CLASSIC = Rules(4, 6)
EVALUATIONS = [
    ("4x6", MINIMAX, 1, 0.0012),
    ("4x10-distinct", ENTROPY, 1, 0.04),
    ("5x8", MINIMAX, 1, 0.28),
    ("5x8", MINIMAX, 2, 0.4),
    ("6x6", MINIMAX, 2, 5.0),
]
"""Rules, criterion, threads, and the most seconds wanted."""

LIVE_SETS = [8, 64, MAX_CODES]
"""The most codes of the live sets whose searches are counted together."""

MOVE_RULES = Rules(6, 10)
MOVE_HISTORY = (("112234", "0,1"), ("567891", "1,1"))
MOVE_SECONDS = 2.0
PLAIN_RATIO = 30.0
"""The least ratio wanted of a plain evaluation to a compiled one."""
PLAIN_C_RATIOS = {"4x6": 4.0, "5x8": 14.0}
"""The least ratio wanted of the program in C to an evaluation by minimax, by rules."""

LUCK_GAMES = {
    "4x6": (10, 100),
    "4x10-distinct": (12, 50),
    "5x8": (14, 20),
    "6x10": (20, 5),
    "8x10": (24, 5),
    "10x12": (24, 3),
}
"""The guess limit and the number of games of each rules."""
WARM_LUCK_MS, EMPTY_LUCK_MS = {"4x6": 0.1}, {"10x12": 200.0}
"""The most milliseconds wanted of the luck of a game: median with warm live sets, most with none."""
OPTIONS = (
    Option("rounds", 5, 1, "runs of each evaluation"),
    Option("luck", list(LUCK_GAMES), ["4x6", "5x8"], "rules on which luck is timed", choices=list(LUCK_GAMES)),
)


def plain_guess(position: Position, criterion: Criterion) -> Code:
    """Return the best guess by numpy alone."""
    if position.count <= 2:
        return position.first_candidate
    return plain_best_guess(position.candidates, position.all_codes, criterion)


def show(name: str, threads: int, total: object, times: Times, seconds: float | None = None) -> list[Figure]:
    """Print a row, and return its figure if a most time is wanted."""
    wall, processor = 1000 * times.wall, 1000 * times.processor
    print(f"{name:<42}{threads:>3}{total:>9}{wall:>11,.2f}{processor:>11,.2f}{times.loops:>9.2f}", flush=True)
    on = f"{threads} thread" + "s" * (threads > 1)
    return [] if seconds is None else [Figure(f"{name}, {on}", wall, "ms", 1000 * seconds)]


def show_evaluation(
    name: str, threads: int, evaluate: Callable[[], Sequence[int]], rounds: int, seconds: float | None = None
) -> list[Figure]:
    """Time an evaluation, which returns the number of codes by guesses; print its row and return its figure."""
    found: list[Sequence[int]] = []
    times = times_beside_loop(lambda: found.append(evaluate()), rounds)
    total = sum(guesses * codes for guesses, codes in enumerate(found[-1], 1))
    return show(name, threads, total, times, seconds)


def run_evaluations(rounds: int) -> list[Figure]:
    """Evaluate criteria against every secret."""
    figures = []
    for text, criterion, threads, seconds in EVALUATIONS:
        rules = Rules.parse(text)
        run = partial(evaluate_heuristic, rules, criterion, threads=threads)
        found = show_evaluation(f"{text} {criterion.name}, all secrets", threads, run, rounds, seconds)
        figures += found
        if threads == 1:
            feedbacks, shares = decided(rules, criterion)
            rate, computed = feedbacks / found[0].value * 1e3, feedbacks_computed(rules)
            print(f"  {rate / 1e9:,.1f} billion feedbacks decided per second, {computed / 1e9:,.2f} computed by a loop")
            print(f"  searches at live sets of {', '.join(shares)}")
    return figures


def decided(rules: Rules, criterion: Criterion) -> tuple[int, list[str]]:
    """Return how many feedbacks an evaluation decides, and how its searches share their time.

    It decides those of every code with every candidate, where there are three candidates or more. Searches are called
    one by one here, so those at small live sets take more of the time than in the evaluation.
    """
    spent, searches, feedbacks = Counter[int](), Counter[int](), 0

    def choose(position: Position) -> Code:
        nonlocal feedbacks
        guesses = list[Code]()
        seconds = seconds_of(lambda: guesses.append(best_guess(position, criterion)))
        if position.count > 2:
            kind = bisect_left(LIVE_SETS, position.count)
            spent[kind] += round(1e9 * seconds)
            searches[kind] += 1
            feedbacks += rules.size * position.count
        return guesses[0]

    for _ in range(2):  # the first time loads the kernels
        spent.clear()
        searches.clear()
        feedbacks = 0
        deque(walk_tree(choose, Position(rules, (), LiveSets())), maxlen=0)
    names = [f"up to {size:,} codes" for size in LIVE_SETS] + ["more codes"]
    return feedbacks, [
        f"{names[kind]} ({searches[kind]:,}) {spent[kind] / spent.total():.0%}" for kind in sorted(searches)
    ]


def feedbacks_computed(rules: Rules, guesses: int = 200) -> float:
    """Return how many feedbacks per second a loop over all codes computes on one core."""
    codes = all_codes(rules)
    chosen = [column_code(codes, i * (rules.size // guesses)) for i in range(guesses)]
    return guesses * rules.size / seconds_of(lambda: [feedback_numbers(codes, guess) for guess in chosen])


def run_guesses(rounds: int) -> list[Figure]:
    """Choose single guesses at a large live set."""
    history = tuple(Turn(parse_code(code, MOVE_RULES), Feedback.parse(reply)) for code, reply in MOVE_HISTORY)
    position, figures = Position(MOVE_RULES, history, LiveSets()), []
    live, guessed = position.candidates, guessed_color_mask(history)
    for criterion in (MINIMAX, EXPECTED_SIZE, ENTROPY):
        times = times_beside_loop(partial(best_guess, position, criterion), rounds)
        name = f"{MOVE_RULES} {criterion.name}, a guess at {position.count:,}"
        figures += show(name, 1, "", times, MOVE_SECONDS if criterion is MINIMAX else None)
    part_measure = MINIMAX.measure(position.count)
    with ThreadPoolExecutor(2) as threads:
        run = partial(best_guess_at, live, MOVE_RULES, guessed, part_measure, False, threads)
        times = times_beside_loop(run, rounds)
    return figures + show(f"{MOVE_RULES} minimax, a guess at {position.count:,}", 2, "", times, MOVE_SECONDS)


def run_strategies(rounds: int) -> None:
    """Evaluate every strategy by calling it at every turn."""
    for name in STRATEGIES:
        choose = seeded_choice(load_strategy(name))
        run = partial(distribution_from, choose, CLASSIC)
        show_evaluation(f"{CLASSIC} {name}, called", 1, run, rounds)


def compare_with_plain_evaluation(rounds: int) -> Figure:
    """Return the ratio of a plain evaluation to a compiled one."""
    run = partial(distribution_from, lambda position: plain_guess(position, MINIMAX), CLASSIC)
    plain = times_beside_loop(run, rounds)
    show(f"{CLASSIC} minimax, plain evaluation", 1, "", plain)
    compiled = times_beside_loop(partial(evaluate_heuristic, CLASSIC, MINIMAX), rounds)
    ratio = plain.loops / compiled.loops
    return Figure(f"plain evaluation of {CLASSIC} minimax / compiled", ratio, "", PLAIN_RATIO, "at least")


def compare_with_c(compiler: str, rounds: int) -> list[Figure]:
    """Return the ratios of plain_minimax.c to evaluations by minimax, of which both say the guesses of all games."""
    figures = []
    with TemporaryDirectory() as folder:
        program = Path(folder, "plain_minimax")
        source = ROOT / "bench" / "plain_minimax.c"
        subprocess.run([compiler, "-O3", "-march=native", "-o", program, source], check=True)
        for text, wanted in PLAIN_C_RATIOS.items():
            rules, plain, own, totals = Rules.parse(text), list[float](), list[float](), set[int]()
            for _ in range(rounds):
                printed = subprocess.run([program, *text.split("x")], check=True, capture_output=True, text=True).stdout
                totals.add(int(printed.split()[0]))
                plain.append(float(printed.split()[1]))
                found = list[Sequence[int]]()
                own.append(
                    1e3 * seconds_of(lambda found=found, rules=rules: found.append(evaluate_heuristic(rules, MINIMAX)))
                )
                totals.add(sum(guesses * codes for guesses, codes in enumerate(found[0], 1)))
            assert len(totals) == 1, f"{text}: {totals}"
            print(
                f"{text} minimax, all secrets: {median(plain):,.2f} ms by a plain program in C, {median(own):,.2f} here"
            )
            figures.append(
                Figure(f"program in C on {text} / minimax", median(plain) / median(own), "", wanted, "at least")
            )
    return figures


def play(rules: Rules, number: int) -> list[Turn]:
    """Return the turns of one game of `sampled`."""
    seed = game_seed(0, number)
    choose = seeded_choice(load_strategy("sampled"), seed)
    turns = play_turns(choose, Fixed(draw_secret(seed, rules)), Position(rules, (), LiveSets()))
    return [Turn(turn.guess, turn.feedback) for turn in turns]


def luck_milliseconds(rules: Rules, limit: int, games: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds of the luck of games, with warm live sets and with none."""
    curve = load_value_curve(rules, limit) or ValueCurve(rules, limit, [(1, 10**6), (rules.size, limit * 10**6)])
    played = [play(rules, number) for number in range(games)]
    game_luck(rules, played[0], curve, LiveSets())  # loads the kernels
    warm, empty = [], []
    for turns in played:
        run = partial(game_luck, rules, turns, curve, LiveSets())
        empty.append(1e3 * seconds_of(run))
        warm.append(1e3 * seconds_of(run))
    return warm, empty


def run_luck(names: list[str]) -> list[Figure]:
    """Time the luck of games."""
    figures = []
    print(f"\n{'milliseconds per game':<22}{'games':>6}{'warm':>10}{'empty':>10}{'empty, most':>13}")
    for name in names:
        limit, games = LUCK_GAMES[name]
        warm, empty = luck_milliseconds(Rules.parse(name), limit, games)
        print(f"{name:<22}{games:>6}{median(warm):>10.2f}{median(empty):>10.2f}{max(empty):>13.2f}", flush=True)
        if name in WARM_LUCK_MS:
            figures.append(Figure(f"luck of a game on {name}, warm", median(warm), "ms", WARM_LUCK_MS[name]))
        if name in EMPTY_LUCK_MS:
            figures.append(Figure(f"luck of a game on {name}, empty, most", max(empty), "ms", EMPTY_LUCK_MS[name]))
    return figures


def measure(options: argparse.Namespace) -> list[Figure]:
    """Print one row per run."""
    rounds = options.rounds
    if (compiler := shutil.which("cc")) is None:
        raise MissingProgramError("this needs a compiler; on Debian: apt install gcc libc6-dev")
    print(f"{'run':<42}{'on':>3}{'total':>9}{'ms':>11}{'cpu ms':>11}{'loops':>9}")
    figures = run_evaluations(rounds) + run_guesses(rounds)
    run_strategies(rounds)
    figures.append(compare_with_plain_evaluation(rounds))
    figures += compare_with_c(compiler, rounds)
    print(f"memory: at most {peak_mebibytes()} MiB for all of it")
    return figures + run_luck(options.luck)


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
