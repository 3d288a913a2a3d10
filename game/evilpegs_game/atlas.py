"""The atlas of a live set: the tables of `counting` kept, so that its codes can be listed and drawn at random.

Every code is a path through the tables: each color in turn takes its pegs. Two tables meet in the middle; a row of one
and the row of the other that completes it stand for as many codes as the product of their counts.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Code, Columns
from evilpegs_game.counting import Builder, Frame, History, Table, most_rows, power_of_two
from evilpegs_game.counting_kernels import Index, Words, live_edges, partners
from evilpegs_game.errors import ContradictionError, TooLargeError
from evilpegs_game.kernel import kernel
from evilpegs_game.rules import Rules


class Dice(Protocol):
    """Where draws come from; a `random.Random` is one."""

    def randrange(self, stop: int, /) -> int:
        """One of the numbers from 0 to below ``stop``, each as likely as any other."""
        ...


class Atlas:
    """All codes consistent with a history, on the map. ``max_bytes`` bounds what the tables take.

    Raises:
        ContradictionError: there is none.
        TooLargeError: the tables do not fit, or there are more codes than can be counted.
    """

    def __init__(self, rules: Rules, history: History, max_bytes: int) -> None:
        self._frame = Frame(rules, history, None, apart=True, max_bytes=max_bytes)
        self._builder = Builder(self._frame)
        self._max_bytes = max_bytes
        self._gains: dict[int, tuple[Words, Index]] = {}
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

    def sample(self, dice: Dice) -> Code:
        """One of the codes, each as likely as any other."""
        place = dice.randrange(self.count)
        pair = int(np.searchsorted(self._sums, place, side="right"))
        row = int(self._rows[pair])
        code = [0] * self._frame.rules.pegs
        with np.errstate(over="ignore"):
            for side, start in enumerate((row, int(self._partners[row]))):
                self._walk_back(side, start, dice, code)
        return tuple(code)

    def columns(self) -> Columns:
        """All of them in code order, read-only; takes some 50 bytes a code on the way."""
        pegs = self._frame.rules.pegs
        codes = np.zeros((len(self._rows), pegs), np.uint8)
        ends: list[Index] = [self._rows, self._partners[self._rows]]
        with np.errstate(over="ignore"):
            for side in range(2):
                codes, ends = self._expand(side, codes, ends)
        weights = self._frame.rules.colors ** np.arange(pegs - 1, -1, -1, dtype=np.int64)
        order = np.argsort(codes @ weights)
        columns = np.ascontiguousarray(codes[order].T)
        columns.flags.writeable = False
        return columns

    def _build(self) -> tuple[list[tuple[int, Table]], list[tuple[int, Table]]]:
        """The tables of both halves, each with the color that came last; the first has none."""
        blank = self._frame.blank
        levels = ([(-1, blank)], [(-1, blank)])
        order, kept = list(self._frame.order), 0
        most = most_rows(self._frame, self._max_bytes)
        while order:
            side = int(len(levels[0][-1][1].rows) > len(levels[1][-1][1].rows))
            color = order.pop(-1 if side else 0)
            table = self._builder.with_color(levels[side][-1][1], color, self._remaining(levels[1 - side], order), most)
            kept += table.rows.nbytes if table else 0
            if table is None or kept > self._max_bytes:
                message = f"the tables of {self._frame.rules} after so few guesses do not fit {self._max_bytes:,} bytes"
                raise TooLargeError(message)
            levels[side].append((color, table))
        return levels

    @staticmethod
    def _remaining(other: list[tuple[int, Table]], rest: list[int]) -> list[int]:
        return [*rest, *(color for color, _ in other[1:])]

    def _meet(self) -> Index:
        one, other = self._levels[0][-1][1], self._levels[1][-1][1]
        most = int(np.diff(other.starts).max())
        heads = np.empty(power_of_two(2 * most), np.int32)
        following = np.empty(most, np.int32)
        return partners(one.starts, one.rows, other.starts, other.rows, self._frame.targets, heads, following)

    def _gains_of(self, color: int) -> tuple[Words, Index]:
        """What sets of pegs add if they get the color, and which may; worked out once."""
        known = self._gains.get(color)
        if known is None:
            gains, ways = self._frame.gains(color)
            known = self._gains[color] = (gains, np.flatnonzero(ways))
        return known

    def _walk_back(self, side: int, row: int, dice: Dice, code: list[int]) -> None:
        """Give the pegs of a row their colors, last color first, each way in proportion to its count."""
        frame = self._frame
        for (color, table), (_, before) in zip(self._levels[side][:0:-1], self._levels[side][-2::-1], strict=True):
            gains, subsets = self._gains_of(color)
            fill = int(np.searchsorted(table.starts, row, side="right")) - 1
            place = dice.randrange(int(table.rows[row, 0]))
            row, subset = _step_back(
                frame.packed,
                frame.packed_guards,
                before.starts,
                before.rows,
                subsets,
                gains,
                fill,
                table.rows[row],
                place,
            )
            for peg in np.flatnonzero(frame.fills[subset]).tolist():
                code[peg] = frame.colors[color][0]

    def _expand(self, side: int, codes: NDArray[np.uint8], ends: list[Index]) -> tuple[NDArray[np.uint8], list[Index]]:
        """Every way back through the tables of one half from where each code stands."""
        frame = self._frame
        levels = self._levels[side]
        live = np.zeros(len(levels[-1][1].rows), np.bool_)
        live[ends[side]] = True
        for (color, table), (_, before) in zip(levels[:0:-1], levels[-2::-1], strict=True):
            edges = self._edges(table, before, color, live)
            live = np.zeros(len(before.rows), np.bool_)
            live[edges[:, 0]] = True
            edges = edges[np.argsort(edges[:, 2], kind="stable")]
            first = np.searchsorted(edges[:, 2], np.arange(len(table.rows) + 1))
            codes, here, there = _follow(
                codes, ends[side], ends[1 - side], edges, first, frame.fills, frame.colors[color][0]
            )
            ends = [here, there] if side == 0 else [there, here]
        return codes, ends

    def _edges(self, table: Table, before: Table, color: int, live: NDArray[np.bool_]) -> Index:
        frame = self._frame
        gains, subsets = self._gains_of(color)
        most = int(np.diff(table.starts).max())
        edges = np.empty((int(table.rows[live, 0].sum()), 3), np.int64)
        count = live_edges(
            frame.packed,
            frame.packed_guards,
            before.starts,
            before.rows,
            subsets,
            gains,
            table.starts,
            table.rows,
            live,
            np.empty(power_of_two(2 * most), np.int32),
            np.empty(most, np.int32),
            edges,
        )
        return edges[:count]


@kernel
def _follow(
    codes: NDArray[np.uint8], here: Index, there: Index, edges: Index, first: Index, fills: NDArray[np.int8], color: int
) -> tuple[NDArray[np.uint8], Index, Index]:
    """Each code once for every edge that leads to its row, with the color at the pegs of the edge."""
    many = 0
    for item in range(here.size):
        many += first[here[item] + 1] - first[here[item]]
    grown = np.empty((many, codes.shape[1]), np.uint8)
    rows, others = np.empty(many, np.int64), np.empty(many, np.int64)
    place = 0
    for item in range(here.size):
        for edge in range(first[here[item]], first[here[item] + 1]):
            rows[place], others[place] = edges[edge, 0], there[item]
            for peg in range(codes.shape[1]):
                grown[place, peg] = color if fills[edges[edge, 1], peg] else codes[item, peg]
            place += 1
    return grown, rows, others


@kernel
def _step_back(
    packed: Words,
    packed_guards: np.uint64,
    starts: Index,
    rows: Words,
    subsets: Index,
    gains: Words,
    fill: int,
    row: Words,
    place: int,
) -> tuple[int, int]:
    """The row, and the subset of pegs, from which the coloring number ``place`` of a row comes."""
    left = np.uint64(place)
    for number in range(subsets.size):
        subset = subsets[number]
        if (((packed[fill] | packed_guards) - packed[subset]) & packed_guards) != packed_guards:
            continue
        for before in range(starts[fill - subset], starts[fill - subset + 1]):
            same = True
            for column in range(1, row.size):
                same = same and rows[before, column] + gains[subset, column - 1] == row[column]
            if same:
                if left < rows[before, 0]:
                    return before, subset
                left -= rows[before, 0]
    return -1, -1
