"""Are a few guesses enough for a set of codes? Up to three, `WorstCase` decides; for four, most are ruled out first.

Three guesses are enough for a part only if some guess splits it into parts that two can solve. By their numbers of
codes alone no guess does, for most parts, and `evilpegs_game.guessing.guess_rows` judges many guesses at once. So
nearly every first guess of four is ruled out by its largest part.
"""

from collections.abc import Iterable
from functools import cached_property, reduce
from operator import or_
from typing import Final

import numpy as np

from evilpegs_game.codemakers.small_sets import max_codes_within
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import Code, Columns, all_codes, column_code
from evilpegs_game.feedback import all_black, feedbacks
from evilpegs_game.guessing.criteria import MINIMAX
from evilpegs_game.guessing.guess_rows import MAX_CODES, best_of_few
from evilpegs_game.guessing.selection import color_mask
from evilpegs_game.partition import feedback_numbers, split
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import GuessSymmetries

FEW: Final = 4


class FewGuesses:
    """Decides for sets of codes of ``rules`` if up to `FEW` guesses are enough for each of them.

    Raises TooLargeError for rules of more than 2**20 codes or 9 pegs.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules, self.every = rules, all_codes(rules)
        self._worst = WorstCase(rules, shared_codes=0)
        self._most = max_codes_within(rules) + (rules.size,) * FEW
        self._measure = MINIMAX.measure(MAX_CODES)

    def are_enough(self, columns: Columns, left: int, guessed: Iterable[Code]) -> bool:
        """Return True if ``left`` guesses are enough for the codes in ``columns``, which those of ``guessed`` left."""
        if left < FEW or self.rules.pegs == 1 or columns.shape[1] > self._most[left]:
            return self._worst.is_solvable(columns, left)
        mask = reduce(or_, map(color_mask, guessed), 0)
        guesses = [column_code(self.every, index) for index in np.unique(self._symmetries.orbits(columns)).tolist()]
        return any(self._is_promising(columns, each, mask) and self._solves(columns, each) for each in guesses)

    @cached_property
    def _symmetries(self) -> GuessSymmetries:
        return GuessSymmetries(self.rules, self.every, self.rules.size)

    def _is_promising(self, columns: Columns, guess: Code, guessed: int) -> bool:
        numbers = feedback_numbers(columns, guess)
        sizes = np.bincount(numbers, minlength=2)
        sizes[len(feedbacks(self.rules.pegs)) - 1 :] = 0  # all-black
        most = int(sizes.max())
        if most > self._most[FEW - 1] or most == numbers.size:
            return False
        if most <= max(2, self._most[FEW - 2]) or most > MAX_CODES:
            return True
        part, mask = columns[:, numbers == sizes.argmax()], guessed | color_mask(guess)
        scores = best_of_few(part, self.rules.colors, self.rules.repeats, mask, *self._measure, False, 1)[1]
        return bool(scores[0] <= self._most[FEW - 2])

    def _solves(self, columns: Columns, guess: Code) -> bool:
        parts = [part for reply, part in split(columns, guess) if reply != all_black(self.rules.pegs)]
        falling = sorted(parts, key=lambda part: -part.shape[1])
        return all(self._worst.is_solvable(part, FEW - 1) for part in falling)
