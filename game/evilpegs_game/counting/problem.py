"""How one count is laid out: its kinds of pegs, the fields of its guesses, its colors and their order."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from evilpegs_game.codes import Code
from evilpegs_game.counting.color_order import color_order
from evilpegs_game.counting.layout import Colors, Fields, Index, Layout, Table, Words
from evilpegs_game.counting.memory import MAX_WORDS, check_bytes
from evilpegs_game.counting.peg_subsets import laid_out
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import History
from evilpegs_game.rules import Rules

MAX_COUNT: Final = 2**63 - 1
"""Part sizes are counted in 63 bits: rules with more codes are refused."""
_WORD_BITS: Final = 64


class Frame:
    """What the tables of one count have in common: a `Layout`, and what its numbers stand for.

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
        check_countable(rules)
        answered = list(dict.fromkeys(history))
        asked = [] if guess is None else [guess]
        self.rules = rules
        self.guesses = asked + [code for code, _ in answered]
        fields = _fields_of(rules.pegs, [given for _, given in answered], asked=bool(asked))
        kinds = _kinds_of(rules.pegs, self.guesses, apart)
        sizes = tuple(map(len, kinds))
        check_bytes(rules, math.prod(size + 1 for size in sizes), len(fields.targets), max_bytes)
        self.colors = _colors_of(rules, self.guesses, apart)
        """The colors of the rules that each color of the count stands for."""
        self.layout = Layout(
            kinds=np.array(sizes, np.int64),
            fills=laid_out(sizes),
            colors=self._lay_out_colors(kinds, beginning),
            fields=fields,
        )
        self.order = color_order(self.layout.colors.times, rules.pegs)

    @property
    def blank(self) -> Table:
        """The table of no colors: one row, for the fill without a peg."""
        starts = np.ones(len(self.layout.fills.pegs) + 1, np.int64)
        starts[0] = 0
        rows = np.zeros((1, 1 + 2 * len(self.layout.fields.targets)), np.uint64)
        rows[0, 0] = 1
        return Table(starts, rows)

    def _lay_out_colors(self, kinds: list[list[int]], beginning: Code) -> Colors:
        number = {color: place for place, each in enumerate(self.colors) for color in each}
        times = np.zeros((len(self.guesses), len(self.colors)), np.int64)
        of_guess = np.zeros((len(self.guesses), len(kinds)), np.int64)
        for place, guess in enumerate(self.guesses):
            for color in guess:
                times[place, number[color]] += 1
            of_guess[place] = [number[guess[pegs[0]]] for pegs in kinds]
        most, ways = _choices(tuple(map(len, self.colors)), self.rules.pegs, self.rules.repeats)
        return Colors(of_guess, times, most, ways, self.rules.repeats, np.array(beginning, np.int64))


def check_countable(rules: Rules) -> None:
    """Raises TooLargeError if there are more codes than 63 bits count."""
    if rules.size > MAX_COUNT:
        message = f"{rules} has {rules.size:,} codes; at most {MAX_COUNT:,} can be counted; take smaller rules"
        raise TooLargeError(message)


def _kinds_of(pegs: int, guesses: Sequence[Code], apart: bool) -> list[list[int]]:
    """The pegs that no guess has told apart together."""
    if apart:
        return [[peg] for peg in range(pegs)]
    kinds: dict[tuple[int, ...], list[int]] = {}
    for peg in range(pegs):
        kinds.setdefault(tuple([guess[peg] for guess in guesses]), []).append(peg)
    return list(kinds.values())


def _colors_of(rules: Rules, guesses: Sequence[Code], apart: bool) -> list[tuple[int, ...]]:
    """Each color of a guess, and one more for all that no guess has, if there are any."""
    every = range(rules.colors)
    if apart:
        return [(color,) for color in every]
    guessed = {color for guess in guesses for color in guess}
    unused = tuple([color for color in every if color not in guessed])
    return [(color,) for color in sorted(guessed)] + ([unused] if unused else [])


@lru_cache(64)
def _choices(several: tuple[int, ...], pegs: int, repeats: bool) -> tuple[Index, Words]:
    """How many pegs can have one of so many colors that are alike, and in how many ways each number of pegs has it.

    For each color of a count, as in `Colors`; never written to.
    """
    most = [pegs if repeats else alike for alike in several]
    ways = [[alike**size if repeats else math.perm(alike, size) for size in range(pegs + 1)] for alike in several]
    return np.array(most, np.int64), np.array(ways, np.uint64)


def _fields_of(pegs: int, answers: Sequence[Feedback], *, asked: bool) -> Fields:
    """The fields of all guesses, one after another in as many words as it takes; the one that is asked comes first.

    Raises:
        TooLargeError: they find no room.
    """
    bits = pegs.bit_length() if asked else 0
    free = (1 << bits) - 1
    rows, targets, shift = [(-1, -1, 0, 0)] if asked else [], [[free, free, 0]], bits
    for black, white in answers:
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
    return Fields(blacks, matches, words, shifts, np.array(targets, np.uint64), np.uint64(free), bits)
