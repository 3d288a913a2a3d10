"""The guesses that a live set needs at worst, exactly, and the hardest replies.

The value of a set of codes is the number of guesses, the winning one included, that a codebreaker who plays perfectly
needs against the worst of its codes. Any code of the rules may be guessed. A set is solvable in k guesses if some guess
leaves only parts that are solvable in k - 1. The search asks this with rising k (iterative deepening), and a guess
fails as soon as one of its parts does (alpha-beta with a window of one). Source of the question: D. E. Knuth, The
Computer as Master Mind, Journal of Recreational Mathematics 9 (1976-77).

Work is counted in feedback evaluations. Earlier results save work, so whether a call exceeds its budget may depend on
them; its result never does.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.codemakers.small_sets import (
    MAX_FEEDBACKS,
    FeedbackMatrix,
    WorkBudget,
    group_by_feedback,
    max_codes_within,
    rank_guesses,
    solvable_in_three,
    some_guess_separates,
)
from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.codes import Code, Columns, all_codes, column_code
from evilpegs_game.errors import TooLargeError, check_bound
from evilpegs_game.feedback import Feedback, feedbacks
from evilpegs_game.partition import Indices, feedback_numbers
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import GuessSymmetries, code_set_key

MAX_TABLE_BYTES: Final = 1 << 26
"""The bound of one table of feedback numbers."""

MAX_SHARED_CODES: Final = 5040
"""Rules of at most this many codes have one table for all live sets, others one for each."""

_ALWAYS_AFFORDABLE: Final = 1296
_AFFORDABLE_PAIRS: Final = 10**6
_MAX_GUESSES: Final = 1 << 20
_NARROW: Final = 4  # guesses that the first, quick search of a set tries
_WIDE: Final = 8  # guesses to try before it pays to group the others into orbits


class HardestReplies(NamedTuple):
    """The replies that cost an optimal codebreaker the most guesses, in feedback order."""

    replies: tuple[Feedback, ...]
    work: int


@dataclass
class _Tables:
    columns: Columns
    code_indices: Indices  # among all codes of the rules, ascending
    by_code: FeedbackMatrix  # (codes, guesses)
    by_guess: FeedbackMatrix  # (guesses, codes)


class WorstCase:
    """An exact solver for live sets of ``rules``, which several threads may share.

    It takes up to 25 MB for a table of all codes, and some 40 MB each for ``solved`` and a memo of its own when they
    are full. Rules of at most ``shared_codes`` codes have one table with the feedback of every code to every guess;
    larger rules have one per live set, of at most ``max_table_bytes``. Both give identical results. Raises
    TooLargeError for rules of more than 2**20 codes or 9 pegs.
    """

    def __init__(
        self,
        rules: Rules,
        solved: SolvedPositions | None = None,
        *,
        shared_codes: int = MAX_SHARED_CODES,
        max_table_bytes: int = MAX_TABLE_BYTES,
    ) -> None:
        self.rules = rules
        self._max_table_bytes = max_table_bytes
        self.forget(solved)
        self._feedbacks = feedbacks(rules.pegs)
        if rules.size > _MAX_GUESSES or len(self._feedbacks) > MAX_FEEDBACKS:
            raise TooLargeError(
                f"{rules} is too large to be solved exactly; take rules of at most {_MAX_GUESSES:,} codes and 9 pegs"
            )
        self._all_codes = all_codes(rules)
        self._symmetries = GuessSymmetries(rules, self._all_codes, shared_codes)
        self._max_codes = max_codes_within(rules)
        self._shared_tables = self._make_tables(self._all_codes) if rules.size <= shared_codes else None

    def forget(self, solved: SolvedPositions | None = None) -> None:
        """Forget all results, and continue with those in ``solved``."""
        self.solved = SolvedPositions() if solved is None else solved
        self._memo = SolvedPositions()

    def check_codes(self, codes: int) -> None:
        """Raise TooLargeError if a live set of ``codes`` codes needs a table over ``max_table_bytes``."""
        needed = 2 * min(codes, self.rules.size) * self.rules.size
        message = (
            f"{codes:,} codes of {self.rules} are too many to be solved exactly: their table takes {needed:,} bytes, "
            f"the limit is {self._max_table_bytes:,}; take smaller rules"
        )
        if self._shared_tables is None:
            check_bound(needed, self._max_table_bytes, message)

    def is_solvable(self, columns: Columns, guesses: int) -> bool:
        """Return True if ``guesses`` are enough for the codes in ``columns``; raise TooLargeError as `check_codes`."""
        if columns.shape[1] > self._max_codes[min(guesses, len(self._max_codes) - 1)]:
            return False
        budget = WorkBudget(None, "an exact reply")
        return self._is_solvable(*self._tables_holding(columns, budget), guesses, budget)

    def solving_guess(self, columns: Columns, guesses: int) -> Code:
        """Return a guess with which ``guesses`` are enough for the codes in ``columns``, which they must be."""
        if columns.shape[1] <= 2:
            return column_code(columns, 0)
        budget = WorkBudget(None, "an exact reply")
        tables, indices = self._tables_holding(columns, budget)
        tried = (self._search(tables, indices, guesses, budget, narrow) for narrow in (True, False))
        return column_code(self._all_codes, next(number for number in tried if number is not None))

    def value(self, columns: Columns, budget: int | None = None, progress: Callable[[int], None] | None = None) -> int:
        """Return the guesses that the worst of the codes in ``columns``, in code order, needs.

        ``progress`` is called often, with the number of guesses that is tried. Raises OverBudgetError over ``budget``
        feedback evaluations, and TooLargeError as `check_codes` does.
        """
        guesses = bisect_left(self._max_codes, columns.shape[1])
        work_budget = WorkBudget(budget, "an exact reply", progress and (lambda: progress(guesses)))
        tables, indices = self._tables_holding(columns, work_budget)
        while not self._is_solvable(tables, indices, guesses, work_budget):
            guesses += 1
        return guesses

    def hardest_replies(self, columns: Columns, guess: Code, budget: int | None = None) -> HardestReplies:
        """Return the replies to ``guess`` after which an optimal codebreaker needs the most guesses at worst.

        Of these, only those that leave the most candidates; all-black only if no other reply is possible. ``columns``,
        ``budget`` and errors are those of `value`.
        """
        work_budget = WorkBudget(budget, "an exact reply")
        row, codes = feedback_numbers(columns, guess), _ascending(columns.shape[1])
        sizes, grouped = group_by_feedback(row, codes, len(self._feedbacks))
        numbers = np.flatnonzero(sizes[:-1]).tolist()
        if len(numbers) < 2:
            return HardestReplies((self._feedbacks[numbers[0] if numbers else -1],), 0)
        tables, indices = self._tables_holding(columns, work_budget)
        parts = dict(zip(numbers, np.split(indices[grouped], np.cumsum(sizes[numbers]))[: len(numbers)], strict=True))
        hardest = self._hardest(tables, parts, work_budget)
        return HardestReplies(tuple(self._feedbacks[number] for number in hardest), work_budget.work)

    def _hardest(self, tables: _Tables, parts: dict[int, Indices], budget: WorkBudget) -> list[int]:
        def is_solvable(number: int, guesses: int) -> bool:
            return self._is_solvable(tables, parts[number], guesses, budget)

        by_size = sorted(parts, key=lambda number: -parts[number].size)
        guesses = bisect_left(self._max_codes, parts[by_size[0]].size)
        while not all(is_solvable(number, guesses) for number in by_size):
            guesses += 1
        size = next(parts[number].size for number in by_size if not is_solvable(number, guesses - 1))
        return [number for number in by_size if parts[number].size == size and not is_solvable(number, guesses - 1)]

    def _tables_holding(self, columns: Columns, budget: WorkBudget) -> tuple[_Tables, Indices]:
        if self._shared_tables is not None:
            return self._shared_tables, self._symmetries.indices(columns)
        self.check_codes(columns.shape[1])
        budget.spend(columns.shape[1] * self.rules.size)
        return self._make_tables(columns), _ascending(columns.shape[1])

    def _make_tables(self, columns: Columns) -> _Tables:
        by_code = np.empty((columns.shape[1], self._all_codes.shape[1]), dtype=np.uint8)
        for index in range(columns.shape[1]):
            by_code[index] = feedback_numbers(self._all_codes, column_code(columns, index))
        shared = columns is self._all_codes  # feedback is symmetric
        by_guess = by_code if shared else np.ascontiguousarray(by_code.T)
        return _Tables(columns, self._symmetries.indices(columns), by_code, by_guess)

    def _is_solvable(
        self, tables: _Tables, indices: Indices, guesses: int, budget: WorkBudget, narrow: bool = False
    ) -> bool:
        if indices.size <= 2:
            return int(indices.size) <= guesses
        if guesses < 2 or indices.size > self._max_codes[min(guesses, len(self._max_codes) - 1)]:
            return False
        if guesses == 2:
            budget.spend(indices.size * self._all_codes.shape[1])
            scratch = np.empty((2, self._all_codes.shape[1]), dtype=np.uint64)
            return some_guess_separates(tables.by_code, indices, scratch[0], scratch[1])
        if guesses == 3:
            return self._is_solvable_in_three(tables, indices, budget)
        # if ``narrow``, only a few guesses are tried and False is not certain
        return self._is_solvable_by_search(tables, indices, guesses, budget, narrow)

    def _is_solvable_in_three(self, tables: _Tables, indices: Indices, budget: WorkBudget) -> bool:
        key = blake2b(tables.code_indices[indices].tobytes(), digest_size=16).digest()
        known = self._memo.bounds(key)
        if known.at_most <= 3 or known.at_least > 3:
            return known.at_most <= 3
        numbers, limit = len(self._feedbacks), self._max_codes[2]
        enough, work = solvable_in_three(tables.by_code, tables.by_guess, indices, numbers, limit)
        self._memo.tighten(key, at_most=3) if enough else self._memo.tighten(key, at_least=4)
        budget.spend(work)
        return enough

    def _is_solvable_by_search(
        self, tables: _Tables, indices: Indices, guesses: int, budget: WorkBudget, narrow: bool
    ) -> bool:
        key = code_set_key(np.ascontiguousarray(tables.columns[:, indices]), self.rules)
        known = self.solved.bounds(key)
        if known.at_most <= guesses or known.at_least > guesses:
            return known.at_most <= guesses
        enough = self._search(tables, indices, guesses, budget, narrow=True) is not None
        if not enough and not narrow:
            enough = self._search(tables, indices, guesses, budget, narrow=False) is not None
            if not enough:
                self.solved.tighten(key, at_least=guesses + 1)
        if enough:
            self.solved.tighten(key, at_most=guesses)
        return enough

    def _search(self, tables: _Tables, indices: Indices, guesses: int, budget: WorkBudget, narrow: bool) -> int | None:
        limit = self._max_codes[min(guesses, len(self._max_codes)) - 1]
        ranked, work = rank_guesses(tables.by_guess, indices, len(self._feedbacks), limit)
        budget.spend(work)
        for guess in ranked[:_NARROW] if narrow else self._distinct_guesses(tables, indices, ranked):
            parts = self._parts(tables, indices, guess)
            if all(self._is_solvable(tables, part, guesses - 1, budget, narrow) for part in parts):
                return guess
        return None

    def _distinct_guesses(self, tables: _Tables, indices: Indices, guesses: Indices) -> Iterator[int]:
        yield from guesses[:_WIDE].tolist()
        if guesses.size <= _WIDE:
            return
        orbits = self._symmetries.orbits(np.ascontiguousarray(tables.columns[:, indices]))
        done = set(orbits[guesses[:_WIDE]].tolist())
        for guess, head in zip(guesses[_WIDE:].tolist(), orbits[guesses[_WIDE:]].tolist(), strict=True):
            if head not in done:
                done.add(head)
                yield guess

    def _parts(self, tables: _Tables, indices: Indices, guess: int) -> list[Indices]:
        sizes, grouped = group_by_feedback(tables.by_guess[guess], indices, len(self._feedbacks))
        ends = np.cumsum(sizes)
        falling = np.argsort(-sizes[:-1], kind="stable")
        return [grouped[ends[number] - sizes[number] : ends[number]] for number in falling if sizes[number] > 1]


def affordable_codes(rules: Rules) -> int:
    """Return the most candidates for which an exact reply takes about a second (bench/devil_work.py)."""
    # every code is a guess to try, so larger rules allow fewer candidates
    return rules.size if rules.size <= _ALWAYS_AFFORDABLE else _AFFORDABLE_PAIRS // rules.size


def _ascending(count: int) -> Indices:
    return np.arange(count, dtype=np.int32)
