"""The setup of a count: its memory, peg classes, the colors and their order, and the lanes of the scores.

The order of the colors keeps the tables small. Rows are distinguished by the scores that the guesses have so far. A
guess without an added color has the score 0, and a guess whose colors were all added has its feedback. Only the guesses
in between multiply the rows.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from evilpegs_game.codes import Code
from evilpegs_game.counting.layout import (
    BLACK_SHIFT,
    COLORINGS,
    Colors,
    Index,
    Layout,
    Rows,
    ScoreLanes,
    Table,
    Words,
    peg_subsets,
)
from evilpegs_game.errors import TooLargeError, check_bound
from evilpegs_game.feedback import Feedback, History
from evilpegs_game.kernels import copy_into, kernel
from evilpegs_game.rules import Rules

MAX_ROWS: Final = 2**31 - 1
MAX_WORDS: Final = 4
_FIXED_BYTES: Final = 64 << 10
_SUBSET_BYTES: Final = 512  # per peg subset besides its rows: numbers, bounds, score increments, first row
_LEAST_ROWS: Final = 5  # per color and peg subset: with fewer there are thousands of divisions

MAX_COUNT: Final = 2**63 - 1  # of the codes that are drawn or listed
_PRIME: Final = 2**20 - 3  # so small that no product or sum of residues passes 63 bits
_WORD_BITS: Final = 63  # so that no carry is lost
_SLOT_ROWS: Final = 16  # the share of the memory for rows that their indices can take


def sufficient_bytes(rules: Rules) -> int:
    """Return bytes that suffice to count ``rules`` after any history; fewer may suffice."""
    return _min_bytes(int(2**rules.pegs), rules, MAX_WORDS)


def _min_bytes(subsets: int, rules: Rules, words: int) -> int:
    # of the smallest tables
    return subsets * (_SUBSET_BYTES + (3 + rules.colors) * _LEAST_ROWS * _row_bytes(words)) + _FIXED_BYTES


def _row_bytes(words: int) -> int:
    return 8 * (1 + words)


@kernel
def _greedy_order(color_counts: Index) -> Index:
    guesses, colors = color_counts.shape
    order = np.arange(colors)
    touched = np.zeros(guesses, np.bool_)
    for index in range(colors):
        best, best_at = 1 << 30, index
        for at in range(index, colors):
            fresh = total = 0
            for guess in range(guesses):
                total += color_counts[guess, order[at]]
                if color_counts[guess, order[at]] and not touched[guess]:
                    fresh += 1
            # the fewest guesses that no earlier color is in; then the color that the guesses have most
            rank = (fresh << 20) - (total << 6) + order[at]
            if rank < best:
                best, best_at = rank, at
        order[index], order[best_at] = order[best_at], order[index]
        for guess in range(guesses):
            if color_counts[guess, order[index]]:
                touched[guess] = True
    return order


@kernel
def _improve(color_counts: Index, pegs: int, order: Index) -> None:
    best, improved = _estimate_rows(color_counts, pegs, order, np.inf), True
    other = np.empty_like(order)
    while improved:
        improved = False
        for source in range(order.size):
            for target in range(order.size):
                _move(order, source, target, other)
                rows = _estimate_rows(color_counts, pegs, other, best)
                if rows < best:
                    best, improved = rows, True
                    copy_into(order, other)


@kernel
def _estimate_rows(color_counts: Index, pegs: int, order: Index, limit: float) -> float:
    done = np.zeros(color_counts.shape[0], np.int64)
    total = 0.0
    for index in range(order.size - 1):
        ways = 1.0
        for guess in range(done.size):
            done[guess] += color_counts[guess, order[index]]
            # a guess has few possible scores while few of its pegs, or nearly all, have an added color
            ways *= 1 + 2 * min(done[guess], pegs - done[guess])
        total += ways
        if total >= limit:
            break
    return total


@kernel
def _move(order: Index, source: int, target: int, result: Index) -> None:
    left = 0
    for index in range(order.size):
        if index == target:
            result[index] = order[source]
            continue
        if left == source:
            left += 1
        result[index] = order[left]
        left += 1


class CountingProblem:
    """An exact count of codes: its `Layout`, and the pegs, colors and guesses that the layout numbers.

    The codes are the candidates of ``history``. ``guess`` is the open guess; without one all codes are counted
    together. Usually pegs at which all guesses agree form a class, and colors in no guess are added together. With
    ``ungrouped`` each peg is a class of its own and each color is added alone, so that codes can be read off the table
    rows. ``prefix``, which fixes the colors of the first pegs, requires ``ungrouped``.

    Raises TooLargeError for too many codes or guesses, or a count that takes more than ``max_bytes``.
    """

    def __init__(
        self,
        rules: Rules,
        history: History,
        guess: Code | None,
        *,
        ungrouped: bool = False,
        max_bytes: int | None = None,
        prefix: Code = (),
        modulus: int = 0,
    ) -> None:
        answered = list(dict.fromkeys(history))
        open_guesses = [] if guess is None else [guess]
        self.rules = rules
        self.guesses = open_guesses + [code for code, _ in answered]
        lanes = _score_lanes(rules.pegs, [feedback for _, feedback in answered], has_open_guess=guess is not None)
        classes = _peg_classes(rules.pegs, self.guesses, ungrouped)
        sizes = tuple(map(len, classes))
        if max_bytes is not None:
            needed = _min_bytes(math.prod(size + 1 for size in sizes), rules, len(lanes.targets))
            message = f"counting {rules} takes at least {needed:,} bytes; the limit is {max_bytes:,}"
            check_bound(needed, max_bytes, message)
        self.color_groups = _color_groups(rules, self.guesses, ungrouped)
        """For each color of the count, the colors of the rules that it stands for."""
        self.layout = Layout(
            class_sizes=np.array(sizes, np.int64),
            subsets=peg_subsets(sizes),
            colors=self._lay_out_colors(classes, prefix, modulus),
            lanes=lanes,
            modulus=np.uint64(modulus),
        )
        self.order = _greedy_order(self.layout.colors.color_counts)
        """From whose both ends colors are added."""
        _improve(self.layout.colors.color_counts, rules.pegs, self.order)

    def max_rows(self, max_bytes: int) -> int:
        """Return the most rows of all tables that exist at once, which ``max_bytes`` bounds."""
        # With each division of a table there may be one more that has as little as one row per peg subset.
        subsets = len(self.layout.subsets.pegs)
        rows = (max_bytes - subsets * _SUBSET_BYTES - _FIXED_BYTES) // _row_bytes(len(self.layout.lanes.targets))
        return int(min(rows - (3 + len(self.order)) * subsets, MAX_ROWS))

    def new_room(self, max_bytes: int) -> tuple[Rows, int]:
        """Return memory for table rows, of which nothing is used before it is written, and the most slots beside it."""
        rows, columns = self.max_rows(max_bytes), 1 + len(self.layout.lanes.targets)
        for_slots = rows // _SLOT_ROWS
        return np.empty((rows - for_slots, columns), np.uint64), for_slots * columns * 2

    @property
    def empty_table(self) -> Table:
        """The table before any color is added: one row."""
        starts = np.ones(len(self.layout.subsets.pegs) + 1, np.int64)
        starts[0] = 0
        rows = np.zeros((1, 1 + len(self.layout.lanes.targets)), np.uint64)
        rows[0, COLORINGS] = 1
        return Table(starts, rows)

    def _lay_out_colors(self, classes: list[list[int]], prefix: Code, modulus: int) -> Colors:
        number = {color: index for index, group in enumerate(self.color_groups) for color in group}
        color_counts = np.zeros((len(self.guesses), len(self.color_groups)), np.int64)
        guess_colors = np.zeros((len(self.guesses), len(classes)), np.int64)
        for index, guess in enumerate(self.guesses):
            for color in guess:
                color_counts[index, number[color]] += 1
            guess_colors[index] = [number[guess[pegs[0]]] for pegs in classes]
        max_pegs, ways = _color_choices(
            tuple(map(len, self.color_groups)), self.rules.pegs, self.rules.repeats, modulus or 2**64
        )
        return Colors(guess_colors, color_counts, max_pegs, ways, self.rules.repeats, np.array(prefix, np.int64))


def moduli(rules: Rules) -> tuple[int, ...]:
    """Return the moduli, of which 0 stands for 2**64, that the number of codes of ``rules`` follows from."""
    return (0,) if rules.size < 2**64 else (0, _PRIME)  # the largest rules have under 2**82 codes


def exact_numbers(residues: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the numbers whose residues, a sequence for each of `moduli`, are given."""
    words, *others = residues
    if not others:
        return tuple(words)
    inverse = pow(2**64, -1, _PRIME)
    return tuple(
        [word + 2**64 * ((residue - word) * inverse % _PRIME) for word, residue in zip(words, *others, strict=True)]
    )


def _peg_classes(pegs: int, guesses: Sequence[Code], ungrouped: bool) -> list[list[int]]:
    if ungrouped:
        return [[peg] for peg in range(pegs)]
    classes: dict[tuple[int, ...], list[int]] = {}
    for peg in range(pegs):
        classes.setdefault(tuple([guess[peg] for guess in guesses]), []).append(peg)
    return list(classes.values())


def _color_groups(rules: Rules, guesses: Sequence[Code], ungrouped: bool) -> list[tuple[int, ...]]:
    colors = range(rules.colors)
    guessed = set(colors) if ungrouped else {color for guess in guesses for color in guess}
    unused = tuple([color for color in colors if color not in guessed])
    groups = [(color,) for color in sorted(guessed)] + ([unused] if unused else [])
    return groups if len(groups) > 1 else [*groups, ()]  # a table for each of two colors, or of a color and none


# shared results: never write to them
@lru_cache(64)
def _color_choices(group_sizes: tuple[int, ...], pegs: int, repeats: bool, modulus: int) -> tuple[Index, Words]:
    max_pegs = [pegs if repeats else size for size in group_sizes]
    ways = [[size**count if repeats else math.perm(size, count) for count in range(pegs + 1)] for size in group_sizes]
    return np.array(max_pegs, np.int64), np.array([[each % modulus for each in row] for row in ways], np.uint64)


def _score_lanes(pegs: int, feedbacks: Sequence[Feedback], *, has_open_guess: bool) -> ScoreLanes:
    open_bits = pegs.bit_length() if has_open_guess else 0
    lanes, targets, shift = [(0,) * 5] * len(feedbacks), [[0] * 7], 2 * open_bits
    # the widest first, because all matches of a word have as many bits
    for index in sorted(range(len(feedbacks)), key=lambda index: sum(feedbacks[index]), reverse=True):
        black, white = feedbacks[index]
        match_bits, black_bits = max((black + white).bit_length(), 1), max(black.bit_length(), 1)
        width = targets[-1][BLACK_SHIFT] or match_bits
        if shift + width + black_bits > _WORD_BITS:
            targets.append([0] * 7)
            shift, width = 0, match_bits
        lanes[index] = (black, black + white, len(targets) - 1, shift, shift + width)
        guard = 1 << width
        columns = (black, white, guard, guard - 1, (1 << black_bits) - 1, 0, guard | 1)
        targets[-1] = [had | column << shift for had, column in zip(targets[-1], columns, strict=True)]
        targets[-1][BLACK_SHIFT] = width
        shift += width + black_bits
    if len(targets) > MAX_WORDS:
        raise TooLargeError(f"a history of {len(feedbacks)} different guesses is too long to count with")
    rows = [(-1, -1, 0, 0, open_bits)] * has_open_guess + lanes
    blacks, matches, words, shifts, black_shifts = np.array(rows, np.int64).reshape(len(rows), 5).T.copy()
    open_mask = np.uint64((1 << 2 * open_bits) - 1)
    return ScoreLanes(blacks, matches, words, shifts, black_shifts, np.array(targets, np.uint64), open_mask, open_bits)
