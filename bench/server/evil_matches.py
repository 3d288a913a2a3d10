"""Measure the cost of evil for a server: guesses per second in 1,000 matches at once, beside the fixed codemaker.

    python -m bench.server.evil_matches [--connections 1000] [--seconds 0.5] [--rounds 40]

Each connection has one match, played by a bot that guesses any code that fits, on two servers in processes of their
own with a durable log: `classic` on one, `classic-evil` on the other. They take turns, a short while each, because the
speed of a shared machine changes within seconds. Below the ratio of all guesses are quartiles of the rounds.
"""

import argparse
import asyncio
import random
import time
from urllib.parse import urlsplit

import numpy as np
import uvloop

from bench.command import Option, run_alone
from bench.figures import Figure
from bench.server.load import Load, Player
from bench.server.processes import evilpegs
from bench.timing import alternating
from evilpegs_game.codes import all_codes, column_code, format_code
from evilpegs_game.feedback import Feedback, feedback_number
from evilpegs_game.partition import feedback_numbers
from evilpegs_game.rules import Rules

RULES = Rules(4, 6)
LADDERS = ("classic", "classic-evil")
WANTED_RATIO = 0.9
SETTLE = 0.1
OPTIONS = (
    Option("connections", 1000, 10),
    Option("seconds", 0.5, 0.1, "seconds of a turn of one server"),
    Option("rounds", 40, 2),
    Option("warm-up", 3.0, 0.2, "seconds before the first round"),
)

CODES = all_codes(RULES)
EVERY = np.arange(RULES.size)
TEXTS = [format_code(column_code(CODES, index)) for index in EVERY]
NUMBERS = np.array([feedback_numbers(CODES, column_code(CODES, index)) for index in EVERY])


class Consistent(Player):
    """A player who guesses any code that fits, from tables, so that the server is what limits."""

    def __init__(self, load, number):
        super().__init__(load, number)
        self.rng = random.Random(number)
        self.candidates, self.guessed = EVERY, 0

    def take(self, frame):
        if b'"type":"feedback"' in frame:
            feedback = Feedback(value(frame, b'"black":'), value(frame, b'"white":'))
            numbers = NUMBERS[self.guessed][self.candidates]
            self.candidates = self.candidates[numbers == feedback_number(feedback, RULES.pegs)]
        elif b'"type":"game_started"' in frame:
            self.candidates = EVERY
        super().take(frame)

    def code(self):
        self.guessed = self.candidates[int(self.rng.random() * len(self.candidates))]
        return TEXTS[self.guessed]

    def guess(self):
        if self.load.held is None:
            super().guess()
        else:
            self.load.held.append(self)


def value(frame, name):
    """Return the one digit after a name in a frame."""
    return frame[frame.index(name) + len(name)] - ord("0")


class Turns(Load):
    """A load that can be held: players wait with their next guess until it is let go."""

    held = None

    def hold(self):
        self.held = []

    def let_go(self):
        waiting, self.held = self.held, None
        for player in waiting:
            player.guess()


async def connect(url, ladder, connections):
    """Return a load of players who hold, each in a match."""
    load = Turns(url, connections, ladder=ladder, together=True)
    load.hold()
    address, loop = urlsplit(url), asyncio.get_running_loop()
    for number in range(connections):
        await loop.create_connection(lambda number=number: Consistent(load, number), address.hostname, address.port)
    await load.complete.wait()
    return load


async def rate(load, seconds):
    """Return the guesses answered per second while nobody else plays."""
    load.let_go()
    await asyncio.sleep(SETTLE)
    load.answered, load.counting, began = 0, True, time.perf_counter()
    await asyncio.sleep(seconds)
    await load.until(lambda: load.answered)
    load.counting, elapsed = False, time.perf_counter() - began
    load.hold()
    await asyncio.sleep(SETTLE)
    return load.answered / elapsed


async def compare(urls, options):
    """Return the guesses per second on both ladders, one row per round."""
    loads = [await connect(url, ladder, options.connections) for url, ladder in zip(urls, LADDERS, strict=True)]
    for load in loads:
        await rate(load, options.warm_up)
    rates = {load.ladder: [] for load in loads}
    for load in alternating(loads, options.rounds):
        rates[load.ladder].append(await rate(load, options.seconds))
    return np.array([rates[ladder] for ladder in LADDERS]).T


def show(label, fixed, evil, ratio):
    """Print a row of the table."""
    print(f"{label:<10}{fixed:>10,.0f}{evil:>10,.0f}{ratio:>8.2f}")


def measure(options: argparse.Namespace) -> list[Figure]:
    """Compare both ladders."""
    print(f"{options.connections:,} matches at once, a bot that guesses what fits, closed loop; guesses/s")
    with evilpegs() as fixed, evilpegs() as evil:
        pairs = uvloop.run(compare((fixed.url, evil.url), options))
    print(f"{'':<10}{'fixed':>10}{'evil':>10}{'ratio':>8}")
    fixed_mean, evil_mean = pairs.mean(axis=0)
    show("all", fixed_mean, evil_mean, evil_mean / fixed_mean)
    for percent in (25, 50, 75):
        show(f"{percent} %", *np.percentile(pairs, percent, axis=0), np.percentile(pairs[:, 1] / pairs[:, 0], percent))
    return [Figure("guesses per second, evil / fixed", evil_mean / fixed_mean, "", WANTED_RATIO, "at least")]


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
