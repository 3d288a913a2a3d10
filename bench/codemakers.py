"""Measure how long the codemakers think: evil beside plain numpy, and the devil's first and later replies.

Each reply of evil starts from a history that is new to the codemaker: the live set is computed from that of the turn
before, as in a server. The player keeps live sets of its own. First replies take turns with numpy's.

The devil's solver forgets everything before each reply, as if no game had been played yet; "known" replies come from a
devil that keeps what it has solved, as in a server. The most expensive lines are those that bench/devil_work.py found.

    python -m bench.codemakers [--share 1]
"""

import argparse
import time
from itertools import chain
from random import Random

import numpy as np

from bench.command import Option, run_alone
from bench.figures import Figure
from bench.timing import alternating, percentiles
from evilpegs_game.codemakers.codemaker import Evil
from evilpegs_game.codemakers.devil import Devil
from evilpegs_game.codemakers.worst_case import WorstCase, affordable_codes
from evilpegs_game.codes import Code, Columns, code_at, format_code, parse_code
from evilpegs_game.feedback import all_black
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

EVIL_GAMES = {"4x6": (2000, 300), "6x10": (150, 10)}
"""Games against evil, and first replies by numpy."""
EVIL_GUESSES = 12
EVIL_US = {"4x6": 22.0, "6x10": 990.0}
"""The p99 that is wanted of a reply: a tenth over 20 us and 0.9 ms, which were measured with AVX-512."""
NUMPY_RATIO = {"4x6": 4.0, "6x10": 120.0}
"""The least ratio wanted of numpy's first reply to evil's, which starts with processor caches that numpy has filled."""
DEVIL_GAMES = {"4x6": 100, "4x10-distinct": 20, "5x8": 20}
DEVIL_MS = 1000.0
"""The most that a reply may take, which `affordable_codes` promises."""
WORST_LINES = {"4x6": ("1112",), "3x8": ("111",), "4x5": ("1111",)}
WORST_MS = {"4x6": 200.0}
"""The most that a first reply may take on the rated ladder of devils."""
OPTIONS = (Option("share", 1.0, 0.05, "share of the usual number of games"),)

Replies = dict[str, list[float]]
"""The seconds of replies by their kind."""


def numpy_reply(columns: Columns, guess: Code) -> tuple[int, int]:
    """Return evil's reply from whole-array operations: all feedbacks, then the largest part."""
    black = sum((column == color).astype(np.int64) for column, color in zip(columns, guess, strict=True))
    matches = sum(np.minimum((columns == color).sum(axis=0), guess.count(color)) for color in sorted(set(guess)))
    pegs = len(guess)
    counts = np.bincount(black * (pegs + 1) + matches - black, minlength=(pegs + 1) ** 2)
    if np.count_nonzero(counts) > 1:
        counts[pegs * (pegs + 1)] = 0
    return divmod(int(counts.argmax()), pegs + 1)


def evil_games(rules: Rules, games: int, seed: int) -> Replies:
    """Return the seconds of replies; guesses are drawn from all codes, then from the candidates."""
    rng, players, servers = Random(seed), LiveSets(), LiveSets()
    replies: Replies = {"first": [], "later": []}
    table = servers.feedback_table(rules)
    if table is not None:
        table.complete()  # as a server does when it starts
    for _ in range(games):
        position, guess = Position(rules, (), players), code_at(rng.randrange(rules.size), rules)
        for _ in range(EVIL_GUESSES):
            fresh = Position(rules, position.history, servers)
            start = time.perf_counter()
            reply = Evil().reply(fresh, guess)
            replies["later" if position.history else "first"].append(time.perf_counter() - start)
            if reply == all_black(rules.pegs):
                break
            position = position.after(guess, reply)
            guess = position.candidate(rng.randrange(position.count))
    return replies


def first_replies_beside_numpy(rules: Rules, rounds: int) -> Replies:
    """Return the seconds of first replies by evil and by numpy in turn, after checking that they agree."""
    rng, live_sets = Random(7), LiveSets()
    candidates = Position(rules, (), live_sets).candidates
    guesses = [code_at(rng.randrange(rules.size), rules) for _ in range(rounds)]
    took: Replies = {"evil": [], "numpy": []}
    replies = {"evil": [], "numpy": []}
    for name in alternating(("evil", "numpy"), rounds):
        position, guess = Position(rules, (), live_sets), guesses[len(took[name])]
        start = time.perf_counter()
        reply = Evil().reply(position, guess) if name == "evil" else numpy_reply(candidates, guess)
        took[name].append(time.perf_counter() - start)
        replies[name].append(reply)
    assert replies["evil"] == replies["numpy"]
    return took


def repeated_reply(rules: Rules, times: int) -> list[float]:
    """Return the seconds of one reply again and again: what varies here is the machine."""
    live_sets, guess, took = LiveSets(), code_at(rules.size // 3, rules), []
    for _ in range(times):
        position = Position(rules, (), live_sets)
        start = time.perf_counter()
        Evil().reply(position, guess)
        took.append(time.perf_counter() - start)
    return took


def devil_games(devil: Devil, games: int, seed: int, forget: bool) -> Replies:
    """Return the seconds of replies; guesses are random codes, then random candidates."""
    rules, rng, live_sets = devil.worst_case.rules, Random(seed), LiveSets()
    replies: Replies = {"first": [], "later": []}
    for _ in range(games):
        position, guess = Position(rules, (), live_sets), code_at(rng.randrange(rules.size), rules)
        while not position.history or position.history[-1].feedback != all_black(rules.pegs):
            if forget:
                devil.worst_case.forget()
            start = time.perf_counter()
            reply = devil.reply(position, guess)
            replies["later" if position.history else "first"].append(time.perf_counter() - start)
            position = position.after(guess, reply)
            guess = position.candidate(rng.randrange(position.count))
    return replies


def show(label: str, seconds: list[float]) -> list[float]:
    """Print a row, and return median, p99 and most in microseconds."""
    figures = [1e6 * value for value in percentiles(seconds, 50, 99, 100)]
    print("{:<32}{:>8}{:>14,.1f}{:>14,.1f}{:>14,.1f}".format(label, len(seconds), *figures), flush=True)
    return figures


def measure_evil(name: str, share: float) -> list[Figure]:
    """Time evil's replies on some rules."""
    rules, figures = Rules.parse(name), []
    games, rounds = (max(1, round(number * share)) for number in EVIL_GAMES[name])
    evil_games(rules, 2, seed=0)
    for kind, seconds in evil_games(rules, games, seed=1).items():
        p99 = show(f"evil {rules} {kind}", seconds)[1]
        figures.append(Figure(f"evil's {kind} replies on {rules}, p99", p99, "us", EVIL_US[name]))
    if rules.size < 10_000:
        show(f"evil {rules} one reply repeated", repeated_reply(rules, times=max(1, round(5000 * share))))
    in_turn = first_replies_beside_numpy(rules, rounds)
    medians = {codemaker: show(f"{rules} first, {codemaker} in turn", took)[0] for codemaker, took in in_turn.items()}
    ratio = medians["numpy"] / medians["evil"]
    return [*figures, Figure(f"first reply on {rules}, numpy / evil", ratio, "", NUMPY_RATIO[name], "at least")]


def measure_devil(name: str, share: float) -> Figure:
    """Time the devil's replies on some rules."""
    rules, games = Rules.parse(name), max(1, round(DEVIL_GAMES[name] * share))
    devil = Devil(WorstCase(rules), affordable_codes(rules))
    devil_games(devil, 1, seed=0, forget=True)
    replies = devil_games(devil, games, seed=1, forget=True)
    devil.worst_case.forget()
    replies["known"] = [*chain(*devil_games(devil, games, seed=1, forget=False).values())]
    most = [show(f"devil {rules} up to {devil.exact_up_to} {kind}", took)[2] for kind, took in replies.items()]
    return Figure(f"devil's replies on {rules}, most", max(most) / 1e3, "ms", DEVIL_MS)


def measure_worst_line(name: str) -> list[Figure]:
    """Time each reply in the line of play that takes the most work."""
    rules, figures = Rules.parse(name), []
    devil, position = Devil(WorstCase(rules), rules.size), Position(rules, (), LiveSets())
    for guess in (parse_code(text, rules) for text in WORST_LINES[name]):
        devil.worst_case.forget()
        start = time.perf_counter()
        (reply, *_), _, work = devil.allowed_replies(position, guess)
        took = 1e3 * (time.perf_counter() - start)
        print(f"{rules} {format_code(guess)}: {work:,} feedbacks looked at, {took:.0f} ms")
        if name in WORST_MS:
            figures.append(Figure(f"devil's hardest reply on {rules}", took, "ms", WORST_MS[name]))
        position = position.after(guess, reply)
    return figures


def measure(options: argparse.Namespace) -> list[Figure]:
    """Print one row per kind of reply."""
    print(f"{'microseconds per reply':<32}{'replies':>8}{'p50':>14}{'p99':>14}{'most':>14}")
    evil = [figure for name in EVIL_GAMES for figure in measure_evil(name, options.share)]
    devil = [measure_devil(name, options.share) for name in DEVIL_GAMES]
    return evil + devil + [figure for name in WORST_LINES for figure in measure_worst_line(name)]


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
