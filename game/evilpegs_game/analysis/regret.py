"""Regret: how many more guesses a guess costs, on average, than the best one would, when all that follow are perfect.

Exact where the live set can be solved within the budget. Elsewhere it lies between bounds: no strategy needs less than
so many codes do at least, and an optimal one needs no more than one that follows a criterion, whose tree is walked.

Bounds on the least total of guesses from one look ahead: what every first guess would leave, by numbers alone.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Final, Literal, NamedTuple

import numpy as np

from evilpegs_game.codemakers.size_bounds import Ints, least_possible_total, least_total_table
from evilpegs_game.codes import Code, Columns, to_columns
from evilpegs_game.errors import TooLargeError
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.feedback import all_black
from evilpegs_game.guessing.criteria import MOST_PARTS
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.within_budget import BoundedSolver
from evilpegs_game.partition import SizeTable, part_size_table

_CHUNK: Final = 1 << 14
"""Guesses looked at a time; bounds the table of part sizes to 10 MB at 16 pegs."""


class SplitBound:
    """Bounds for the codes in ``columns``, of which there is at least one; ``every`` are the legal guesses.

    Looks at ``codes * guesses`` feedbacks twice. No guess splits a part of these codes into more parts than the best
    guess splits all of them, so behind no guess stand more codes than the count bound says for so many parts.
    ``chunk`` guesses are looked at together; it bounds the memory and changes no result.
    """

    def __init__(self, columns: Columns, every: Columns, *, chunk: int = _CHUNK) -> None:
        self._columns = columns
        self._every = every
        self._chunk = chunk
        codes = int(columns.shape[1])
        most = max(int((table[:-1] != 0).sum(axis=0).max()) for table in self._tables())
        self._bounds = least_total_table(most, codes)[most]

    def total(self) -> int:
        """No strategy needs fewer guesses for all of them together, the winning ones included."""
        codes = int(self._columns.shape[1])
        least = min(int(self._rest(table).min()) for table in self._tables())
        return max(int(self._bounds[codes]), codes + least)

    def after(self, guess: Code) -> int:
        """The same when ``guess`` is played first."""
        return int(self._columns.shape[1]) + int(self._rest(part_size_table(self._columns, to_columns([guess])))[0])

    def _rest(self, table: SizeTable) -> Ints:
        """The guesses behind each first guess at least: int64, shape (guesses,)."""
        return np.asarray(self._bounds[table[:-1]].sum(axis=0))

    def _tables(self) -> Iterator[SizeTable]:
        for start in range(0, self._every.shape[1], self._chunk):
            yield part_size_table(self._columns, np.ascontiguousarray(self._every[:, start : start + self._chunk]))


Kind = Literal["exact", "between", "at least", "at most"]

_WALKED_LEVELS: Final = 3
"""A walk looks at every guess for every candidate about so often: the sets of later levels are small."""


class Regret(NamedTuple):
    """In expected guesses, each candidate being the secret as likely as any other; ``at_most`` None: not known."""

    at_least: Fraction
    at_most: Fraction | None

    @property
    def kind(self) -> Kind:
        """What is known: ``exact`` where the bounds meet, else which of them says anything."""
        if self.at_most is None:
            return "at least"
        if self.at_least == self.at_most:
            return "exact"
        return "between" if self.at_least else "at most"


class _Total(NamedTuple):
    """Guesses for all candidates together: a bound from below, and one from above if there is one."""

    low: int
    high: int | None


def regret(position: Position, guess: Code, solver: BoundedSolver) -> Regret | None:
    """The regret of ``guess``: exact as far as ``solver`` knows, else within bounds; None where nothing is known of it.

    Each walk may take ``position.budget``.

    Raises:
        ContradictionError, TooLargeError: as `Position.parts` does.
    """
    answers = solver.total(position), solver.total_after(position, guess)
    bounds = _bounds(position, guess) if None in answers else ()
    least, after = (bounds[place] if answer is None else _Total(answer, answer) for place, answer in enumerate(answers))
    if after.high is not None and (least.high is None or after.high < least.high):
        least = _Total(least.low, after.high)
    at_least = Fraction() if least.high is None else Fraction(max(0, after.low - least.high), position.count)
    at_most = None if after.high is None else Fraction(after.high - least.low, position.count)
    return None if at_most is None and not at_least else Regret(at_least, at_most)


def _bounds(position: Position, guess: Code) -> tuple[_Total, _Total]:
    """Bounds of the least total and of that after ``guess``: below by numbers of codes, above by walks."""
    low, low_after = _looked_ahead(position, guess) or _counted(position, guess)
    return _Total(low, _walked(position, None)), _Total(low_after, _walked(position, guess))


def _looked_ahead(position: Position, guess: Code) -> tuple[int, int] | None:
    if position.budget is not None and position.count * position.rules.size > position.budget:
        return None
    try:
        bound = SplitBound(position.candidates, position.all_codes)
    except TooLargeError:
        return None
    return bound.total(), bound.after(guess)


def _counted(position: Position, guess: Code) -> tuple[int, int]:
    """The same where there are too many codes for it: the count bound alone."""
    bound = partial(least_possible_total, rules=position.rules)
    parts = position.parts(guess)
    parts.pop(all_black(position.rules.pegs), None)
    return bound(position.count), position.count + sum(map(bound, parts.values()))


def _walked(position: Position, first: Code | None) -> int | None:
    """The guesses that a criterion needs for all candidates, ``first`` before it; None where that is too much."""
    try:
        if _is_walkable(position, position.rules.size):
            distribution = evaluate_heuristic(position.rules, MOST_PARTS, position.history, first)
            return sum(guesses * codes for guesses, codes in enumerate(distribution, 1))
        return _walked_among_candidates(position, first) if _is_walkable(position, position.count) else None
    except TooLargeError:
        return None


def _is_walkable(position: Position, guesses: int) -> bool:
    return position.budget is None or _WALKED_LEVELS * guesses * position.count <= position.budget


def _walked_among_candidates(position: Position, first: Code | None) -> int:
    """The same where only candidates are guessed; for rules of any size."""
    total, waiting = 0, [(position, first)]
    while waiting:
        here, guess = waiting.pop()
        total += here.count
        after = here.split(guess or best_guess(here, MOST_PARTS, candidates_only=True))
        after.pop(all_black(here.rules.pegs), None)
        waiting += [(child, None) for child in after.values()]
    return total
