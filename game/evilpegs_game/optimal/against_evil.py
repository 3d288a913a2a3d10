"""The least number of guesses with which the evil codemaker can be beaten, and a line that does it.

Evil (ties: fewest blacks, then fewest whites) leaves one set of codes after each guess and says all-black only when it
must, so this is a shortest path from all codes to one code, and that code is the last guess. It is looked for with a
rising number of guesses (iterative deepening). The largest of B parts holds at least a B-th of the codes besides the
guess, so from more than c(k) codes, c(1) = 1 and c(k) = B c(k - 1) + 1, no k guesses are enough. *Work* is feedbacks
looked at.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.codemakers.size_bounds import max_codes_within
from evilpegs_game.codes import Columns, column_code
from evilpegs_game.errors import OverBudgetError
from evilpegs_game.evaluation.exact import DuelTurn
from evilpegs_game.feedback import all_black, feedbacks
from evilpegs_game.optimal.guess_matrix import Ground
from evilpegs_game.partition import part_size_table, select
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import canonical_key

_CHUNK: Final = 1 << 14


class _Reply(NamedTuple):
    """What evil replies to a guess: how many codes it leaves, the number of the feedback and that of the guess."""

    codes: int
    feedback: int
    guess: int


class AgainstEvil:
    """Looks for the shortest line against evil on ``rules``; keeps what cannot be done, by canonical key.

    Raises:
        TooLargeError: the rules have more than 2**20 codes, or more than 64 feedbacks (10 pegs or more).
    """

    def __init__(self, rules: Rules, budget: int | None = None) -> None:
        self.rules = rules
        self.work = 0
        """Feedbacks looked at so far."""
        self._budget = budget
        self._ground = Ground(rules)
        self._feedbacks = feedbacks(rules.pegs)
        self._most = max_codes_within(rules)
        self._too_few: dict[bytes, int] = {}

    def shortest(self, progress: Callable[[int], None] | None = None) -> tuple[DuelTurn, ...]:
        """A line of the fewest guesses; ``progress`` is told each number of guesses that is being tried.

        Raises:
            OverBudgetError: it takes more work than the budget.
        """
        guesses = self._at_least(self.rules.size)
        while True:
            if progress:
                progress(guesses)
            line = self._line(self._ground.every, guesses)
            if line:
                return line
            guesses += 1

    def _at_least(self, codes: int) -> int:
        return next(guesses for guesses, most in enumerate(self._most) if codes <= most)

    def _line(self, columns: Columns, guesses: int) -> tuple[DuelTurn, ...]:
        """A line of at most so many guesses from these codes; empty if there is none."""
        codes = int(columns.shape[1])
        if codes == 1:
            return (DuelTurn(column_code(columns, 0), all_black(self.rules.pegs), 1),)
        if guesses < self._at_least(codes):
            return ()
        key = canonical_key(columns, self.rules)
        if self._too_few.get(key, 0) >= guesses:
            return ()
        seen: set[bytes] = set()
        for reply in self._replies(columns, guesses):
            guess, given = column_code(self._ground.every, reply.guess), self._feedbacks[reply.feedback]
            left = select(columns, guess, given)
            if left.tobytes() not in seen:
                seen.add(left.tobytes())
                line = self._line(left, guesses - 1)
                if line:
                    return (DuelTurn(guess, given, reply.codes), *line)
        self._too_few[key] = guesses
        return ()

    def _replies(self, columns: Columns, guesses: int) -> list[_Reply]:
        """Evil's replies after which ``guesses - 1`` may be enough, those that leave fewest codes first."""
        families = np.unique(self._ground.families(columns))
        self.work += families.size * columns.shape[1]
        if self._budget is not None and self.work > self._budget:
            message = "the shortest line against evil takes more feedbacks looked at than the budget allows"
            raise OverBudgetError(message)
        most = min(int(columns.shape[1]) - 1, self._most[min(guesses - 1, len(self._most) - 1)])
        replies = []
        for start in range(0, families.size, _CHUNK):
            chunk = families[start : start + _CHUNK]
            sizes = part_size_table(columns, np.ascontiguousarray(self._ground.every[:, chunk]))[:-1]
            largest, given = sizes.max(axis=0), sizes.argmax(axis=0)
            for place in np.flatnonzero(largest <= most).tolist():
                replies.append(_Reply(int(largest[place]), int(given[place]), int(chunk[place])))
        return sorted(replies, key=lambda reply: (reply.codes, reply.guess))
