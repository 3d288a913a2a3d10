"""The search for guesses that are sure to be enough against evil.

Evil leaves the most codes. If several parts are largest, its written rule takes the first in feedback order; a tie rule
with a seed chooses by turn and number of parts; and with the *worst ties* the codebreaker must be ready for each. Evil
says all-black only if one code is left and that code is guessed.

Sets that are too large for the guesses left are left out: a guess makes at most B parts besides all-black, and the
largest of them holds at least a B-th of the codes without the guess itself. So k guesses are never enough for more than
c(k) codes: c(1) = 1 and c(k) = B c(k - 1) + 1. The last three guesses are searched in compiled loops. Work is counted
in feedback evaluations.
"""

from bisect import bisect_left
from functools import lru_cache
from hashlib import blake2b
from typing import Final, Literal, NamedTuple

import numpy as np

from evilpegs_game.codemakers.codemaker import TieBreak
from evilpegs_game.codemakers.small_sets import FeedbackMatrix, Ints, WorkBudget, max_codes_within, some_guess_separates
from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.codemakers.worst_case import MAX_SHARED_CODES, MAX_TABLE_BYTES
from evilpegs_game.codes import Columns, all_codes, column_code
from evilpegs_game.feedback import feedbacks
from evilpegs_game.kernels import kernel
from evilpegs_game.optimal.guess_matrix import CodeSpace
from evilpegs_game.partition import Indices, SizeTable, feedback_numbers, part_size_table, select
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import KEY_BYTES, code_set_key, key_work

Ties = TieBreak | Literal["first", "worst"]
"""How evil chooses among the largest parts: by its written rule, by a tie rule with a seed, or as is worst."""

_CHUNK: Final = 1 << 14
_ALL: Final = -1


class EvilReply(NamedTuple):
    """A guess, and the feedbacks that evil may give to it."""

    codes: int
    """Left by the reply."""
    numbers: tuple[int, ...]
    """Indices in `feedbacks`."""
    guess: int
    """The index among all codes of the rules."""


class EvilSearch:
    """Decides if guesses are enough, against live sets at the turns at which they are guessed.

    What it finds is kept, in up to 40 MB; feedback tables take up to 25 MB, and up to 64 MB while they are used. Raises
    TooLargeError as `CodeSpace` does.
    """

    def __init__(self, rules: Rules, ties: Ties = "first") -> None:
        self.rules = rules
        self.space = CodeSpace(rules)
        self.feedbacks = feedbacks(rules.pegs)
        self._ties = ties
        self._max_codes = max_codes_within(rules)
        self._known = SolvedPositions()
        self._choices = lru_cache(maxsize=64)(self._find_choices)

    def at_least(self, codes: int) -> int:
        """Return a bound on the guesses that any ``codes`` codes take."""
        return bisect_left(self._max_codes, codes)

    def is_enough(self, columns: Columns, turn: int, guesses: int, budget: WorkBudget) -> bool:
        """Return True if ``guesses`` from ``turn`` on are sure to find the code among ``columns``."""
        codes = int(columns.shape[1])
        if codes <= 2:
            return codes <= guesses
        if guesses < self.at_least(codes):
            return False
        is_tabled = (codes + 4 * len(self.feedbacks)) * self.rules.size <= MAX_TABLE_BYTES
        if guesses == 2 and is_tabled:
            budget.spend(codes * self.rules.size)
            scratch = np.empty((2, self.rules.size), dtype=np.uint64)
            return some_guess_separates(self._matrix(columns), np.arange(codes, dtype=np.int32), scratch[0], scratch[1])
        key = self._key(columns, turn, guesses, budget)
        known = self._known.bounds(key)
        if known.at_most <= guesses or known.at_least > guesses:
            return known.at_most <= guesses
        if guesses == 3 and is_tabled:
            budget.spend(codes * self.rules.size)
            choices, limit = self._choices(turn), self._max_codes[2]
            enough, work = beaten_in_three(self._matrix(columns), choices, limit, budget.left)
            budget.spend(work)  # too much if the loop gave up
        else:
            replies = self.replies(columns, turn, guesses - 1, budget)
            enough = any(self.is_answered(columns, turn, each, guesses - 1, budget) for each in replies)
        self._known.tighten(key, **{"at_most": guesses} if enough else {"at_least": guesses + 1})
        return enough

    def is_answered(self, columns: Columns, turn: int, reply: EvilReply, guesses: int, budget: WorkBudget) -> bool:
        """Return True if ``guesses`` more are enough after each of the replies of ``turn``."""
        guess = column_code(self.space.columns, reply.guess)
        parts = (select(columns, guess, self.feedbacks[number]) for number in reply.numbers)
        return all(self.is_enough(part, turn + 1, guesses, budget) for part in parts)

    def replies(self, columns: Columns, turn: int, guesses: int, budget: WorkBudget) -> list[EvilReply]:
        """Return the replies after which ``guesses`` more may be enough, those that leave the fewest codes first.

        Of guesses that a symmetry of the codes maps to each other, there is one.
        """
        guess_indices = np.unique(self.space.orbits(columns))
        budget.spend(guess_indices.size * columns.shape[1])
        most = min(int(columns.shape[1]) - 1, self._max_codes[min(guesses, len(self._max_codes) - 1)])
        replies = []
        for start in range(0, guess_indices.size, _CHUNK):
            chunk = guess_indices[start : start + _CHUNK]
            sizes = part_size_table(columns, np.ascontiguousarray(self.space.columns[:, chunk]))[:-1]
            largest = sizes.max(axis=0)
            for index in np.flatnonzero(largest <= most).tolist():
                numbers = self._allowed(sizes[:, index], turn)
                replies.append(EvilReply(int(largest[index]), numbers, int(chunk[index])))
        return sorted(replies, key=lambda reply: (reply.codes, reply.guess))

    def _allowed(self, sizes: SizeTable, turn: int) -> tuple[int, ...]:
        ties = np.flatnonzero(sizes == sizes.max()).tolist()
        choice = int(self._choices(turn)[len(ties)])
        return tuple(ties) if choice == _ALL else (ties[choice],)

    def _find_choices(self, turn: int) -> Ints:
        # by the number of the largest parts, the index of the one that evil leaves, or `_ALL`
        count = len(self.feedbacks)
        if callable(self._ties):
            return np.array([0, 0, *(self._ties(turn, number) for number in range(2, count + 1))], dtype=np.int64)
        return np.full(count + 1, 0 if self._ties == "first" else _ALL, dtype=np.int64)

    def _key(self, columns: Columns, turn: int, guesses: int, budget: WorkBudget) -> bytes:
        # the choice of a seed depends on the turn; a search of three guesses takes less time than a canonical key
        seeded = turn.to_bytes(4, "big") if callable(self._ties) else b""
        if guesses == 3:
            return seeded + blake2b(columns.tobytes(), digest_size=KEY_BYTES).digest() + b"3"
        budget.spend(key_work(columns.shape[1], self.rules))
        return seeded + code_set_key(columns, self.rules)

    def _matrix(self, columns: Columns) -> FeedbackMatrix:
        if self.rules.size <= MAX_SHARED_CODES:
            return _matrix_of_all(self.rules)[self.space.symmetries.indices(columns)]
        return _make_matrix(self.space.columns, columns)


@lru_cache(maxsize=1)
def _matrix_of_all(rules: Rules) -> FeedbackMatrix:
    return _make_matrix(all_codes(rules), all_codes(rules))


def _make_matrix(guesses: Columns, columns: Columns) -> FeedbackMatrix:
    matrix = np.empty((columns.shape[1], guesses.shape[1]), dtype=np.uint8)
    for index in range(columns.shape[1]):
        matrix[index] = feedback_numbers(guesses, column_code(columns, index))
    return matrix


@kernel
def beaten_in_three(by_code: FeedbackMatrix, choices: Ints, limit: int, most_work: int) -> tuple[bool, int]:
    """Return True if three guesses are sure to beat evil on the codes of ``by_code``, more than two; and the work.

    ``choices`` has, by the number of largest parts, the index of the one that evil leaves, or -1 for any; parts of more
    than ``limit`` codes are not tried. The answer is open if the work is more than ``most_work``.
    """
    codes, guesses = by_code.shape
    sizes = part_sizes_of_all(by_code, choices.size - 1)
    largest = np.zeros(guesses, np.int64)
    for number in range(sizes.shape[0]):
        for guess in range(guesses):
            largest[guess] = max(largest[guess], sizes[number, guess])
    scratch = np.empty((2, guesses), np.uint64)
    work = codes * guesses
    for most in range(1, min(limit, codes - 1) + 1):
        for guess in range(guesses):
            if largest[guess] != most:
                continue
            tie = -1
            enough = True
            ties = 0
            for number in range(sizes.shape[0]):
                ties += sizes[number, guess] == most
            choice = choices[ties]
            for number in range(sizes.shape[0] if most > 2 else 0):  # guessing one of two codes is enough
                tie += sizes[number, guess] == most
                if enough and sizes[number, guess] == most and choice in (-1, tie):
                    part = _part_of(by_code, guess, number, most)
                    enough = some_guess_separates(by_code, part, scratch[0], scratch[1])
                    work += most * guesses
            if enough or work > most_work:
                return enough, work
    return False, work


@kernel
def _part_of(by_code: FeedbackMatrix, guess: int, number: int, size: int) -> Indices:
    part, found = np.empty(size, np.int32), 0
    for code in range(by_code.shape[0]):
        if by_code[code, guess] == number:
            part[found] = code
            found += 1
    return part


@kernel
def part_sizes_of_all(by_code: FeedbackMatrix, numbers: int) -> SizeTable:
    """Return the sizes of the parts of each guess, all-black not counted: shape (numbers - 1, guesses)."""
    sizes = np.zeros((numbers, by_code.shape[1]), np.int32)
    for code in range(by_code.shape[0]):
        row = by_code[code]
        for guess in range(row.size):
            sizes[row[guess], guess] += 1
    return sizes[:-1]
