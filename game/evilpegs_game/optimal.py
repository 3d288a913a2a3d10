"""Optimal play: the least total of guesses over all codes, proved, and the strategy trees that attain it.

The total of a set of codes is the sum over its codes of the guesses, the winning one included, that a codebreaker
needs who plays perfectly for that sum; any code of the rules is a legal guess. Branch and bound: guesses are tried in
the order of a lower bound on what follows, and not at all where that reaches the best known. Sources: K. Koyama and
T. W. Lai, An optimal Mastermind strategy, Journal of Recreational Mathematics 25 (1993); G. Ville, An Optimal
Mastermind (4,7) Strategy and More Results in the Expected Case (2013).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from evilpegs_game.codes import Code, Columns, all_codes, column_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import Feedback, all_black, feedbacks
from evilpegs_game.partition import part_size_table, split
from evilpegs_game.rules import Rules
from evilpegs_game.tree import Node, Tree

Objective = Literal["mean", "worst"]
"""What is least: the total of guesses; or the worst case, and then the total."""

MAX_GUESSES = 1 << 13


@dataclass(frozen=True, slots=True)
class Solution:
    """A strategy tree, its total and worst case, and what is proved: no tree has a total under ``lower``."""

    tree: Tree
    total: int
    max: int
    lower: int


def least_possible_total(codes: int, rules: Rules) -> int:
    """The count bound: whatever they are, so many codes need no less guesses in all.

    One code can be found with the first guess; with F feedbacks F - 1 with the second, (F - 1)**2 with the third.
    """
    possible = len(feedbacks(rules.pegs)) - (rules.pegs > 1)  # one peg wrong is wrong in color too, or there are two
    total, guess, most = 0, 1, 1
    while codes > 0:
        total += guess * min(codes, most)
        codes, guess, most = codes - most, guess + 1, most * max(1, possible - 1)
    return total


class LeastTotal:
    """Least totals for the codes of some rules; what it has found out it keeps.

    Raises:
        TooLargeError: the rules have more codes than `MAX_GUESSES`.
    """

    def __init__(self, rules: Rules) -> None:
        if rules.size > MAX_GUESSES:
            message = f"{rules} has {rules.size:,} codes; optimal play is found for {MAX_GUESSES:,} at most"
            raise TooLargeError(message)
        self.rules = rules
        self._every = all_codes(rules)
        self._known: dict[bytes, int] = {}
        self._bound = cache(lambda codes: least_possible_total(codes, rules))

    def total(self, columns: Columns, budget: int | None = None) -> int:
        """The least total of guesses over these codes, each winning guess included; any code is a legal guess.

        Raises:
            OverBudgetError: it takes more than ``budget`` feedbacks looked at.
        """
        return self._total(columns, _Meter(budget))

    def after(self, columns: Columns, guess: Code, budget: int | None = None) -> int:
        """The same when ``guess`` is played first; raises what `total` does."""
        return self._after(columns, guess, _Meter(budget))

    def best(self, columns: Columns, budget: int | None = None) -> Code:
        """A guess that attains the total: a candidate before others, then the first in code order."""
        meter = _Meter(budget)
        least = self._total(columns, meter)
        candidates = [column_code(columns, place) for place in range(columns.shape[1])]
        others = (column_code(self._every, place) for place in range(self.rules.size))
        for guess in [*candidates, *others]:
            if self._first_bound(columns, guess) <= least and self._after(columns, guess, meter) == least:
                return guess
        raise AssertionError  # some guess attains it

    def _first_bound(self, columns: Columns, guess: Code) -> int:
        parts = split(columns, guess)
        if len(parts) == 1 and parts[0][0] != all_black(self.rules.pegs):
            return 1 << 40
        ends = all_black(self.rules.pegs)
        return int(columns.shape[1]) + sum(self._bound(part.shape[1]) for given, part in parts if given != ends)

    def _after(self, columns: Columns, guess: Code, meter: "_Meter") -> int:
        ends = all_black(self.rules.pegs)
        parts = split(columns, guess)
        rest = sum(self._total(part, meter) for given, part in parts if given != ends)
        return int(columns.shape[1]) + rest

    def _total(self, columns: Columns, meter: "_Meter") -> int:
        codes = int(columns.shape[1])
        if codes <= 2:
            return 2 * codes - 1
        key = columns.tobytes()
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._search(columns, meter)
        return known

    def _search(self, columns: Columns, meter: "_Meter") -> int:
        meter.add(columns.shape[1] * self.rules.size)
        codes = columns.shape[1]
        table = part_size_table(columns, self._every)
        bounds = np.array([self._bound(size) for size in range(codes + 1)])
        estimates = codes + bounds[table[:-1]].sum(axis=0)
        estimates[table.max(axis=0) == codes] = 1 << 40
        best = 1 << 40
        for place in np.argsort(estimates, kind="stable").tolist():
            lower = int(estimates[place])
            if lower >= best:
                break
            parts = split(columns, column_code(self._every, place))
            for given, part in sorted(parts, key=lambda part: part[1].shape[1]):
                if given != all_black(self.rules.pegs) and lower < best:
                    lower += self._total(part, meter) - self._bound(part.shape[1])
            best = min(best, lower)
        return best


@dataclass(slots=True)
class _Meter:
    budget: int | None
    work: int = 0

    def add(self, work: int) -> None:
        self.work += work
        if self.budget is not None and self.work > self.budget:
            message = f"the least total takes more than the budget of {self.budget:,} feedbacks looked at"
            raise OverBudgetError(message)


def solve(rules: Rules, objective: Objective = "mean", progress: Callable[[int, int], None] | None = None) -> Solution:
    """The tree of least total over all codes; ``progress`` is told proven lower and upper bounds."""
    if objective != "mean":
        raise NotImplementedError
    solver = LeastTotal(rules)
    total = solver.total(all_codes(rules))
    if progress:
        progress(total, total)
    depth = 0

    def node(columns: Columns, guesses: int) -> Node:
        nonlocal depth
        depth = max(depth, guesses)
        guess = solver.best(columns)
        children: dict[Feedback, Node] = {}
        for given, part in split(columns, guess):
            if given != all_black(rules.pegs):
                children[given] = node(part, guesses + 1)
        return Node(guess, children)

    return Solution(Tree(rules, node(all_codes(rules), 1)), total, depth, total)
