"""The part sizes of a guess under a whole history, counted exactly on games of any size without listing the codes.

A code is built color by color: each color is given to a subset of the pegs that have none yet. Of a partial coloring
only two things matter: which pegs have a color, and the score of each guess so far (blacks, and matches = blacks +
whites). Partial colorings that agree in both are counted together; those that can no longer reach a feedback of the
history are dropped. Pegs at which every guess has the same color form a *class*, and only the number of pegs of each
class matters. Colors that occur in no guess are counted as one color with several choices.

The colors are added from both ends of their order to two tables, where fewer rows are estimated. The last two colors
make no table: `join` adds one of them to some peg subsets of one table at a time, and for each row of the other table
and each set of pegs that the other color can take, it looks up the rows that complete the code and lead to the feedback
of every answered guess. So no table has all colors, and the largest tables are never made.

Memory is bounded before anything is allocated. If a table would exceed its bound, the rows of some of its peg subsets
are made and counted at a time; if one peg subset is too much, the table before it is divided into two halves, which are
counted one after the other. Such divisions cost time and never change the result.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Code
from evilpegs_game.counting.extend import INITIAL_SLOTS, add_color, extend_both, extend_part, new_picked, to_half
from evilpegs_game.counting.layout import (
    COLORINGS,
    MATCHES,
    MAX_MATCH,
    MIN_MATCH,
    SCORE,
    STARTS,
    Chains,
    Half,
    Index,
    Layout,
    Rows,
    Slots,
    Table,
    Words,
    add_word,
    hash_score,
    index_rows,
    list_inner_subsets,
    new_chains,
    new_inner_subsets,
    required_scores,
    times,
)
from evilpegs_game.counting.problem import CountingProblem, exact_numbers, moduli
from evilpegs_game.errors import ContradictionError
from evilpegs_game.feedback import History, feedbacks
from evilpegs_game.kernels import ZERO, kernel
from evilpegs_game.rules import Rules

DEFAULT_BYTES: Final = 88 << 20  # besides numba's 160 MiB: 256 MiB suffice for a process that counts
_LEAST_LENGTH: Final = 1 << 8  # of an index of rows
_NUMBERS_PER_ROW: Final = 12  # of four bytes each, in this index
_PART: Final = 0.6  # of the free memory, for a part of a table
_LAST_PART: Final = 0.97  # and if only the join follows
_LOOK_UPS: Final = 8  # rows are looked up in the time that it takes to make one


@kernel
def join(  # noqa: C901
    layout: Layout, one: Half, other: Half, sizes: Words, room: Rows, max_slots: int
) -> tuple[int, int]:
    """Add to ``sizes`` the codes that rows of both tables form with the last two colors.

    Codes with some blacks and matches with the open guess are added to ``sizes[black << open_bits | match]``. No table
    is made with either color. For some peg subsets at a time, ``other`` gets its color, and rows of ``one`` with each
    peg subset that can have its color are looked up among these rows, which are then thrown away. Return the numbers of
    rows made, in ``room``, and of look-ups, or (0, -1) if one peg subset does not fit or takes over ``max_slots``.
    """
    increments = one.increments
    subsets, modulus, open_mask = layout.subsets, layout.modulus, layout.lanes.open_mask
    inner = new_inner_subsets(subsets)
    numbers, choices = inner.numbers, inner.choices
    starts, rows, arrangements = one.table.starts, one.table.rows, subsets.arrangements
    columns, last_subset, answered = rows.shape[1], subsets.sizes.size - 1, ~open_mask
    required, lane_starts = required_scores(layout.lanes.targets), layout.lanes.targets[:, STARTS]
    picked = new_picked(other.table)
    other = _only_completing(layout, one, other)
    length, ready, made, looked_up, sums = ZERO + _LEAST_LENGTH, 0, 0, 0, np.zeros_like(sizes)
    other_starts, (slots, chains, every) = np.zeros_like(starts), _new_index(length)
    for complement in range(last_subset + 1):
        subset = last_subset - complement
        while ready == complement:
            slots[:], other_starts[ready] = -1, 0
            other_rows = room[:length]
            ready = add_color(layout, other, complement, other_starts, other_rows, slots, picked)[0]
            is_short = ready <= last_subset and 2 * other_starts[ready] < length  # or much would be made twice
            if is_short and length < room.shape[0] and 4 * length * _NUMBERS_PER_ROW <= max_slots:
                length, ready = 4 * length, complement
                slots, chains, every = _new_index(length)
            elif ready == complement:
                return 0, -1
            else:
                made += other_starts[ready]
        base, end = other_starts[complement], other_starts[complement + 1]
        mask = index_rows(other_rows, base, end, open_mask, chains, every) if end > base else 0
        heads, following, passing = chains.heads, chains.following, chains.filter
        for index in range(list_inner_subsets(subsets, subset, inner) if end > base else 0):
            added = numbers[index]
            first, last = starts[subset - added], starts[subset - added + 1]
            if first == last or not increments[added, COLORINGS]:
                continue
            factor = times(times(increments[added, COLORINGS], choices[index], modulus), arrangements[subset], modulus)
            more = increments[added, SCORE]
            looked_up += last - first
            for row in range(first, last):
                score, others = rows[row, SCORE] + more, np.uint64(0)
                for column in range(SCORE + 1, columns):
                    others = add_word(others, required[column - SCORE] - rows[row, column] - increments[added, column])
                needed = required[0] - (score & answered)
                number = hash_score(needed, others)
                bit = number & (8 * mask + 7)
                if not passing[bit >> 6] >> np.uint64(bit & 63) & np.uint64(1):
                    continue
                partner = heads[number & mask]
                while partner >= 0:
                    got = other_rows[partner, SCORE]
                    same = got & answered == needed
                    if same and _completes(rows[row], increments[added], other_rows[partner], required, lane_starts):
                        codes = times(rows[row, COLORINGS], other_rows[partner, COLORINGS], modulus)
                        sums[np.int64(score + got & open_mask)] += times(factor, codes, modulus)
                    partner = following[partner - base]
    sizes += sums
    return made, looked_up


@kernel
def _only_completing(layout: Layout, one: Half, other: Half) -> Half:
    # where no row of ``one`` can be completed, bounds that no score is within
    starts, increments, bounds = one.table.starts, one.increments, other.bounds.copy()
    inner, targets = new_inner_subsets(layout.subsets), layout.lanes.targets
    for subset in range(starts.size - 1):
        is_wanted = False
        for index in range(list_inner_subsets(layout.subsets, subset, inner)):
            added = inner.numbers[index]
            is_wanted |= starts[subset - added] < starts[subset - added + 1] and increments[added, COLORINGS] > 0
        if not is_wanted:
            bounds[starts.size - 2 - subset, 0, MIN_MATCH] = targets[0, MATCHES]
            bounds[starts.size - 2 - subset, 0, MAX_MATCH] = 0
    return Half(other.table, other.increments, bounds, other.estimate)


@kernel
def _new_index(length: int) -> tuple[Slots, Chains, NDArray[np.bool_]]:
    return np.empty(4 * length, np.int32), new_chains(length), np.ones(length, np.bool_)


@kernel
def _completes(row: Words, added: Words, partner: Words, required: Words, lane_starts: Words) -> bool:
    # the caller has compared the first words, whose sums may still have carries
    for word in range(required.size):
        one, more, other = row[SCORE + word], added[SCORE + word], partner[SCORE + word]
        carries = one ^ more ^ (one + more) | (one + more) ^ other ^ (one + more + other)
        if carries & lane_starts[word] or (word and one + more + other != required[word]):
            return False
    return True


class PartCount(NamedTuple):
    """The part sizes in feedback order, zeros included, and the cost of counting them.

    ``work`` is the number of table rows made, plus an eighth of the look-ups of rows. ``divisions`` is how often
    only a part of a table was made or counted, to save memory.
    """

    sizes: tuple[int, ...]
    work: int
    divisions: int


def count_parts(rules: Rules, history: History, guess: Code, max_bytes: int = DEFAULT_BYTES) -> PartCount:
    """Count the parts of ``guess``; the tables take at most ``max_bytes``.

    Raises ContradictionError, or TooLargeError for a long history or too few bytes.
    """
    counters = [
        _Counter(CountingProblem(rules, history, guess, max_bytes=max_bytes, modulus=modulus), max_bytes)
        for modulus in moduli(rules)
    ]
    sizes = exact_numbers([counter.sizes() for counter in counters])
    if not any(sizes):
        raise ContradictionError(f"no code of {rules} is consistent with the feedback so far")
    return PartCount(sizes, sum(each.work for each in counters), sum(each.divisions for each in counters))


def has_candidates(rules: Rules, history: History, prefix: Code, max_bytes: int = DEFAULT_BYTES) -> bool:
    """Return True if a candidate begins with ``prefix``; raises TooLargeError as `count_parts` does."""
    for modulus in moduli(rules):  # a number that both divide would be larger than that of all codes
        problem = CountingProblem(
            rules, history, None, ungrouped=True, max_bytes=max_bytes, prefix=prefix, modulus=modulus
        )
        if any(_Counter(problem, max_bytes).sums):
            return True
    return False


class _Counter:
    def __init__(self, problem: CountingProblem, max_bytes: int) -> None:
        self._problem = problem
        self._sums = np.zeros(1 << (2 * problem.layout.lanes.open_bits), np.uint64)
        self._made = self._looked_up = 0
        self.divisions = 0
        room, self._max_slots = problem.new_room(max_bytes)
        with np.errstate(over="ignore"):  # hashes wrap; as plain Python the kernels would warn of it
            self._count((problem.empty_table, problem.empty_table), 0, len(problem.order) - 1, room)

    @property
    def work(self) -> int:
        return self._made + self._looked_up // _LOOK_UPS

    @property
    def sums(self) -> list[int]:
        modulus = int(self._problem.layout.modulus) or 2**64
        return [each % modulus for each in self._sums.tolist()]

    def sizes(self) -> list[int]:
        bits, sums = self._problem.layout.lanes.open_bits, self.sums
        return [sums[(black << bits) + black + white] for black, white in feedbacks(self._problem.rules.pegs)]

    def _count(self, tables: tuple[Table, Table], first: int, last: int, room: Rows) -> None:
        problem, layout = self._problem, self._problem.layout
        *flat, first, last, made, free = extend_both(layout, *tables, problem.order, first, last, room, self._max_slots)
        front, back = map(to_half, flat)
        del tables, flat
        self._made += made
        forward = front.estimate <= back.estimate  # as in extend_both
        half, other = (front, back) if forward else (back, front)
        if first + 1 == last:
            made, looked_up = join(layout, other, half, self._sums, free, self._max_slots)
            if looked_up >= 0:
                self._made += made
                self._looked_up += looked_up
                return
        if len(free) < (least := len(layout.subsets.pegs)):
            free = np.empty((least, free.shape[1]), np.uint64)
        one, two = front.table, back.table
        del front, back, half, other  # only tables may be kept here by each division
        if first + 1 == last:
            self.divisions += 1
            for part in _divide(one if forward else two):
                self._count((part, two) if forward else (one, part), first, last, free)
            return
        share, order = _LAST_PART if first + 2 == last else _PART, problem.order
        if forward:
            for part, rest in self._parts(one, order[first], order[first + 1 :], 0, free, share):
                self._count((part, two), first + 1, last, rest)
        else:
            for part, rest in self._parts(two, order[last], order[:last], 0, free, share):
                self._count((one, part), first, last - 1, rest)

    def _parts(
        self, table: Table, color: int, to_come: Index, start: int, room: Rows, share: float
    ) -> Iterator[tuple[Table, Rows]]:
        layout, most, slots = self._problem.layout, int(len(room) * share) + 1, np.empty(INITIAL_SLOTS, np.int32)
        while start < len(layout.subsets.pegs):
            starts, rows, slots, end = extend_part(
                layout, table, color, to_come, start, room[:most], slots, self._max_slots
            )
            self.divisions += 1
            if end == start:  # a table of one row would fit
                for half in _divide(table):
                    yield from self._parts(half, color, to_come, start, room, share)
                return
            self._made += len(rows)
            yield Table(starts, rows), room[len(rows) :]
            start = end


def _divide(table: Table) -> Iterator[Table]:
    middle = len(table.rows) // 2
    yield Table(np.minimum(table.starts, middle), table.rows[:middle])
    yield Table(np.maximum(table.starts - middle, 0), table.rows[middle:])
