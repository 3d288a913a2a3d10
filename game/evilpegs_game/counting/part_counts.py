"""The part sizes of a guess under a whole history, counted exactly on games of any size without listing the codes.

A code is built color by color: each color is given to a subset of the pegs that have none yet. Of a partial coloring
only two things matter: which pegs have a color, and the score of each guess so far (blacks, and matches = blacks +
whites). Partial colorings that agree in both are counted together; those that can no longer reach a feedback of the
history are dropped. Pegs at which every guess has the same color form a *class*, and only the number of pegs of each
class matters. Colors that occur in no guess are counted as one color with several choices.

The colors are added from both ends of their order to two tables, always to the smaller one. The last color makes no
table: for each row of one table, `join` looks up the rows of the other table that complete it. So no table has all
colors, and the largest table is never made.

Memory is bounded before anything is allocated. If a table would exceed its bound, the rows so far are divided into two
halves, which are counted one after the other. This division costs time and never changes the result.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.codes import Code
from evilpegs_game.counting.extend import extend_both
from evilpegs_game.counting.join import join
from evilpegs_game.counting.layout import Table
from evilpegs_game.counting.memory import max_table_rows
from evilpegs_game.counting.problem import CountingProblem
from evilpegs_game.errors import ContradictionError
from evilpegs_game.feedback import feedbacks
from evilpegs_game.history import History
from evilpegs_game.rules import Rules

DEFAULT_BYTES: Final = 192 << 20
INITIAL_ROWS: Final = 1 << 14
"""The number of rows for which a table is allocated at first."""
_LOOK_UPS: Final = 8
"""The number of rows that can be looked up in the time that it takes to make one row."""


class PartCount(NamedTuple):
    """The size of each part in feedback order, zeros included, and the cost of counting them.

    A count makes tables; a table row stands for all partial codes that color the same pegs with the same scores.
    ``work`` is the number of rows made, plus an eighth of the number of look-ups of rows. ``divisions`` is how often a
    table was divided into two, counted one after the other, to save memory.
    """

    sizes: tuple[int, ...]
    work: int
    divisions: int


def count_parts(
    rules: Rules, history: History, guess: Code, max_bytes: int = DEFAULT_BYTES, *, initial_rows: int = INITIAL_ROWS
) -> PartCount:
    """Count, for each feedback, the codes consistent with ``history`` that would give it to ``guess``.

    The tables of partial codes that the count makes take at most ``max_bytes``. Every table is allocated with at least
    ``initial_rows`` rows, unless that is too much for ``max_bytes``; the counts do not depend on this number.

    Raises:
        ContradictionError: no code is consistent with the history.
        TooLargeError: there are more than `MAX_COUNT` codes, the history is too long, or ``max_bytes`` is too little
            for any table.
    """
    counter = _Counter(CountingProblem(rules, history, guess, max_bytes=max_bytes), max_bytes, initial_rows)
    sizes = counter.sizes()
    if not any(sizes):
        message = f"no code of {rules} is consistent with the feedback so far"
        raise ContradictionError(message)
    return PartCount(sizes, counter.work, counter.divisions)


def count_prefix(rules: Rules, history: History, prefix: Code, max_bytes: int = DEFAULT_BYTES) -> int:
    """Return the number, possibly 0, of codes consistent with ``history`` that begin with the colors ``prefix``.

    Raises:
        TooLargeError: under the conditions of `count_parts`.
    """
    problem = CountingProblem(rules, history, None, ungrouped=True, max_bytes=max_bytes, prefix=prefix)
    return _Counter(problem, max_bytes).total


class _Counter:
    """A count of the codes of ``problem`` by their feedback to the open guess, made when the object is created.

    The open guess is the guess whose parts are counted. The tables of partial codes that the count makes take at most
    ``max_bytes``. Every table is allocated with at least ``initial_rows`` rows, unless that is too much for
    ``max_bytes``.
    """

    def __init__(self, problem: CountingProblem, max_bytes: int, initial_rows: int = INITIAL_ROWS) -> None:
        self._problem = problem
        self._initial_rows = initial_rows
        self._sums = np.zeros(1 << (2 * problem.layout.lanes.open_bits), np.int64)
        self._made = self._looked_up = 0
        self.divisions = 0
        """The number of divisions of a table."""
        with np.errstate(over="ignore"):  # hashes wrap; as plain Python the kernels would warn of it
            halves = problem.empty_table, problem.empty_table
            self._count(halves, 0, len(problem.order) - 1, row_limit(problem, max_bytes))

    @property
    def work(self) -> int:
        """The number of table rows made, plus an eighth of the number of look-ups of rows.

        A table row stands for all partial codes that color the same pegs with the same scores.
        """
        return self._made + self._looked_up // _LOOK_UPS

    @property
    def total(self) -> int:
        """The number of all codes counted, whatever their feedback to the open guess."""
        return int(self._sums.sum())

    def sizes(self) -> tuple[int, ...]:
        """Return the number of codes for each feedback to the open guess, in feedback order, zeros included."""
        bits, sums = self._problem.layout.lanes.open_bits, self._sums.tolist()
        return tuple([sums[(black << bits) + black + white] for black, white in feedbacks(self._problem.rules.pegs)])

    def _count(self, halves: tuple[Table, Table], first: int, last: int, max_rows: int) -> None:
        """Add to ``_sums`` the numbers of codes that can be made of a row of each of two tables and the missing colors.

        ``_sums`` counts the codes by their scores with the open guess. ``halves`` are the two tables of partial codes.
        The missing colors, which neither table has, are those at the indices ``first`` to ``last``, inclusive, of the
        problem's color order. These colors are added to the tables. If the next table would have more than ``max_rows``
        rows, the smaller of the two tables is divided into two, which are counted one after the other.
        """
        problem, lacking = self._problem, last - first
        left, right, first, last, made = extend_both(
            problem.layout, *halves, problem.order, first, last, self._initial_rows, max_rows
        )
        self._made += made
        swapped = len(left.rows) > len(right.rows)
        one, other = (right, left) if swapped else (left, right)
        if first == last:
            self._looked_up += join(problem.layout, one, other, problem.order[first], self._sums)
            return
        if last - first < lacking:  # the tables made here exist together with those of all divisions below
            max_rows = max(max_rows // 2, len(problem.layout.subsets.pegs))
        self.divisions += 1
        for part in _halves(one):
            self._count((other, part) if swapped else (part, other), first, last, max_rows)


def row_limit(problem: CountingProblem, max_bytes: int) -> int:
    """Return the most rows that a table of partial codes may have while ``problem`` is counted within ``max_bytes``.

    ``max_bytes`` bounds all tables that exist at once, together.
    """
    layout = problem.layout
    return max_table_rows(len(layout.subsets.pegs), len(layout.lanes.targets), len(problem.order), max_bytes)


def _halves(table: Table) -> Iterator[Table]:
    """Yield two tables, of about equal size, that together hold all rows of ``table``."""
    middle = len(table.rows) // 2
    yield Table(np.minimum(table.starts, middle), table.rows[:middle])
    yield Table(np.maximum(table.starts - middle, 0), table.rows[middle:])
