"""Draws of candidates where the tables that all candidates are drawn from do not fit into memory.

While there are many candidates, codes are drawn at random until enough of them are candidates. When there are few, the
numbers of pegs of each color are drawn first, weighted by exact counts. They are the feedback of guesses of one color,
which only ever take rows away from the tables: after some colors they fit. Both ways draw uniformly.
"""

from itertools import accumulate
from typing import Final

import numpy as np

from evilpegs_game.codes import Code, Columns, RandomSource, column_code
from evilpegs_game.counting.part_counts import count_parts
from evilpegs_game.counting.solution_tables import SolutionTables
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import History, Turn, feedbacks
from evilpegs_game.partition import select
from evilpegs_game.rules import Rules

BLOCKS: Final = 256
_BLOCK: Final = 1 << 17  # codes


def draw_blindly(rules: Rules, history: History, rng: RandomSource, count: int, blocks: int = BLOCKS) -> list[Code]:
    """Draw codes until ``count`` are candidates and return these; none if ``blocks`` of codes have too few."""
    generator, drawn = np.random.default_rng(rng.randrange(1 << 63)), list[Code]()
    for number in range(1, blocks + 1):
        columns = _random_codes(rules, generator)
        for guess, feedback in history:
            columns = select(columns, guess, feedback)
        drawn += [column_code(columns, index) for index in range(min(count - len(drawn), columns.shape[1]))]
        if len(drawn) == count:
            return drawn
        if number == blocks // 16 and len(drawn) * 16 < count // 2:  # hopeless
            break
    return []


def draw_by_colors(rules: Rules, history: History, rng: RandomSource, max_bytes: int) -> Code:
    """Draw one candidate by counts, which take at most ``max_bytes``; raises TooLargeError if they do not suffice."""
    for color in range(rules.colors):
        guess = (color,) * rules.pegs
        sums = list(accumulate(count_parts(rules, history, guess, max_bytes).sizes))
        index = rng.randrange(sums[-1])
        answer = next(each for each, most in zip(feedbacks(rules.pegs), sums, strict=True) if index < most)
        history = (*history, Turn(guess, answer))
        try:
            return SolutionTables(rules, history, max_bytes).sample(rng)
        except TooLargeError:
            if color == rules.colors - 1:
                raise
    raise AssertionError


def _random_codes(rules: Rules, generator: np.random.Generator) -> Columns:
    if rules.repeats:
        return generator.integers(rules.colors, size=(rules.pegs, _BLOCK), dtype=np.uint8)
    colors = np.tile(np.arange(rules.colors, dtype=np.uint8), (_BLOCK // 16, 1))
    return generator.permuted(colors, axis=1)[:, : rules.pegs].T.copy()
