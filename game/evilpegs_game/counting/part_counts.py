"""The part sizes of a guess under a whole history, counted exactly on games of any size without listing the codes.

A code is built color by color: each color is given to a subset of the pegs that have none yet. Of a partial coloring
only two things matter: which pegs have a color, and the score of each guess so far (blacks, and matches = blacks +
whites). Partial colorings that agree in both are counted together; those that can no longer reach a feedback of the
history are dropped. Pegs at which every guess has the same color form a *class*, and only the number of pegs of each
class matters. Colors that occur in no guess are counted as one color with several choices.

The colors are added from both ends of their order to two tables, always to the smaller one. The last color makes no
table: for each row of one table and each set of pegs that the last color can take, `join` looks up the rows of the
other table that color the remaining pegs and lead to the feedback of every answered guess. So no table has all colors,
and the largest table is never made.

Memory is bounded before anything is allocated. If a table would exceed its bound, the rows so far are divided into two
halves, which are counted one after the other. This division costs time and never changes the result.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.codes import Code
from evilpegs_game.counting.extend import extend_both
from evilpegs_game.counting.layout import (
    BLACK,
    BLACK_2,
    COLORINGS,
    MATCH,
    MATCH_2,
    NEEDED_BLACK,
    NEEDED_WHITE,
    STIR,
    Index,
    Layout,
    Rows,
    Table,
    Words,
    hash_words,
    index_rows,
    list_inner_subsets,
    new_chains,
    new_inner_subsets,
)
from evilpegs_game.counting.problem import CountingProblem
from evilpegs_game.counting.score_increments import score_increments
from evilpegs_game.errors import ContradictionError
from evilpegs_game.feedback import History, feedbacks
from evilpegs_game.kernels import GOLDEN, kernel
from evilpegs_game.rules import Rules

DEFAULT_BYTES: Final = 192 << 20
INITIAL_ROWS: Final = 1 << 14
_LOOK_UPS: Final = 8  # rows are looked up in the time that it takes to make one


@kernel
def join(layout: Layout, one: Table, other: Table, color: int, sizes: Index) -> int:
    """Add to ``sizes`` the codes that rows of ``one``, the last color and rows of ``other`` form; return the look-ups.

    Codes with some blacks and matches with the open guess are added to ``sizes[black << open_bits | match]``.
    ``color``, the last color, is given to each peg subset that can have it, so that no table with all colors, which
    would be the largest, is made.
    """
    increments = score_increments(layout, color)
    subsets, targets = layout.subsets, layout.lanes.targets
    open_mask, open_bits = layout.lanes.open_mask, layout.lanes.open_bits
    inner = new_inner_subsets(subsets)
    numbers, choices = inner.numbers, inner.choices
    starts, rows, other_starts, other_rows = one.starts, one.rows, other.starts, other.rows
    chains, arrangements = new_chains(other), subsets.arrangements
    heads, following, every = chains.heads, chains.following, np.ones(other_rows.shape[0], np.bool_)
    wide = rows.shape[1] == 5
    last_subset = subsets.sizes.size - 1
    answered = ~open_mask
    all_black, all_match, all_black2, all_match2 = _required_scores(targets, answered)
    looked_up = 0
    for subset in range(last_subset + 1):
        base, end = other_starts[last_subset - subset], other_starts[last_subset - subset + 1]
        if base == end:
            continue
        mask = index_rows(other, last_subset - subset, open_mask, chains, every)
        for index in range(list_inner_subsets(subsets, subset, inner)):
            added = numbers[index]
            first, last = starts[subset - added], starts[subset - added + 1]
            if first == last or not increments[added, COLORINGS]:
                continue
            factor = increments[added, COLORINGS] * choices[index] * arrangements[subset]
            needed_black = all_black - (increments[added, BLACK] & answered)
            needed_match = all_match - (increments[added, MATCH] & answered)
            needed_black2 = needed_match2 = np.uint64(0)
            if wide:
                needed_black2 = all_black2 - increments[added, BLACK_2]
                needed_match2 = all_match2 - increments[added, MATCH_2]
            looked_up += last - first
            for row in range(first, last):
                black = needed_black - (rows[row, BLACK] & answered)
                match = needed_match - (rows[row, MATCH] & answered)
                black2 = match2 = np.uint64(0)
                if wide:
                    black2, match2 = needed_black2 - rows[row, BLACK_2], needed_match2 - rows[row, MATCH_2]
                partner = heads[hash_words(black + black2 * GOLDEN, match + match2 * STIR) & mask]
                while partner >= 0:
                    if _has_scores(other_rows, partner, answered, black, match, black2, match2):
                        got = rows[row, BLACK] + increments[added, BLACK] + other_rows[partner, BLACK] & open_mask
                        met = rows[row, MATCH] + increments[added, MATCH] + other_rows[partner, MATCH] & open_mask
                        sizes[np.int64((got << np.uint64(open_bits)) | met)] += np.int64(
                            factor * rows[row, COLORINGS] * other_rows[partner, COLORINGS]
                        )
                    partner = following[partner - base]
    return looked_up


@kernel
def _required_scores(targets: Words, answered: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    black, white = targets[0, NEEDED_BLACK] & answered, targets[0, NEEDED_WHITE] & answered
    if targets.shape[0] == 1:
        return black, black + white, np.uint64(0), np.uint64(0)
    return black, black + white, targets[1, NEEDED_BLACK], targets[1, NEEDED_BLACK] + targets[1, NEEDED_WHITE]


@kernel
def _has_scores(
    rows: Rows, row: int, answered: np.uint64, black: np.uint64, match: np.uint64, black2: np.uint64, match2: np.uint64
) -> bool:
    # a guess that scored too much already made the subtraction go below 0: its bits then hold more than any row has
    # there
    same = rows[row, BLACK] & answered == black and rows[row, MATCH] & answered == match
    return bool(same and (rows.shape[1] == 3 or (rows[row, BLACK_2] == black2 and rows[row, MATCH_2] == match2)))


class PartCount(NamedTuple):
    """The part sizes in feedback order, zeros included, and the cost of counting them.

    ``work`` is the number of table rows made, plus an eighth of the look-ups of rows. ``divisions`` is how often a
    table was divided into two, counted one after the other, to save memory.
    """

    sizes: tuple[int, ...]
    work: int
    divisions: int


def count_parts(
    rules: Rules, history: History, guess: Code, max_bytes: int = DEFAULT_BYTES, *, initial_rows: int = INITIAL_ROWS
) -> PartCount:
    """Count the parts of ``guess``; the tables take at most ``max_bytes``.

    Raises ContradictionError, or TooLargeError for over `MAX_COUNT` codes, a long history, or too few bytes.
    """
    counter = _Counter(CountingProblem(rules, history, guess, max_bytes=max_bytes), max_bytes, initial_rows)
    sizes = counter.sizes()
    if not any(sizes):
        raise ContradictionError(f"no code of {rules} is consistent with the feedback so far")
    return PartCount(sizes, counter.work, counter.divisions)


def count_prefix(rules: Rules, history: History, prefix: Code, max_bytes: int = DEFAULT_BYTES) -> int:
    """Count the candidates, possibly 0, that begin with ``prefix``; raises TooLargeError as `count_parts` does."""
    problem = CountingProblem(rules, history, None, ungrouped=True, max_bytes=max_bytes, prefix=prefix)
    return _Counter(problem, max_bytes).total


class _Counter:
    def __init__(self, problem: CountingProblem, max_bytes: int, initial_rows: int = INITIAL_ROWS) -> None:
        self._problem = problem
        self._initial_rows = initial_rows
        self._sums = np.zeros(1 << (2 * problem.layout.lanes.open_bits), np.int64)
        self._made = self._looked_up = 0
        self.divisions = 0
        with np.errstate(over="ignore"):  # hashes wrap; as plain Python the kernels would warn of it
            halves = problem.empty_table, problem.empty_table
            self._count(halves, 0, len(problem.order) - 1, problem.max_rows(max_bytes))

    @property
    def work(self) -> int:
        return self._made + self._looked_up // _LOOK_UPS

    @property
    def total(self) -> int:
        return int(self._sums.sum())

    def sizes(self) -> tuple[int, ...]:
        bits, sums = self._problem.layout.lanes.open_bits, self._sums.tolist()
        return tuple([sums[(black << bits) + black + white] for black, white in feedbacks(self._problem.rules.pegs)])

    def _count(self, halves: tuple[Table, Table], first: int, last: int, max_rows: int) -> None:
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


def _halves(table: Table) -> Iterator[Table]:
    middle = len(table.rows) // 2
    yield Table(np.minimum(table.starts, middle), table.rows[:middle])
    yield Table(np.maximum(table.starts - middle, 0), table.rows[middle:])
