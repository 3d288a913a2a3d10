"""Counting without enumerating: the part sizes of a guess under a whole history, exactly, on games of any size.

A code is built color by color: each color takes a set of the pegs that have none yet. All that matters of a partial
coloring is which pegs have a color and what each guess has got so far (blacks, and matches = blacks + whites), so
partial colorings that agree in that are counted together, and those that can no longer come to a feedback already
given are dropped. Pegs that no guess has told apart are a *kind* and only their number matters; a *fill* is how many
pegs of each kind have a color. Colors that no guess has used are one color with many choices.

The colors are taken from both ends of their order into two tables, always where the table is smaller. What the last
color makes of a row is only looked up in the other table, among the rows that complete it. So no table ever spans all
colors, and the largest is never made.

Memory is bounded before anything is allocated. A table that would pass its bound divides: the rows so far are counted
in two halves, one after the other, which costs time and never the result.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.codes import Code
from evilpegs_game.counting.extend import grown
from evilpegs_game.counting.join import join
from evilpegs_game.counting.layout import Table
from evilpegs_game.counting.memory import most_rows
from evilpegs_game.counting.problem import Frame
from evilpegs_game.errors import ContradictionError
from evilpegs_game.feedback import feedbacks
from evilpegs_game.history import History
from evilpegs_game.rules import Rules

DEFAULT_BYTES: Final = 192 << 20
FEW_ROWS: Final = 1 << 14
"""Every table has room for so many rows from the start."""
_LOOK_UPS: Final = 8
"""So many rows are looked up in the time in which one is made."""


class PartCount(NamedTuple):
    """The size of each part in the order of `feedbacks`, and what it took to count them.

    ``work`` is the number of rows made, or as much as that; ``divisions`` is how often a table had to be divided.
    """

    sizes: tuple[int, ...]
    work: int
    divisions: int


def count_parts(
    rules: Rules, history: History, guess: Code, max_bytes: int = DEFAULT_BYTES, *, few_rows: int = FEW_ROWS
) -> PartCount:
    """The parts of ``guess`` among the codes consistent with ``history``, counted within ``max_bytes``.

    Every table has room for ``few_rows`` rows from the start, unless that is over the bound; it changes no size.

    Raises:
        ContradictionError: no code is consistent with the history.
        TooLargeError: there are over `MAX_COUNT` codes, or ``max_bytes`` is too little for any table.
    """
    counter = _Counter(Frame(rules, history, guess, max_bytes=max_bytes), max_bytes, few_rows)
    sizes = counter.sizes()
    if not any(sizes):
        message = f"no code of {rules} is consistent with the feedback so far"
        raise ContradictionError(message)
    return PartCount(sizes, counter.work, counter.divisions)


def count_beginning(rules: Rules, history: History, beginning: Code, max_bytes: int = DEFAULT_BYTES) -> int:
    """How many codes consistent with ``history`` have these colors at their first pegs; it may be none.

    Raises:
        TooLargeError: as `count_parts` does.
    """
    frame = Frame(rules, history, None, apart=True, max_bytes=max_bytes, beginning=beginning)
    return _Counter(frame, max_bytes).total


class _Counter:
    """One count: the sums and the work."""

    def __init__(self, frame: Frame, max_bytes: int, few_rows: int = FEW_ROWS) -> None:
        self._frame = frame
        self._few_rows = few_rows
        self._sums = np.zeros(1 << (2 * frame.layout.fields.bits), np.int64)
        self._made = self._looked_up = 0
        self.divisions = 0
        """How often a table was divided."""
        with np.errstate(over="ignore"):  # hashes wrap; as plain Python the kernels would warn of it
            self._count((frame.blank, frame.blank), 0, len(frame.order) - 1, table_rows(frame, max_bytes))

    @property
    def work(self) -> int:
        """Rows made, and rows looked up at the end, which takes a fraction of making one."""
        return self._made + self._looked_up // _LOOK_UPS

    @property
    def total(self) -> int:
        """All that was counted."""
        return int(self._sums.sum())

    def sizes(self) -> tuple[int, ...]:
        """What was counted for each feedback of the asked guess."""
        bits, sums = self._frame.layout.fields.bits, self._sums.tolist()
        return tuple([sums[(black << bits) + black + white] for black, white in feedbacks(self._frame.rules.pegs)])

    def _count(self, halves: tuple[Table, Table], first: int, last: int, most: int) -> None:
        """Count with two tables that lack the colors ``first`` to ``last`` of the order, in tables of ``most`` rows."""
        frame, lacking = self._frame, last - first
        left, right, first, last, made = grown(frame.layout, *halves, frame.order, first, last, self._few_rows, most)
        self._made += made
        swapped = len(left.rows) > len(right.rows)
        one, other = (right, left) if swapped else (left, right)
        if first == last:
            self._looked_up += join(frame.layout, one, other, frame.order[first], self._sums)
            return
        if last - first < lacking:  # the tables made here, those of all divisions below, and theirs exist at once
            most = max(most // 2, len(frame.layout.fills.pegs))
        self.divisions += 1
        for part in _divided(one):
            self._count((other, part) if swapped else (part, other), first, last, most)


def table_rows(frame: Frame, max_bytes: int) -> int:
    """How many rows a table of a count may have: see `most_rows`."""
    layout = frame.layout
    return most_rows(len(layout.fills.pegs), len(layout.fields.targets), len(frame.order), max_bytes)


def _divided(table: Table) -> Iterator[Table]:
    """The rows in two tables; together they are the whole."""
    middle = len(table.rows) // 2
    yield Table(np.minimum(table.starts, middle), table.rows[:middle])
    yield Table(np.maximum(table.starts - middle, 0), table.rows[middle:])
