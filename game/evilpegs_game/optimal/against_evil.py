"""The fewest guesses that beat evil, and the turns of a game with this number of guesses.

Evil's reply to a guess is determined, so every guess leads from one live set to exactly one next. Evil says all-black
only if one code is left and that code is guessed. So the game to find is a shortest path from all codes to a set of one
code, which is the last guess.

The search tries one number of guesses after another, in ascending order (iterative deepening). It leaves out sets that
are too large for the guesses left: a guess makes at most B parts besides all-black, and the largest of them holds at
least a B-th of the codes without the guess itself. So k guesses are never enough for more than c(k) codes: c(1) = 1 and
c(k) = B c(k - 1) + 1. Work is counted in feedback evaluations.
"""

from bisect import bisect_left
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.codemakers.small_sets import max_codes_within
from evilpegs_game.codes import Columns, column_code
from evilpegs_game.evaluation.exact import DuelTurn
from evilpegs_game.feedback import all_black, feedbacks
from evilpegs_game.optimal.guess_matrix import CodeSpace
from evilpegs_game.partition import part_size_table, select
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import code_set_key

_CHUNK: Final = 1 << 14


class _EvilReply(NamedTuple):
    codes: int  # left by the reply
    feedback: int  # index in `feedbacks`
    guess: int  # index among all codes of the rules


class ShortestLineSearch:
    """A search for the shortest game against evil; ``work`` counts its feedback evaluations.

    Raises TooLargeError as `CodeSpace` does.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.work = 0
        self._space = CodeSpace(rules)
        self._feedbacks = feedbacks(rules.pegs)
        self._max_codes = max_codes_within(rules)
        self._not_enough: dict[bytes, int] = {}

    def run(self, progress: Callable[[int], None] | None = None) -> tuple[DuelTurn, ...]:
        """Return the turns of a shortest game.

        ``progress`` is called with each number of guesses that the search turns to, in ascending order.
        """
        guesses = bisect_left(self._max_codes, self.rules.size)
        while True:
            if progress:
                progress(guesses)
            line = self._line(self._space.columns, guesses)
            if line:
                return line
            guesses += 1

    def _line(self, columns: Columns, guesses: int) -> tuple[DuelTurn, ...]:
        codes = int(columns.shape[1])
        if codes == 1:
            return (DuelTurn(column_code(columns, 0), all_black(self.rules.pegs), 1),)
        if guesses < bisect_left(self._max_codes, codes):
            return ()
        key = code_set_key(columns, self.rules)
        if self._not_enough.get(key, 0) >= guesses:
            return ()
        seen: set[bytes] = set()
        for reply in self._replies(columns, guesses):
            guess, feedback = column_code(self._space.columns, reply.guess), self._feedbacks[reply.feedback]
            left = select(columns, guess, feedback)
            if left.tobytes() not in seen:
                seen.add(left.tobytes())
                line = self._line(left, guesses - 1)
                if line:
                    return (DuelTurn(guess, feedback, reply.codes), *line)
        self._not_enough[key] = guesses
        return ()

    def _replies(self, columns: Columns, guesses: int) -> list[_EvilReply]:
        guess_indices = np.unique(self._space.orbits(columns))
        self.work += guess_indices.size * columns.shape[1]
        most = min(int(columns.shape[1]) - 1, self._max_codes[min(guesses - 1, len(self._max_codes) - 1)])
        replies = []
        for start in range(0, guess_indices.size, _CHUNK):
            chunk = guess_indices[start : start + _CHUNK]
            sizes = part_size_table(columns, np.ascontiguousarray(self._space.columns[:, chunk]))[:-1]
            # of equally large parts, `argmax` takes the first in feedback order, as evil does
            largest, numbers = sizes.max(axis=0), sizes.argmax(axis=0)
            for index in np.flatnonzero(largest <= most).tolist():
                replies.append(_EvilReply(int(largest[index]), int(numbers[index]), int(chunk[index])))
        return sorted(replies, key=lambda reply: (reply.codes, reply.guess))
