"""Bounds on the least total of guesses from one look ahead: what every first guess would leave, by numbers alone."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from evilpegs_game.codes import Code, Columns, to_columns
from evilpegs_game.least.count_bound import Ints, least_totals
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
        self._bounds = least_totals(most, codes)[most]

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
