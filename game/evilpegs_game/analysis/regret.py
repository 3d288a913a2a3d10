"""Regret of a guess: how many more guesses are expected than after the best guess, if all later guesses are optimal.

A total is summed over all candidates as the secret. The regret is exact if the least totals can be computed within the
budget. Otherwise it lies between bounds, which follow from bounds on the least totals:

* The lower bound on a total comes from looking one guess ahead. `SplitBound` computes, from part sizes alone, how many
  guesses must still follow each first guess.
* The upper bound on a total is the total of a strategy that follows a criterion, because an optimal strategy needs at
  most as many guesses.
"""

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from evilpegs_game.codemakers.small_sets import Ints, least_possible_total, least_total_table
from evilpegs_game.codes import Code, Columns, to_columns
from evilpegs_game.errors import TooLargeError
from evilpegs_game.evaluation.exact import walk_tree
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.feedback import all_black
from evilpegs_game.guessing.criteria import MOST_PARTS
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.least_total import BoundedSolver
from evilpegs_game.partition import SizeTable, part_size_table

Kind = Literal["exact", "between", "at least", "at most"]

_TREE_LEVELS: Final = 3  # times that a game tree compares every guess with every candidate, roughly

_CHUNK: Final = 1 << 14  # guesses; the table of part sizes then takes at most 10 MB at 16 pegs


class Regret(NamedTuple):
    """Bounds on the number of guesses that a guess is expected to lose, if all candidates are equally likely."""

    at_least: Fraction
    at_most: Fraction | None

    @property
    def kind(self) -> Kind:
        """The bounds known; a lower bound of 0 does not count, because no regret is negative."""
        if self.at_most is None:
            return "at least"
        if self.at_least == self.at_most:
            return "exact"
        return "between" if self.at_least else "at most"

    def to_json(self) -> dict[str, Any]:
        """Return `kind` and the bounds, as floats, as a JSON object."""
        at_most = None if self.at_most is None else float(self.at_most)
        return {"kind": self.kind, "at_least": float(self.at_least), "at_most": at_most}


class _Total(NamedTuple):
    low: int
    high: int | None


def regret(position: Position, guess: Code, solver: BoundedSolver) -> Regret | None:
    """Return bounds on the regret of ``guess``, or None if nothing is known.

    They are equal if ``solver`` can solve the live set within its own budget. Otherwise ``position.budget`` limits the
    feedback evaluations for each bound. Raises ContradictionError and TooLargeError.
    """
    answers = solver.total(position), solver.total_after(position, guess)
    bounds = _bounds(position, guess) if None in answers else ()
    least, after = (bounds[index] if answer is None else _Total(answer, answer) for index, answer in enumerate(answers))
    if after.high is not None and (least.high is None or after.high < least.high):
        least = _Total(least.low, after.high)
    at_least = Fraction() if least.high is None else Fraction(max(0, after.low - least.high), position.count)
    at_most = None if after.high is None else Fraction(after.high - least.low, position.count)
    return None if at_most is None and not at_least else Regret(at_least, at_most)


def _bounds(position: Position, guess: Code) -> tuple[_Total, _Total]:
    known = None
    if position.budget is None or position.count * position.rules.size <= position.budget:
        with suppress(TooLargeError):
            bound = SplitBound(position.candidates, position.all_codes)
            known = bound.total(), bound.total_after(guess)
    if known is None:
        least_total = partial(least_possible_total, rules=position.rules)
        parts = position.parts(guess)
        parts.pop(all_black(position.rules.pegs), None)
        known = least_total(position.count), position.count + sum(map(least_total, parts.values()))
    low, low_after = known
    return _Total(low, _heuristic_total(position, None)), _Total(low_after, _heuristic_total(position, guess))


def _heuristic_total(position: Position, first: Code | None) -> int | None:
    try:
        if _is_affordable(position, position.rules.size):
            distribution = evaluate_heuristic(position.rules, MOST_PARTS, position.history, first)
            return sum(guesses * codes for guesses, codes in enumerate(distribution, 1))
        if not _is_affordable(position, position.count):
            return None
        choose = partial(best_guess, criterion=MOST_PARTS, candidates_only=True)
        return sum(node.position.count for node in walk_tree(choose, position, first))
    except TooLargeError:
        return None


def _is_affordable(position: Position, guesses: int) -> bool:
    return position.budget is None or _TREE_LEVELS * guesses * position.count <= position.budget


class SplitBound:
    """Lower bounds on the totals of a set of codes, found by looking one guess ahead.

    ``columns`` are the codes, at least one, and ``guesses`` the legal guesses. Let m be the most parts, all-black not
    counted, into which a guess splits the codes. No guess splits a subset of the codes into more parts, so
    `least_total_table` with m bounds the guesses that each part needs. The work is ``2 * codes * guesses`` feedback
    evaluations.
    """

    def __init__(self, columns: Columns, guesses: Columns) -> None:
        self._columns = columns
        self._guesses = guesses
        codes = int(columns.shape[1])
        most = max(int((table[:-1] != 0).sum(axis=0).max()) for table in self._tables())
        self._bounds = least_total_table(most, codes)[most]

    def total(self) -> int:
        codes = int(self._columns.shape[1])
        least = min(int(self._later_guesses(table).min()) for table in self._tables())
        return max(int(self._bounds[codes]), codes + least)

    def total_after(self, guess: Code) -> int:
        table = part_size_table(self._columns, to_columns([guess]))
        return int(self._columns.shape[1]) + int(self._later_guesses(table)[0])

    def _later_guesses(self, table: SizeTable) -> Ints:
        return np.asarray(self._bounds[table[:-1]].sum(axis=0))

    def _tables(self) -> Iterator[SizeTable]:
        for start in range(0, self._guesses.shape[1], _CHUNK):
            yield part_size_table(self._columns, np.ascontiguousarray(self._guesses[:, start : start + _CHUNK]))
