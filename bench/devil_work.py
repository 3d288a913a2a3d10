"""The most work that an exact devil's reply takes, hunted for: every history with nothing known beforehand.

Every first guess up to symmetry, every second guess up to symmetry after each reply the devil may give, and from the
worst of these on, as long as it lasts, guesses drawn at random and the one that took most. Guesses that tell nothing
are among them. Run: python bench/devil_work.py [--rules 4x6] [--seconds 120] [--seed 1]
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


class Found(NamedTuple):
    """A reply: the feedbacks looked at, the seconds it took, its position and guess, and what may come after it."""

    work: int
    seconds: float
    position: Position
    guess: Code
    after: tuple[Position, ...]


class Hunt:
    """Asks for replies, each with nothing known, and keeps the worst of each turn."""

    def __init__(self, rules: Rules) -> None:
        self.solver = WorstCase(rules)
        self.start = Position(rules, (), LiveSets())
        self.symmetries = GuessSymmetries(rules, self.start.all_codes)
        self.worst: dict[int, Found] = {}
        self.slowest: dict[int, float] = {}
        self.replies: dict[int, int] = {}

    def ask(self, position: Position, guess: Code) -> Found:
        """One reply from cold."""
        self.solver.forget()
        start = time.perf_counter()
        replies, work = self.solver.hardest_replies(position.candidates, guess)
        took = time.perf_counter() - start
        ended = all_black(position.rules.pegs)
        after = tuple(position.after(guess, given) for given in replies if given != ended)
        found = Found(work, took, position, guess, after)
        turn = position.turn
        self.worst[turn] = max(found, self.worst.get(turn, found), key=lambda one: one.work)
        self.slowest[turn] = max(took, self.slowest.get(turn, 0.0))
        self.replies[turn] = self.replies.get(turn, 0) + 1
        return found

    def kinds(self, position: Position) -> list[Code]:
        """Every guess up to the symmetries of the live set."""
        heads = np.unique(self.symmetries.orbits(position.candidates))
        return [column_code(position.all_codes, head) for head in heads.tolist()]

    def every(self, positions: list[Position]) -> list[Found]:
        """Every guess up to symmetry at each of the positions."""
        return [self.ask(position, guess) for position in positions for guess in self.kinds(position)]

    def climb(self, rng: Random, begun: list[Found]) -> None:
        """One line from one of the worst on: at each turn the guess, of some, that took most work."""
        found = rng.choice(begun)
        while found.after:
            position = rng.choice(found.after)
            if position.count <= 2:
                return
            guesses = [code_at(rng.randrange(position.rules.size), position.rules) for _ in range(6)]
            guesses += [position.candidate(rng.randrange(position.count)) for _ in range(2)]
            found = max((self.ask(position, guess) for guess in guesses), key=lambda one: one.work)

    def show(self) -> None:
        """A row a turn."""
        print(f"{'turn':<6}{'replies':>8}{'most work':>16}{'its ms':>10}{'slowest ms':>12}  its line")
        for turn, found in sorted(self.worst.items()):
            line = " ".join(f"{format_code(guess)}:{given}" for guess, given in found.position.history)
            print(
                f"{turn:<6}{self.replies[turn]:>8}{found.work:>16,}{found.seconds * 1e3:>10.1f}"
                f"{self.slowest[turn] * 1e3:>12.1f}  {line} {format_code(found.guess)}"
            )


def main() -> None:
    """Hunt, then print the worst of each turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="4x6", type=Rules.parse)
    parser.add_argument("--seconds", default=120.0, type=float, help="for the random lines, after the first two turns")
    parser.add_argument("--seed", default=1, type=int)
    options = parser.parse_args()
    hunt = Hunt(options.rules)
    hunt.ask(hunt.start, code_at(0, options.rules))  # compiled
    hunt.slowest.clear()
    firsts = hunt.every([hunt.start])
    seconds = hunt.every([position for found in firsts for position in found.after])
    rng, end = Random(options.seed), time.perf_counter() + options.seconds
    begun = nlargest(KEPT, seconds, key=lambda one: one.work) + rng.sample(seconds, min(KEPT, len(seconds)))
    while time.perf_counter() < end:
        hunt.climb(rng, begun)
    hunt.show()


if __name__ == "__main__":
    main()
