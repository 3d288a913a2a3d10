"""The fewest guesses that are sure to beat evil, and the turns of a game with this number of guesses.

With its written tie rule, evil's reply to a guess is determined, so every guess leads from one live set to exactly one
next. With the *worst ties*, evil may give any reply that leaves the most codes, and the codebreaker must be ready for
each. Evil says all-black only if one code is left and that code is guessed.

The search tries one number of guesses after another, in ascending order (iterative deepening). It leaves out sets that
are too large for the guesses left: a guess makes at most B parts besides all-black, and the largest of them holds at
least a B-th of the codes without the guess itself. So k guesses are never enough for more than c(k) codes: c(1) = 1 and
c(k) = B c(k - 1) + 1. Work is counted in feedback evaluations.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.codemakers.small_sets import WorkBudget, max_codes_within
from evilpegs_game.codemakers.solved_positions import SolvedPositions
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
    numbers: tuple[int, ...]  # indices in `feedbacks` of the replies to be ready for
    guess: int  # index among all codes of the rules


class ShortestLineSearch:
    """A search for the shortest game against evil; ``work`` counts its feedback evaluations.

    With ``worst_ties`` each tie of evil is decided as is worst for the codebreaker, else evil's rule decides. Raises
    TooLargeError as `CodeSpace` does.
    """

    def __init__(self, rules: Rules, *, worst_ties: bool = False, budget: int | None = None) -> None:
        self.rules = rules
        self._worst_ties = worst_ties
        self._budget = WorkBudget(budget, "the search for the shortest game")
        self._space = CodeSpace(rules)
        self._feedbacks = feedbacks(rules.pegs)
        self._max_codes = max_codes_within(rules)
        self._known = SolvedPositions()

    @property
    def work(self) -> int:
        return self._budget.work

    def run(self, progress: Callable[[int], None] | None = None) -> tuple[DuelTurn, ...]:
        """Return the turns of a game in which both sides play their best.

        ``progress`` is called with each number of guesses that the search turns to, in ascending order: fewer are then
        proved not to be enough. Raises OverBudgetError over ``budget`` feedback evaluations.
        """
        guesses = bisect_left(self._max_codes, self.rules.size)
        while True:
            if progress:
                progress(guesses)
            if self._is_enough(self._space.columns, guesses):
                return tuple(self._turns(guesses))
            guesses += 1

    def _turns(self, guesses: int) -> Iterator[DuelTurn]:
        columns = self._space.columns
        for left in range(guesses - 1, 0, -1):
            reply = next(each for each in self._replies(columns, left) if self._is_answered(columns, each, left))
            guess = column_code(self._space.columns, reply.guess)
            for number in reply.numbers:
                part = select(columns, guess, self._feedbacks[number])
                if not self._is_enough(part, left - 1):
                    break
            yield DuelTurn(guess, self._feedbacks[number], reply.codes)
            columns = part
        yield DuelTurn(column_code(columns, 0), all_black(self.rules.pegs), 1)

    def _is_enough(self, columns: Columns, guesses: int) -> bool:
        codes = int(columns.shape[1])
        if codes <= 2:
            return codes <= guesses
        if guesses < bisect_left(self._max_codes, codes):
            return False
        if guesses == 2:  # most sets; a key would take longer than to look for a guess that separates the codes
            return bool(self._replies(columns, 1))
        key = code_set_key(columns, self.rules)
        known = self._known.bounds(key)
        if known.at_most <= guesses or known.at_least > guesses:
            return known.at_most <= guesses
        enough = any(self._is_answered(columns, each, guesses - 1) for each in self._replies(columns, guesses - 1))
        self._known.tighten(key, **{"at_most": guesses} if enough else {"at_least": guesses + 1})
        return enough

    def _is_answered(self, columns: Columns, reply: _EvilReply, guesses: int) -> bool:
        guess = column_code(self._space.columns, reply.guess)
        parts = (select(columns, guess, self._feedbacks[number]) for number in reply.numbers)
        return all(self._is_enough(part, guesses) for part in parts)

    def _replies(self, columns: Columns, guesses: int) -> list[_EvilReply]:
        # evil's replies to the guesses after which ``guesses`` more may be enough
        guess_indices = np.unique(self._space.orbits(columns))
        self._budget.spend(guess_indices.size * columns.shape[1])
        most = min(int(columns.shape[1]) - 1, self._max_codes[min(guesses, len(self._max_codes) - 1)])
        replies = []
        for start in range(0, guess_indices.size, _CHUNK):
            chunk = guess_indices[start : start + _CHUNK]
            sizes = part_size_table(columns, np.ascontiguousarray(self._space.columns[:, chunk]))[:-1]
            largest = sizes.max(axis=0)
            for index in np.flatnonzero(largest <= most).tolist():
                # of equally large parts evil's rule takes the first in feedback order
                ties = np.flatnonzero(sizes[:, index] == largest[index]).tolist()
                numbers = tuple(ties if self._worst_ties else ties[:1])
                replies.append(_EvilReply(int(largest[index]), numbers, int(chunk[index])))
        return sorted(replies, key=lambda reply: (reply.codes, reply.guess))
