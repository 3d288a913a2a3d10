"""The cost of evil for a server: guesses answered per second in 1,000 matches at once, against the fixed codemaker.

    python bench/bench_evil_matches.py [--connections 1000] [--seconds 0.5] [--rounds 40]

One match a connection, all played by a bot that guesses any code that fits, on two servers in processes of their own
with a durable log: on `classic` here, on `classic-evil` there. They play in turn, a short while each, since the speed
of a shared machine changes within seconds. Below the ratio of all guesses are quartiles of the rounds.
"""

import argparse
import asyncio
import random
import time
from urllib.parse import urlsplit

import numpy as np
import uvloop
from bench_server import evilpegs
from load import Load, Player

from evilpegs_game.codes import all_codes, column_code, format_code
from evilpegs_game.feedback import Feedback, feedback_number
from evilpegs_game.partition import feedback_numbers
from evilpegs_game.rules import Rules

RULES = Rules(4, 6)
LADDERS = ("classic", "classic-evil")
CONNECTIONS, WANTED = 1000, 0.9
WARM_UP, SETTLE = 3.0, 0.1

CODES = all_codes(RULES)
EVERY = np.arange(RULES.size)
TEXTS = [format_code(column_code(CODES, index)) for index in EVERY]
NUMBERS = np.array([feedback_numbers(CODES, column_code(CODES, index)) for index in EVERY])


class Consistent(Player):
    """Guesses any code that fits, from tables, so that the server is what limits."""

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
    """The one digit after a name in a frame."""
    return frame[frame.index(name) + len(name)] - ord("0")


class Turns(Load):
    """A load that can be held: who is to guess waits, until it is let go."""

    held = None

    def hold(self):
        self.held = []

    def let_go(self):
        waiting, self.held = self.held, None
        for player in waiting:
            player.guess()


async def connect(url, ladder, connections):
    """A load of so many players who hold, each in a match."""
    load = Turns(url, connections, ladder=ladder, together=True)
    load.hold()
    address, loop = urlsplit(url), asyncio.get_running_loop()
    for number in range(connections):
        await loop.create_connection(lambda number=number: Consistent(load, number), address.hostname, address.port)
    await load.complete.wait()
    return load


async def rate(load, seconds):
    """Guesses answered per second, while nobody else plays."""
    load.let_go()
    await asyncio.sleep(SETTLE)
    load.answered, load.counting, began = 0, True, time.perf_counter()
    await asyncio.sleep(seconds)
    load.counting, elapsed = False, time.perf_counter() - began
    load.hold()
    await asyncio.sleep(SETTLE)
    return load.answered / elapsed


async def compare(urls, options):
    """Guesses per second on both ladders, a pair a round."""
    loads = [await connect(url, ladder, options.connections) for url, ladder in zip(urls, LADDERS, strict=True)]
    for load in loads:
        await rate(load, WARM_UP)
    pairs = []
    for number in range(options.rounds):
        rates = {load.ladder: await rate(load, options.seconds) for load in (loads[::-1] if number % 2 else loads)}
        pairs.append([rates[ladder] for ladder in LADDERS])
    return np.array(pairs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--connections", type=int, default=CONNECTIONS)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    print(f"{options.connections:,} matches at once, a bot that guesses what fits, closed loop; guesses/s")
    with evilpegs() as fixed, evilpegs() as evil:
        pairs = uvloop.run(compare((fixed, evil), options))
    print(f"{'':<10}{'fixed':>10}{'evil':>10}{'ratio':>8}")
    show("all", *pairs.mean(axis=0))
    for percent in (25, 50, 75):
        show(f"{percent} %", *np.percentile(pairs, percent, axis=0), np.percentile(pairs[:, 1] / pairs[:, 0], percent))
    print(f"wanted of all: at least {WANTED}")


def show(label, fixed, evil, ratio=None):
    """A row of the table; the ratio is of the two unless told."""
    print(f"{label:<10}{fixed:>10,.0f}{evil:>10,.0f}{evil / fixed if ratio is None else ratio:>8.2f}")


if __name__ == "__main__":
    main()
