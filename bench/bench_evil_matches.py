"""What evil costs a server: guesses answered per second in 1,000 matches at once, against the fixed codemaker.

    python bench/bench_evil_matches.py [--connections 1000] [--seconds 5] [--rounds 5]

One match a connection, all played by a bot that guesses any code that fits: on `classic` and on `classic-evil` in turn,
each time on a fresh server in a process of its own with a durable log. The ratio is the median of those of the rounds.
"""

import argparse
import asyncio
import random
import statistics

import numpy as np
import uvloop
from bench_server import evilpegs
from load import Load, Player, run

from evilpegs_game.codes import all_codes, column_code, format_code
from evilpegs_game.feedback import Feedback, feedback_number
from evilpegs_game.partition import feedback_numbers
from evilpegs_game.rules import Rules

RULES = Rules(4, 6)
LADDERS = ("classic", "classic-evil")
CONNECTIONS, WANTED = 1000, 0.9
WARM_UP = 3.0

CODES = all_codes(RULES)
EVERY = np.arange(RULES.size)
TEXTS = [format_code(column_code(CODES, place)) for place in EVERY]
NUMBERS = np.array([feedback_numbers(CODES, column_code(CODES, place)) for place in EVERY])


class Consistent(Player):
    """Guesses any code that fits, from tables, so that the server is what limits."""

    def __init__(self, load, number):
        super().__init__(load, number)
        self.rng = random.Random(number)
        self.candidates, self.guessed = EVERY, 0

    def take(self, frame):
        if b'"type":"feedback"' in frame:
            given = Feedback(value(frame, b'"black":'), value(frame, b'"white":'))
            numbers = NUMBERS[self.guessed][self.candidates]
            self.candidates = self.candidates[numbers == feedback_number(given, RULES.pegs)]
        elif b'"type":"game_started"' in frame:
            self.candidates = EVERY
        super().take(frame)

    def code(self):
        self.guessed = self.candidates[int(self.rng.random() * len(self.candidates))]
        return TEXTS[self.guessed]


def value(frame, name):
    """The one digit after a name in a frame."""
    return frame[frame.index(name) + len(name)] - ord("0")


def rate(ladder, connections, seconds):
    """Guesses answered per second on a ladder."""
    with evilpegs() as url:
        return uvloop.run(run(Load(url, connections, ladder=ladder, together=True), seconds, WARM_UP, Consistent))[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--connections", type=int, default=CONNECTIONS)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    print(f"{given.connections:,} matches at once, a bot that guesses what fits, closed loop; guesses/s")
    print(f"{'':<8}{'fixed':>10}{'evil':>10}{'ratio':>8}")
    ratios = []
    for number in range(1, given.rounds + 1):
        ladders = LADDERS if number % 2 else LADDERS[::-1]
        rates = {ladder: rate(ladder, given.connections, given.seconds) for ladder in ladders}
        fixed, evil = (rates[ladder] for ladder in LADDERS)
        ratios.append(evil / fixed)
        print(f"{number:<8}{fixed:>10,.0f}{evil:>10,.0f}{evil / fixed:>8.2f}", flush=True)
    print(f"evil against fixed: {statistics.median(ratios):.2f}   (wanted: at least {WANTED})")


if __name__ == "__main__":
    asyncio.set_event_loop_policy(None)
    main()
