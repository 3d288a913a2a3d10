"""The atlas of a live set: the tables of `parts` kept, so that its codes can be listed and drawn at random.

Every code is a path through the tables: each color in turn takes its pegs. Two tables meet in the middle; a row of one
and the row of the other that completes it stand for as many codes as the product of their counts.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Code, Columns
from evilpegs_game.counting.backtracking import live_edges, partners, step_back
from evilpegs_game.counting.code_numbers import extended, has_numbers, in_order, paired, to_columns
from evilpegs_game.counting.extend import FEW_SLOTS, with_color
from evilpegs_game.counting.layout import Index, Slots, Table, Words
from evilpegs_game.counting.part_counts import FEW_ROWS, table_rows
from evilpegs_game.counting.problem import Frame
from evilpegs_game.counting.score_increments import color_gains
from evilpegs_game.errors import ContradictionError, TooLargeError
from evilpegs_game.history import History
from evilpegs_game.random_source import RandomSource
from evilpegs_game.rules import Rules

LIST_BYTES: Final = 32
"""What a code takes while it is listed, besides one byte a peg: its number twice, and what its halves take."""
_EDGE_BYTES: Final = 3 * 4 + 8
"""What a step back takes: three numbers, and a coloring that it leads to."""


class _Listed(NamedTuple):
    """Colorings as numbers with one digit a peg: those of row ``r`` are ``first[r]`` to ``first[r + 1]``."""

    first: Index
    numbers: Words


class Atlas:
    """All codes consistent with a history, on the map. ``max_bytes`` bounds what the tables take.

    Raises:
        ContradictionError: there is none.
        TooLargeError: the tables do not fit, or there are more codes than can be counted.
    """

    def __init__(self, rules: Rules, history: History, max_bytes: int) -> None:
        self._frame = Frame(rules, history, None, apart=True, max_bytes=max_bytes)
        self.work = 0
        """Rows made."""
        self._max_bytes = max_bytes
        self.bytes_taken = 0
        """Bytes of the tables, and while codes are listed of what leads to them."""
        self._gains: dict[int, tuple[Words, Words]] = {}
        with np.errstate(over="ignore"):
            self._levels = self._build()
            self._partners = self._meet()
        self._rows = np.flatnonzero(self._partners >= 0)
        one, other = self._levels[0][-1][1].rows, self._levels[1][-1][1].rows
        counts = one[self._rows, 0].astype(np.int64) * other[self._partners[self._rows], 0].astype(np.int64)
        self._sums = np.cumsum(counts)
        if not len(self._sums):
            message = f"no code of {rules} is consistent with the feedback so far"
            raise ContradictionError(message)

    @property
    def count(self) -> int:
        """How many codes there are."""
        return int(self._sums[-1])

    def sample(self, rng: RandomSource) -> Code:
        """One of the codes, each as likely as any other."""
        place = rng.randrange(self.count)
        pair = int(np.searchsorted(self._sums, place, side="right"))
        row = int(self._rows[pair])
        code = [0] * self._frame.rules.pegs
        with np.errstate(over="ignore"):
            for side, start in enumerate((row, int(self._partners[row]))):
                self._walk_back(side, start, rng, code)
        return tuple(code)

    def columns(self) -> Columns:
        """All of them in code order, read-only; each takes up to `LIST_BYTES` and one a peg, besides the tables.

        Raises:
            TooLargeError: their numbers do not fit a word, or what leads to them does not fit beside the tables.
        """
        rules = self._frame.rules
        if not has_numbers(rules):
            message = f"codes of {rules} cannot be listed, as {rules.colors}**{rules.pegs} is over 2**64; sample them"
            raise TooLargeError(message)
        tables = self.bytes_taken
        try:
            with np.errstate(over="ignore"):
                one, other = self._listed(0, self._rows), self._listed(1, self._partners[self._rows])
        finally:
            self.bytes_taken = tables
        numbers = paired(self._rows, self._partners[self._rows], one.first, one.numbers, other.first, other.numbers)
        columns = to_columns(in_order(numbers, (rules.colors**rules.pegs).bit_length()), rules.pegs, rules.colors)
        columns.flags.writeable = False
        return columns

    def _build(self) -> tuple[list[tuple[int, Table]], list[tuple[int, Table]]]:
        """The tables of both halves, each with the color that came last; the first has none."""
        frame, most = self._frame, table_rows(self._frame, self._max_bytes)
        levels = ([(-1, frame.blank)], [(-1, frame.blank)])
        order, slots = frame.order.tolist(), np.empty(FEW_SLOTS, np.int32)
        remaining = (frame.layout.colors.most.copy(), frame.layout.colors.most.copy())
        while order:
            side = int(len(levels[0][-1][1].rows) > len(levels[1][-1][1].rows))
            color = order.pop(-1 if side else 0)
            remaining[side][color] = 0
            before = levels[side][-1][1]
            table, slots, fits = with_color(frame.layout, before, color, remaining[side], slots, FEW_ROWS, most)
            if not fits:
                raise self._too_large()
            self.work += len(table.rows)
            self._take(table.rows.nbytes)
            levels[side].append((color, table))
        return levels

    def _take(self, needed: int) -> None:
        """Note what will be kept; refuse it if it is too much with what is."""
        self.bytes_taken += needed
        if self.bytes_taken > self._max_bytes:
            raise self._too_large()

    def _too_large(self) -> TooLargeError:
        return TooLargeError(
            f"the tables of {self._frame.rules} after so few guesses do not fit {self._max_bytes:,} bytes"
        )

    def _meet(self) -> Index:
        return partners(self._frame.layout, self._levels[0][-1][1], self._levels[1][-1][1])

    def _gains_of(self, color: int) -> tuple[Words, Words]:
        """What sets of pegs add if they get the color, and which may; worked out once."""
        known = self._gains.get(color)
        if known is None:
            known = self._gains[color] = color_gains(self._frame.layout, color)
        return known

    def _walk_back(self, side: int, row: int, rng: RandomSource, code: list[int]) -> None:
        """Give the pegs of a row their colors, last color first, each way in proportion to its count."""
        frame, fills = self._frame, self._frame.layout.fills
        for (color, table), (_, before) in zip(self._levels[side][:0:-1], self._levels[side][-2::-1], strict=True):
            gains, ways = self._gains_of(color)
            fill = int(np.searchsorted(table.starts, row, side="right")) - 1
            place = rng.randrange(int(table.rows[row, 0]))
            row, subset = step_back(fills, before, gains, ways, fill, table.rows[row], place)
            for peg in np.flatnonzero(fills.pegs[subset]).tolist():
                code[peg] = frame.colors[color][0]

    def _listed(self, side: int, ends: Index) -> _Listed:
        """The colorings that the rows ``ends`` of the last table of one half stand for."""
        levels = self._levels[side]
        live = np.zeros(len(levels[-1][1].rows), np.bool_)
        live[ends] = True
        steps = []
        for (color, table), (_, before) in zip(levels[:0:-1], levels[-2::-1], strict=True):
            edges = self._edges(table, before, color, live)
            steps.append((color, len(table.rows), edges))
            live = np.zeros(len(before.rows), np.bool_)
            live[edges[:, 0]] = True
        listed = _Listed(np.array([0, 1]), np.zeros(1, np.uint64))
        for color, rows, edges in reversed(steps):
            listed = _Listed(*extended(listed.first, listed.numbers, edges, rows, self._worth(color)))
        return listed

    def _worth(self, color: int) -> Words:
        """What a set of pegs adds to the number of a code if it gets this color: uint64 (fills,)."""
        frame = self._frame
        digits = np.array([frame.rules.colors**power for power in range(frame.rules.pegs)][::-1], np.uint64)
        ones: Words = (frame.layout.fills.pegs.astype(np.uint64) * digits).sum(axis=1, dtype=np.uint64)
        return ones * np.uint64(frame.colors[color][0])

    def _edges(self, table: Table, before: Table, color: int, live: NDArray[np.bool_]) -> Slots:
        gains, ways = self._gains_of(color)
        most_edges = int(table.rows[live, 0].sum())
        self._take(most_edges * _EDGE_BYTES)
        edges = np.empty((most_edges, 3), np.int32)
        return edges[: live_edges(self._frame.layout.fills, before, gains, ways, table, live, edges)]
