"""The setup of a count: peg classes, the colors and their order, and the lanes of the scores."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from evilpegs_game.codes import Code
from evilpegs_game.counting.color_order import color_order
from evilpegs_game.counting.layout import COLORINGS, Colors, Index, Layout, ScoreLanes, Table, Words
from evilpegs_game.counting.memory import MAX_WORDS, check_bytes
from evilpegs_game.counting.peg_subsets import peg_subsets
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import History
from evilpegs_game.rules import Rules

MAX_COUNT: Final = 2**63 - 1  # part sizes are counted in 63 bits
_WORD_BITS: Final = 64


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
    ) -> None:
        check_countable(rules)
        answered = list(dict.fromkeys(history))
        open_guesses = [] if guess is None else [guess]
        self.rules = rules
        self.guesses = open_guesses + [code for code, _ in answered]
        lanes = _score_lanes(rules.pegs, [feedback for _, feedback in answered], has_open_guess=guess is not None)
        classes = _peg_classes(rules.pegs, self.guesses, ungrouped)
        sizes = tuple(map(len, classes))
        check_bytes(rules, math.prod(size + 1 for size in sizes), len(lanes.targets), max_bytes)
        self.color_groups = _color_groups(rules, self.guesses, ungrouped)
        """For each color of the count, the colors of the rules that it stands for."""
        self.layout = Layout(
            class_sizes=np.array(sizes, np.int64),
            subsets=peg_subsets(sizes),
            colors=self._lay_out_colors(classes, prefix),
            lanes=lanes,
        )
        self.order = color_order(self.layout.colors.color_counts, rules.pegs)

    @property
    def empty_table(self) -> Table:
        """The table before any color is added: one row."""
        starts = np.ones(len(self.layout.subsets.pegs) + 1, np.int64)
        starts[0] = 0
        rows = np.zeros((1, 1 + 2 * len(self.layout.lanes.targets)), np.uint64)
        rows[0, COLORINGS] = 1
        return Table(starts, rows)

    def _lay_out_colors(self, classes: list[list[int]], prefix: Code) -> Colors:
        number = {color: index for index, group in enumerate(self.color_groups) for color in group}
        color_counts = np.zeros((len(self.guesses), len(self.color_groups)), np.int64)
        guess_colors = np.zeros((len(self.guesses), len(classes)), np.int64)
        for index, guess in enumerate(self.guesses):
            for color in guess:
                color_counts[index, number[color]] += 1
            guess_colors[index] = [number[guess[pegs[0]]] for pegs in classes]
        max_pegs, ways = _color_choices(tuple(map(len, self.color_groups)), self.rules.pegs, self.rules.repeats)
        return Colors(guess_colors, color_counts, max_pegs, ways, self.rules.repeats, np.array(prefix, np.int64))


def check_countable(rules: Rules) -> None:
    """Raise TooLargeError if ``rules`` have more than `MAX_COUNT` codes."""
    if rules.size > MAX_COUNT:
        message = f"{rules} has {rules.size:,} codes; at most {MAX_COUNT:,} can be counted; take smaller rules"
        raise TooLargeError(message)


def _peg_classes(pegs: int, guesses: Sequence[Code], ungrouped: bool) -> list[list[int]]:
    if ungrouped:
        return [[peg] for peg in range(pegs)]
    classes: dict[tuple[int, ...], list[int]] = {}
    for peg in range(pegs):
        classes.setdefault(tuple([guess[peg] for guess in guesses]), []).append(peg)
    return list(classes.values())


def _color_groups(rules: Rules, guesses: Sequence[Code], ungrouped: bool) -> list[tuple[int, ...]]:
    colors = range(rules.colors)
    if ungrouped:
        return [(color,) for color in colors]
    guessed = {color for guess in guesses for color in guess}
    unused = tuple([color for color in colors if color not in guessed])
    return [(color,) for color in sorted(guessed)] + ([unused] if unused else [])


# shared results: never write to them
@lru_cache(64)
def _color_choices(group_sizes: tuple[int, ...], pegs: int, repeats: bool) -> tuple[Index, Words]:
    max_pegs = [pegs if repeats else size for size in group_sizes]
    ways = [[size**count if repeats else math.perm(size, count) for count in range(pegs + 1)] for size in group_sizes]
    return np.array(max_pegs, np.int64), np.array(ways, np.uint64)


def _score_lanes(pegs: int, feedbacks: Sequence[Feedback], *, has_open_guess: bool) -> ScoreLanes:
    bits = pegs.bit_length() if has_open_guess else 0
    free = (1 << bits) - 1
    rows, targets, shift = [(-1, -1, 0, 0)] if has_open_guess else [], [[free, free, 0]], bits
    for black, white in feedbacks:
        width = (black + white).bit_length()
        if shift + width + 1 > _WORD_BITS:
            targets.append([0, 0, 0])
            shift = 0
        rows.append((black, black + white, len(targets) - 1, shift))
        guard = 1 << shift + width
        for part, target in enumerate((black << shift, white << shift, guard)):
            targets[-1][part] += target
        shift += width + 1
    if len(targets) > MAX_WORDS:
        message = f"a history of {len(rows)} different guesses is too long to count with"
        raise TooLargeError(message)
    blacks, matches, words, shifts = np.array(rows, np.int64).reshape(len(rows), 4).T.copy()
    return ScoreLanes(blacks, matches, words, shifts, np.array(targets, np.uint64), np.uint64(free), bits)
