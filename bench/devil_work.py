"""Search for the reply of an exact devil that takes the most work, with nothing known before each reply.

It tries every first guess up to symmetry and every second guess up to symmetry after each reply that the devil may
give. From the most expensive of these it goes on until the time is up: it draws guesses at random and continues with
the most expensive one. Guesses that exclude no code are among them.

Run: python bench/devil_work.py [--rules 4x6] [--seconds 120] [--seed 1]
"""

import argparse
import time
from heapq import nlargest
from random import Random
from typing import NamedTuple

import numpy as np

from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import Code, code_at, column_code, format_code
from evilpegs_game.feedback import all_black
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import GuessSymmetries

KEPT = 64


class MeasuredReply(NamedTuple):
    """A reply: its work in feedbacks looked at, its seconds, position and guess, and the positions that may follow."""

    work: int
    seconds: float
    position: Position
    guess: Code
    after: tuple[Position, ...]


class WorkSearch:
    """A search that measures replies with nothing known before and keeps the most expensive one of each turn."""

    def __init__(self, rules: Rules) -> None:
        self.solver = WorstCase(rules)
        self.start = Position(rules, (), LiveSets())
        self.symmetries = GuessSymmetries(rules, self.start.all_codes)
        self.worst: dict[int, MeasuredReply] = {}
        self.slowest: dict[int, float] = {}
        self.replies: dict[int, int] = {}

    def measure(self, position: Position, guess: Code) -> MeasuredReply:
        """Measure one reply with nothing known before."""
        self.solver.forget()
        start = time.perf_counter()
        replies, work = self.solver.hardest_replies(position.candidates, guess)
        took = time.perf_counter() - start
        ended = all_black(position.rules.pegs)
        after = tuple(position.after(guess, feedback) for feedback in replies if feedback != ended)
        measured = MeasuredReply(work, took, position, guess, after)
        turn = position.turn
        self.worst[turn] = max(measured, self.worst.get(turn, measured), key=lambda one: one.work)
        self.slowest[turn] = max(took, self.slowest.get(turn, 0.0))
        self.replies[turn] = self.replies.get(turn, 0) + 1
        return measured

    def distinct_guesses(self, position: Position) -> list[Code]:
        """Return every guess up to the symmetries of the live set."""
        heads = np.unique(self.symmetries.orbits(position.candidates))
        return [column_code(position.all_codes, head) for head in heads.tolist()]

    def measure_all(self, positions: list[Position]) -> list[MeasuredReply]:
        """Measure every guess up to symmetry at each of the positions."""
        return [self.measure(position, guess) for position in positions for guess in self.distinct_guesses(position)]

    def climb(self, rng: Random, begun: list[MeasuredReply]) -> None:
        """Continue one expensive line: at each turn play the most expensive of a few guesses."""
        measured = rng.choice(begun)
        while measured.after:
            position = rng.choice(measured.after)
            if position.count <= 2:
                return
            guesses = [code_at(rng.randrange(position.rules.size), position.rules) for _ in range(6)]
            guesses += [position.candidate(rng.randrange(position.count)) for _ in range(2)]
            measured = max((self.measure(position, guess) for guess in guesses), key=lambda one: one.work)

    def show(self) -> None:
        """Print one row per turn."""
        print(f"{'turn':<6}{'replies':>8}{'most work':>16}{'its ms':>10}{'slowest ms':>12}  its line")
        for turn, measured in sorted(self.worst.items()):
            line = " ".join(f"{format_code(guess)}:{feedback}" for guess, feedback in measured.position.history)
            print(
                f"{turn:<6}{self.replies[turn]:>8}{measured.work:>16,}{measured.seconds * 1e3:>10.1f}"
                f"{self.slowest[turn] * 1e3:>12.1f}  {line} {format_code(measured.guess)}"
            )


def main() -> None:
    """Search, then print the most expensive reply of each turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="4x6", type=Rules.parse)
    parser.add_argument("--seconds", default=120.0, type=float, help="for the random lines, after the first two turns")
    parser.add_argument("--seed", default=1, type=int)
    options = parser.parse_args()
    search = WorkSearch(options.rules)
    search.measure(search.start, code_at(0, options.rules))  # compiled
    search.slowest.clear()
    firsts = search.measure_all([search.start])
    seconds = search.measure_all([position for measured in firsts for position in measured.after])
    rng, end = Random(options.seed), time.perf_counter() + options.seconds
    begun = nlargest(KEPT, seconds, key=lambda one: one.work) + rng.sample(seconds, min(KEPT, len(seconds)))
    while time.perf_counter() < end:
        search.climb(rng, begun)
    search.show()


if __name__ == "__main__":
    main()
