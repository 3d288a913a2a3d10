"""The tables of a count, kept so that the codes they stand for can be listed and drawn at random.

Each code is a path through the tables: each color in turn is given to its pegs. Colors are added from both ends of
their order to the tables of two halves, which meet in the middle. A row of one half and the row of the other half that
completes it stand for as many codes as the product of their numbers of partial codes.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Code, Columns, RandomSource
from evilpegs_game.counting.backtracking import list_live_edges, partners, step_back
from evilpegs_game.counting.code_numbers import (
    codes_fit_word,
    combine_lists,
    extend_lists,
    numbers_to_columns,
    sort_numbers,
)
from evilpegs_game.counting.extend import INITIAL_SLOTS, extend_part
from evilpegs_game.counting.layout import COLORINGS, Index, Rows, Slots, Table, Words
from evilpegs_game.counting.problem import MAX_COUNT, CountingProblem
from evilpegs_game.counting.score_increments import score_increments
from evilpegs_game.errors import ContradictionError, TooLargeError
from evilpegs_game.feedback import History
from evilpegs_game.rules import Rules

LIST_BYTES: Final = 32
"""Bytes per listed code, besides one per peg: its number twice, and the partial codes of the halves."""
_EDGE_BYTES: Final = 3 * 4 + 8  # three int32 numbers, and one coloring of 64 bits


class SolutionTables:
    """The candidates of a history as tables of partial codes, to be listed or drawn.

    The tables, and the paths through them while codes are listed, take at most ``max_bytes``. Raises
    ContradictionError, or TooLargeError if they do not fit or there are more than 2**63 - 1 codes.
    """

    def __init__(self, rules: Rules, history: History, max_bytes: int) -> None:
        if rules.size > MAX_COUNT:
            raise TooLargeError(
                f"{rules} has {rules.size:,} codes; at most {MAX_COUNT:,} can be listed or drawn; take smaller rules"
            )
        self._problem = CountingProblem(rules, history, None, ungrouped=True, max_bytes=max_bytes)
        self.work = 0
        self._max_bytes = max_bytes
        self.bytes_used = 0
        self._increments: dict[int, Rows] = {}
        with np.errstate(over="ignore"):
            self._levels = self._build_levels()
            if not self._levels[0]:
                raise self._too_large()
            self._partners = partners(self._problem.layout, self._levels[0][-1][1], self._levels[1][-1][1])
        self._rows = np.flatnonzero(self._partners >= 0)
        one = self._levels[0][-1][1].rows[self._rows]
        other = self._levels[1][-1][1].rows[self._partners[self._rows]]
        self._sums = np.cumsum(one[:, COLORINGS].astype(np.int64) * other[:, COLORINGS].astype(np.int64))
        if not len(self._sums):
            raise ContradictionError(f"no code of {rules} is consistent with the feedback so far")

    @property
    def count(self) -> int:
        return int(self._sums[-1])

    def sample(self, rng: RandomSource) -> Code:
        index = rng.randrange(self.count)
        pair = int(np.searchsorted(self._sums, index, side="right"))
        row = int(self._rows[pair])
        code = [0] * self._problem.rules.pegs
        with np.errstate(over="ignore"):
            for side, start in enumerate((row, int(self._partners[row]))):
                self._backtrack(side, start, rng, code)
        return tuple(code)

    def columns(self) -> Columns:
        """Return all codes in code order, read-only; this takes up to `LIST_BYTES` bytes per code, and one per peg.

        Raises TooLargeError if a code does not fit into 64 bits as a number, or if the paths through the tables, from
        which the codes are read, do not fit beside the tables.
        """
        rules = self._problem.rules
        if not codes_fit_word(rules):
            raise TooLargeError(
                f"codes of {rules} cannot be listed, as {rules.colors}**{rules.pegs} is over 2**64; sample them"
            )
        tables = self.bytes_used
        try:
            with np.errstate(over="ignore"):
                one, other = self._colorings(0, self._rows), self._colorings(1, self._partners[self._rows])
        finally:
            self.bytes_used = tables
        ends = self._rows, self._partners[self._rows]
        numbers = combine_lists(*ends, *one, *other)
        ordered = sort_numbers(numbers, (rules.colors**rules.pegs).bit_length())
        columns = numbers_to_columns(ordered, rules.pegs, rules.colors)
        columns.flags.writeable = False
        return columns

    def _build_levels(self) -> tuple[list[tuple[int, Table]], list[tuple[int, Table]]]:
        problem, (room, max_slots) = self._problem, self._problem.new_room(self._max_bytes)
        levels = ([(-1, problem.empty_table)], [(-1, problem.empty_table)])
        order, slots = problem.order.tolist(), np.empty(INITIAL_SLOTS, np.int32)
        while order:
            side = int(len(levels[0][-1][1].rows) > len(levels[1][-1][1].rows))
            color = order.pop(-1 if side else 0)
            had = [color, *(added for added, _ in levels[side][1:])]
            before, to_come = levels[side][-1][1], np.setdiff1d(problem.order, had)
            starts, rows, slots, end = extend_part(problem.layout, before, color, to_come, 0, room, slots, max_slots)
            if end < len(starts) - 1:
                return ([], [])  # without an error, which would keep the tables as long as it is kept
            table = Table(starts, rows)
            room = room[len(table.rows) :]
            self.work += len(table.rows)
            self._reserve(table.rows.nbytes)
            levels[side].append((color, table))
        return levels

    def _reserve(self, needed: int) -> None:
        self.bytes_used += needed
        if self.bytes_used > self._max_bytes:
            raise self._too_large()

    def _too_large(self) -> TooLargeError:
        return TooLargeError(
            f"the tables of {self._problem.rules} after so few guesses do not fit {self._max_bytes:,} bytes"
        )

    def _increments_of(self, color: int) -> Rows:
        known = self._increments.get(color)
        if known is None:
            known = self._increments[color] = score_increments(self._problem.layout, color)
        return known

    def _backtrack(self, side: int, row: int, rng: RandomSource, code: list[int]) -> None:
        problem, layout = self._problem, self._problem.layout
        for (color, table), (_, previous) in zip(self._levels[side][:0:-1], self._levels[side][-2::-1], strict=True):
            increments = self._increments_of(color)
            subset = int(np.searchsorted(table.starts, row, side="right")) - 1
            index = rng.randrange(int(table.rows[row, COLORINGS]))
            row, added = step_back(layout, previous, increments, subset, table.rows[row], index)
            for peg in np.flatnonzero(layout.subsets.pegs[added]).tolist():
                code[peg] = problem.color_groups[color][0]

    def _colorings(self, side: int, ends: Index) -> tuple[Index, Words]:
        levels = self._levels[side]
        live = np.zeros(len(levels[-1][1].rows), np.bool_)
        live[ends] = True
        steps = []
        for (color, table), (_, previous) in zip(levels[:0:-1], levels[-2::-1], strict=True):
            edges = self._edges(table, previous, color, live)
            steps.append((color, len(table.rows), edges))
            live = np.zeros(len(previous.rows), np.bool_)
            live[edges[:, 0]] = True
        first, numbers = np.array([0, 1]), np.zeros(1, np.uint64)
        for color, rows, edges in reversed(steps):
            first, numbers = extend_lists(first, numbers, edges, rows, self._code_values(color))
        return first, numbers

    def _code_values(self, color: int) -> Words:
        problem = self._problem
        digits = np.array([problem.rules.colors**power for power in range(problem.rules.pegs)][::-1], np.uint64)
        ones: Words = (problem.layout.subsets.pegs.astype(np.uint64) * digits).sum(axis=1, dtype=np.uint64)
        return ones * np.uint64(sum(problem.color_groups[color]))

    def _edges(self, table: Table, previous: Table, color: int, live: NDArray[np.bool_]) -> Slots:
        increments = self._increments_of(color)
        max_edges = int(table.rows[live, COLORINGS].sum())
        self._reserve(max_edges * _EDGE_BYTES)
        edges = np.empty((max_edges, 3), np.int32)
        return edges[: list_live_edges(self._problem.layout, previous, increments, table, live, edges)]
