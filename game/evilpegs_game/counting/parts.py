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

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Code
from evilpegs_game.counting.color_order import color_order
from evilpegs_game.counting.kernels import (
    Index,
    Rows,
    Words,
    add_color,
    color_gains,
    fill_bounds,
    join,
)
from evilpegs_game.errors import ContradictionError, TooLargeError
from evilpegs_game.feedback import Feedback, feedbacks
from evilpegs_game.rules import Rules

History = Sequence[tuple[Code, Feedback]]

MAX_COUNT: Final = 2**63 - 1
"""Part sizes are counted in 63 bits: rules with more codes are refused."""
DEFAULT_BYTES: Final = 192 << 20
MAX_ROWS: Final = 2**31 - 1
_FEW_SLOTS: Final = 1 << 12
_SLOT_BYTES: Final = 48
"""What a row takes in the index over its fill (slots are mostly empty), and while its table grows."""
_ANYWAY_BYTES: Final = 64 << 10
_FILL_BYTES: Final = 512
"""What a count takes for each fill besides rows: numbers of the fill, bounds, gains, and where its rows start."""
_SHARED_FILLS: Final = 1 << 12
"""Up to so many fills are kept for the next count; they take 150 KiB with 12 pegs."""
_FEW_ROWS: Final = 1 << 14
_GROWTH: Final = 8
_NO_SLOT: Final = -2
_LOOK_UPS: Final = 8
"""So many rows are looked up in the time in which one is made."""
_WORD_BITS: Final = 64
_MAX_WORDS: Final = 2
_BINOMIALS = np.array([[math.comb(n, k) for k in range(17)] for n in range(17)])


class PartCount(NamedTuple):
    """The size of each part in the order of `feedbacks`, and the work it took: rows made, or as much as that."""

    sizes: tuple[int, ...]
    work: int


class Table(NamedTuple):
    """Partial colorings, as `kernels` describes."""

    starts: Index
    rows: Rows


def count_parts(rules: Rules, history: History, guess: Code, max_bytes: int = DEFAULT_BYTES) -> PartCount:
    """The parts of ``guess`` among the codes consistent with ``history``, counted within ``max_bytes``.

    Raises:
        ContradictionError: no code is consistent with the history.
        TooLargeError: there are over `MAX_COUNT` codes, or ``max_bytes`` is too little for any table.
    """
    frame = Frame(rules, history, guess, max_bytes=max_bytes)
    counter = _Counter(frame)
    with np.errstate(over="ignore"):  # hashes wrap; as plain Python the kernels would warn of it
        counter.count((frame.blank, frame.blank), 0, len(frame.order) - 1, most_rows(frame, max_bytes))
    sizes = tuple(counter.size(given) for given in feedbacks(rules.pegs))
    if not any(sizes):
        message = f"no code of {rules} is consistent with the feedback so far"
        raise ContradictionError(message)
    return PartCount(sizes, counter.work)


class Frame:
    """What the tables of one count have in common: fills, fields of the guesses, colors and their order.

    ``guess`` is asked, its feedback is free; None counts the candidates alone. With ``apart`` each peg is a kind and
    each color a color of its own, so that rows lead to codes and not just to their number; only then the codes can be
    held to a ``beginning``.

    Raises:
        TooLargeError: there are too many codes or guesses to count with, or it takes more than ``max_bytes``.
    """

    def __init__(
        self,
        rules: Rules,
        history: History,
        guess: Code | None,
        *,
        apart: bool = False,
        max_bytes: int | None = None,
        beginning: Code = (),
    ) -> None:
        if rules.size > MAX_COUNT:
            message = f"{rules} has {rules.size:,} codes; at most {MAX_COUNT:,} can be counted; take smaller rules"
            raise TooLargeError(message)
        self.rules = rules
        answered = list(dict.fromkeys(history))
        self.guesses = ([guess] if guess is not None else []) + [code for code, _ in answered]
        targets = ([(-1, -1)] if guess is not None else []) + [(b, b + w) for _, (b, w) in answered]
        self.blacks = np.array([black for black, _ in targets], np.int64)
        self.matches = np.array([match for _, match in targets], np.int64)
        self._max_bytes = max_bytes
        self._beginning = beginning
        self._lay_out_fields(guess is not None)
        self._lay_out_fills(apart)
        self._lay_out_colors(apart)

    def _lay_out_fills(self, apart: bool) -> None:
        pegs: dict[object, list[int]] = {}
        for peg in range(self.rules.pegs):
            pegs.setdefault(peg if apart else tuple(guess[peg] for guess in self.guesses), []).append(peg)
        self.pegs = tuple(map(tuple, pegs.values()))
        self.kinds = np.array([len(group) for group in self.pegs], np.int64)
        many = math.prod(len(group) + 1 for group in self.pegs)
        self._check_bytes(many)
        fills_of = _shared_fills if many <= _SHARED_FILLS else _fills_of
        fills = fills_of(tuple(map(len, self.pegs)))
        self.fills, self.packed, self.packed_guards, self.sizes, self.arrangements = fills

    def _lay_out_colors(self, apart: bool) -> None:
        """Each color of a guess, and one more for all that no guess has, if there are any."""
        every = range(self.rules.colors)
        colors = list(every) if apart else sorted({color for guess in self.guesses for color in guess})
        unused = tuple(color for color in every if color not in colors)
        self.colors = tuple((color,) for color in colors) + ((unused,) if unused else ())
        number = {color: place for place, color in enumerate(colors)}
        shape = len(self.guesses), len(self.colors)
        times = [[guess.count(each[0]) if each != unused else 0 for each in self.colors] for guess in self.guesses]
        self.times = np.array(times, np.int64).reshape(shape)
        color_of = [[number[guess[group[0]]] for group in self.pegs] for guess in self.guesses]
        self.color_of = np.array(color_of, np.int64).reshape(len(self.guesses), len(self.kinds))
        self.order = color_order(self.times, self.rules.pegs)
        self._has_color = (self.color_of == np.arange(len(self.colors))[:, None, None]).astype(np.int8)
        self._times_by_color = np.ascontiguousarray(self.times.T)

    def _lay_out_fields(self, asked: bool) -> None:
        self.bits = self.rules.pegs.bit_length() if asked else 0
        self.asked = np.uint64((1 << self.bits) - 1)
        self.words = np.zeros(len(self.guesses), np.int64)
        self.shifts = np.zeros(len(self.guesses), np.int64)
        targets = [[int(self.asked), int(self.asked), 0]]
        shift = self.bits
        for guess in range(int(asked), len(self.guesses)):
            black, match = int(self.blacks[guess]), int(self.matches[guess])
            if shift + match.bit_length() + 1 > _WORD_BITS:
                targets.append([0, 0, 0])
                shift = 0
            self.words[guess], self.shifts[guess] = len(targets) - 1, shift
            targets[-1][0] += black << shift
            targets[-1][1] += (match - black) << shift
            shift += match.bit_length()
            targets[-1][2] += 1 << shift
            shift += 1
        if len(targets) > _MAX_WORDS:
            message = f"a history of {len(self.guesses)} different guesses is too long to count with"
            raise TooLargeError(message)
        self.targets = np.array(targets, np.uint64)

    @property
    def blank(self) -> Table:
        """The table of no colors: one row, for the fill without a peg."""
        starts = np.ones(len(self.fills) + 1, np.int64)
        starts[0] = 0
        rows = np.zeros((1, 1 + 2 * len(self.targets)), np.uint64)
        rows[0, 0] = 1
        return Table(starts, rows)

    def gains(self, color: int) -> tuple[Words, Words]:
        """What each set of pegs adds if it gets this color: uint64 (fills, 2 x words), and how often it counts."""
        several = len(self.colors[color])
        most = self.rules.pegs if self.rules.repeats else several
        gains = np.empty((len(self.fills), 2 * len(self.targets)), np.uint64)
        possible = np.empty(len(self.fills), np.bool_)
        color_gains(
            self.fills,
            self.sizes,
            self._has_color[color],
            self._times_by_color[color],
            most,
            self.blacks,
            self.matches,
            self.words,
            self.shifts,
            gains,
            possible,
        )
        if self._beginning:
            settled = np.array([self.colors[color] == (one,) for one in self._beginning], np.int8)
            possible &= (self.fills[:, : settled.size] == settled).all(axis=1)
        ways = _ways(several, self.rules.pegs, self.rules.repeats)
        return gains, ways[self.sizes] * possible

    def bounds(self, remaining: Sequence[int]) -> Words:
        """What the guesses must have got in each fill once only these colors remain: uint64 (fills, words, 3)."""
        bounds = np.zeros((len(self.fills), len(self.targets), 3), np.uint64)
        bounds[:, 0, 2] = self.asked
        room = np.zeros(len(self.colors), np.int64)
        for color in remaining:
            room[color] = self.rules.pegs if self.rules.repeats else len(self.colors[color])
        fill_bounds(
            self.fills,
            self.kinds,
            self.color_of,
            self.times,
            room,
            self.rules.repeats,
            self.blacks,
            self.matches,
            self.words,
            self.shifts,
            bounds,
        )
        return bounds

    def _check_bytes(self, fills: int) -> None:
        """Refuse so many fills before they are laid out, if even the smallest tables would take too much."""
        if (
            self._max_bytes is not None
            and (needed := _least_bytes(fills, self.rules, len(self.targets))) > self._max_bytes
        ):
            message = f"counting {self.rules} takes at least {needed:,} bytes; the bound is {self._max_bytes:,}"
            raise TooLargeError(message)


class _Fills(NamedTuple):
    """All ways to fill some pegs of each kind, in `fills` (fills, kinds), int8; each packed in a word, its guards.

    ``sizes`` are the pegs that a fill has, ``arrangements`` the ways to choose them.
    """

    fills: NDArray[np.int8]
    packed: NDArray[np.uint64]
    packed_guards: np.uint64
    sizes: Index
    arrangements: NDArray[np.uint64]


def _fills_of(kinds: tuple[int, ...]) -> _Fills:
    """The fills of so many pegs of each kind."""
    each = np.array(kinds, np.int64)
    strides = np.concatenate([[1], np.cumprod(each + 1)])
    fills = (np.arange(strides[-1])[:, None] // strides[:-1] % (each + 1)).astype(np.int8)
    widths = np.array([kind.bit_length() + 1 for kind in kinds], np.uint64)
    places = np.concatenate([[0], np.cumsum(widths)]).astype(np.uint64)
    return _Fills(
        fills=fills,
        packed=(fills.astype(np.uint64) << places[:-1]).sum(axis=1, dtype=np.uint64),
        packed_guards=np.bitwise_or.reduce(np.uint64(1) << (places[1:] - np.uint64(1))),
        sizes=fills.sum(axis=1).astype(np.int64),
        arrangements=_BINOMIALS[each, fills].prod(axis=1).astype(np.uint64),
    )


_shared_fills: Final = lru_cache(64)(_fills_of)
"""Never written to; 10 MiB at most."""


@lru_cache(64)
def _ways(several: int, pegs: int, repeats: bool) -> NDArray[np.uint64]:
    """In how many ways each number of pegs gets some of so many colors that are alike. Never written to."""
    choose = (lambda size: several**size) if repeats else (lambda size: math.perm(several, size))
    return np.array([choose(size) for size in range(pegs + 1)], np.uint64)


class Builder:
    """Makes tables, each with one color more than another, within a bound of rows."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.work = 0
        self._slots = np.empty(_FEW_SLOTS, np.int32)

    def with_color(self, table: Table, color: int, remaining: Sequence[int], most: int) -> Table | None:
        """The table with one color more, so that ``remaining`` are left; None if it had over ``most`` rows."""
        frame = self.frame
        gains, ways = frame.gains(color)
        bounds = frame.bounds(remaining)
        starts = np.empty_like(table.starts)
        room = min(_GROWTH * len(table.rows) + _FEW_ROWS, most)
        while True:
            rows = np.empty((room, table.rows.shape[1]), np.uint64)
            self._slots.fill(-1)
            used = add_color(
                frame.fills,
                frame.packed,
                frame.packed_guards,
                table.starts,
                table.rows,
                ways.nonzero()[0],
                gains,
                ways,
                frame.targets,
                bounds,
                _BINOMIALS,
                starts,
                rows,
                self._slots,
            )
            if used >= 0:
                self.work += used
                return Table(starts, rows[:used])
            del rows  # before there are more
            if used == _NO_SLOT:
                self._slots = np.empty(4 * len(self._slots), np.int32)
            elif room == most:
                return None
            else:
                room = min(4 * room, most)


class _Counter:
    """One count under way: the sums so far and the work."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._builder = Builder(frame)
        self._sums = np.zeros(1 << (2 * frame.bits), np.int64)
        self._looked_up = 0

    @property
    def work(self) -> int:
        """Rows made, and rows looked up at the end, which takes a fraction of making one."""
        return self._builder.work + self._looked_up // _LOOK_UPS

    def size(self, given: Feedback) -> int:
        """What was counted for this feedback of the asked guess."""
        return int(self._sums[(given.black << self._frame.bits) + given.black + given.white])

    @property
    def total(self) -> int:
        """All that was counted."""
        return int(self._sums.sum())

    def count(self, halves: tuple[Table, Table], first: int, last: int, most: int) -> None:
        """Count with two tables that lack the colors ``first`` to ``last`` of the order, in tables of ``most`` rows."""
        order = self._frame.order
        side = int(len(halves[0].rows) > len(halves[1].rows))
        if first == last:
            self._join(halves[side], halves[1 - side], order[first])
            return
        color, remaining = (order[last], order[:last]) if side else (order[first], order[first + 1 :])
        following = (first, last - 1) if side else (first + 1, last)
        parts, whole = [halves[side]], True
        while parts:
            part = parts.pop()
            grown = self._builder.with_color(part, color, remaining, most)
            if grown is not None:
                self.count((halves[0], grown) if side else (grown, halves[1]), *following, most)
                continue
            if whole:  # smaller tables from here on: those of all divisions under way exist at once
                most, whole = max(most // 2, len(self._frame.fills)), False
            parts.extend(_divided(part))

    def _join(self, one: Table, other: Table, color: int) -> None:
        """Count all codes of which ``one`` and ``other`` say all but where the last color is."""
        frame = self._frame
        gains, ways = frame.gains(color)
        most = int(np.diff(other.starts).max())
        heads = np.empty(power_of_two(2 * most), np.int32)
        self._looked_up += join(
            frame.fills,
            frame.packed,
            frame.packed_guards,
            one.starts,
            one.rows,
            np.flatnonzero(ways),
            gains,
            ways,
            other.starts,
            other.rows,
            frame.arrangements,
            _BINOMIALS,
            frame.targets,
            frame.asked,
            frame.bits,
            heads,
            np.empty(most, np.int32),
            self._sums,
        )


def most_rows(frame: Frame, max_bytes: int) -> int:
    """How many rows a table may have, so that all tables that exist at once stay within ``max_bytes``.

    Three do without a division; each division adds three of half the size or, at last, of one row a fill.
    """
    fills = len(frame.fills)
    rows = (max_bytes - fills * _FILL_BYTES - _ANYWAY_BYTES) // _row_bytes(len(frame.targets))
    return int(min((rows - len(frame.order) * fills) // 2, MAX_ROWS))


def count_beginning(rules: Rules, history: History, beginning: Code, max_bytes: int = DEFAULT_BYTES) -> int:
    """How many codes consistent with ``history`` have these colors at their first pegs; it may be none.

    Raises:
        TooLargeError: as `count_parts` does.
    """
    frame = Frame(rules, history, None, apart=True, max_bytes=max_bytes, beginning=beginning)
    counter = _Counter(frame)
    with np.errstate(over="ignore"):
        counter.count((frame.blank, frame.blank), 0, len(frame.order) - 1, most_rows(frame, max_bytes))
    return counter.total


def least_bytes(rules: Rules) -> int:
    """With so many bytes any history on ``rules`` can be counted; fewer may do."""
    return _least_bytes(int(2**rules.pegs), rules, _MAX_WORDS)


def _least_bytes(fills: int, rules: Rules, words: int) -> int:
    return fills * (_FILL_BYTES + (3 + rules.colors) * _row_bytes(words)) + _ANYWAY_BYTES


def _row_bytes(words: int) -> int:
    """What a row takes in each of the three tables that exist at a time, and in the index."""
    return 3 * 8 * (1 + 2 * words) + _SLOT_BYTES


def _divided(table: Table) -> Iterator[Table]:
    """The rows in two tables; together they are the whole."""
    middle = len(table.rows) // 2
    yield Table(np.minimum(table.starts, middle), table.rows[:middle])
    yield Table(np.maximum(table.starts - middle, 0), table.rows[middle:])


def power_of_two(least: int) -> int:
    """The least power of two that is at least this, and 16."""
    return 1 << max(4, (least - 1).bit_length())
