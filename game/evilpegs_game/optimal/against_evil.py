"""The least number of guesses that beats the evil codemaker, and the turns of a game with this number of guesses.

The evil codemaker has no secret. It replies with the feedback whose part is largest; of equally large parts it takes
the one with the fewest blacks, then the fewest whites. So every guess leads from one set of possible codes to exactly
one next set. Evil says all-black only if one code is left and that code is guessed. So the game to find is a shortest
path from all codes to a set of one code, which is the last guess.

The search tries one number of guesses after another, in ascending order (iterative deepening). It leaves out sets that
are too large for the guesses left: a guess makes at most B parts besides all-black, and the largest of them holds at
least a B-th of the codes without the guess itself. So k guesses are never enough for more than c(k) codes, where
c(1) = 1 and c(k) = B c(k - 1) + 1. Work is counted in feedback evaluations.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.codemakers.size_bounds import max_codes_within
from evilpegs_game.codes import Columns, column_code
from evilpegs_game.evaluation.exact import DuelTurn
from evilpegs_game.feedback import all_black, feedbacks
from evilpegs_game.optimal.guess_matrix import CodeSpace
from evilpegs_game.partition import part_size_table, select
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import code_set_key
from evilpegs_game.work_budget import WorkBudget

_CHUNK: Final = 1 << 14


class _EvilReply(NamedTuple):
    """Evil's reply to a guess: the number of codes that it leaves, the number of the feedback, and the guess.

    ``feedback`` is an index in the tuple `feedbacks`, and ``guess`` an index among all codes of the rules in code
    order.
    """

    codes: int
    feedback: int
    guess: int


class ShortestLineSearch:
    """A search for the shortest game against evil on ``rules``: the turns with which a codebreaker wins soonest.

    ``budget`` bounds the work in feedback evaluations; None means no limit.

    Raises:
        TooLargeError: the rules have more than 2**20 codes, or more than 64 feedbacks (10 pegs or more).
    """

    def __init__(self, rules: Rules, budget: int | None = None) -> None:
        self.rules = rules
        self._budget = WorkBudget(budget, "the shortest line against evil")
        self._space = CodeSpace(rules)
        self._feedbacks = feedbacks(rules.pegs)
        self._max_codes = max_codes_within(rules)
        self._not_enough: dict[bytes, int] = {}

    @property
    def work(self) -> int:
        """The number of feedback evaluations that this search has done so far."""
        return self._budget.work

    def run(self, progress: Callable[[int], None] | None = None) -> tuple[DuelTurn, ...]:
        """Return the turns of a game that beats the evil codemaker with the fewest guesses, oldest first.

        ``progress`` is called with a number of guesses each time the search begins to look for a game of this many
        guesses; these numbers ascend.

        Raises:
            OverBudgetError: the work exceeds the ``budget`` of this search.
        """
        guesses = self._fewest_guesses(self.rules.size)
        while True:
            if progress:
                progress(guesses)
            line = self._line(self._space.columns, guesses)
            if line:
                return line
            guesses += 1

    def _fewest_guesses(self, codes: int) -> int:
        return next(guesses for guesses, most in enumerate(self._max_codes) if codes <= most)

    def _line(self, columns: Columns, guesses: int) -> tuple[DuelTurn, ...]:
        """Return the turns that beat evil within ``guesses`` guesses from the set of the codes in ``columns``.

        The turns are those of one such game, oldest first. The result is an empty tuple if ``guesses`` guesses are not
        enough.
        """
        codes = int(columns.shape[1])
        if codes == 1:
            return (DuelTurn(column_code(columns, 0), all_black(self.rules.pegs), 1),)
        if guesses < self._fewest_guesses(codes):
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
        """Return evil's replies to the guesses after which ``guesses - 1`` more guesses may be enough.

        ``columns`` are the codes that are possible before the guess. The replies that leave the fewest codes come
        first, then code order of the guesses decides. Of guesses that symmetries of these codes map to each other, only
        one is considered.
        """
        guess_indices = np.unique(self._space.orbits(columns))
        self._budget.spend(guess_indices.size * columns.shape[1])
        most = min(int(columns.shape[1]) - 1, self._max_codes[min(guesses - 1, len(self._max_codes) - 1)])
        replies = []
        for start in range(0, guess_indices.size, _CHUNK):
            chunk = guess_indices[start : start + _CHUNK]
            sizes = part_size_table(columns, np.ascontiguousarray(self._space.columns[:, chunk]))[:-1]
            largest, numbers = sizes.max(axis=0), sizes.argmax(axis=0)
            for index in np.flatnonzero(largest <= most).tolist():
                replies.append(_EvilReply(int(largest[index]), int(numbers[index]), int(chunk[index])))
        return sorted(replies, key=lambda reply: (reply.codes, reply.guess))
