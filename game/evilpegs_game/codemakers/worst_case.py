"""The worst case of an optimal codebreaker: how many guesses a live set needs, exactly, and the hardest replies.

The value of a set of codes is the number of guesses, the winning one included, that a codebreaker who plays perfectly
needs against the worst of its codes; any code of the rules is a legal guess. One code has the value 1. A set is within
k guesses if some guess leaves only parts within k - 1; that is asked with rising k (iterative deepening) and answered
no as soon as one part fails (the cut-off of alpha-beta with a window of one). Source of the question: D. E. Knuth, The
Computer as Master Mind, Journal of Recreational Mathematics 9 (1976-77).

Work is counted in feedbacks looked at. It depends on what is already known, so that a budget can be exceeded or not;
the answers do not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.codemakers.size_bounds import max_codes_within
from evilpegs_game.codemakers.small_sets import (
    MAX_FEEDBACKS,
    FeedbackMatrix,
    group_by_feedback,
    rank_guesses,
    solvable_in_three,
    some_guess_separates,
)
from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.codes import Code, Columns, all_codes, column_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import Feedback, feedbacks
from evilpegs_game.partition import Indices, feedback_numbers
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import GuessSymmetries, code_set_key

MAX_TABLE_BYTES: Final = 1 << 26
"""A table of feedback numbers that is larger is refused."""

MAX_SHARED_CODES: Final = 5040
"""Rules of at most so many codes have one table of all codes, made once; larger ones a table a live set."""

_ALWAYS_AFFORDABLE: Final = 1296
_AFFORDABLE_PAIRS: Final = 10**6
_MAX_GUESSES: Final = 1 << 20
_NARROW: Final = 4
"""Guesses that the first, quick look at a set tries."""
_WIDE: Final = 8
"""Guesses tried before it pays to find out which of the others are as good as each other."""


class HardestReplies(NamedTuple):
    """The replies a perfect adversary may give, in feedback order, and the feedbacks looked at to know them."""

    replies: tuple[Feedback, ...]
    work: int


@dataclass(slots=True)
class _Tables:
    """A live set and the feedback of every guess to it. ``numbers`` are the places of its codes in all codes."""

    columns: Columns
    numbers: Indices
    by_code: FeedbackMatrix
    by_guess: FeedbackMatrix


@dataclass(slots=True)
class _WorkMeter:
    """Counts the work of one question."""

    budget: int | None
    work: int = 0

    def add(self, work: int) -> None:
        self.work += work
        if self.budget is not None and self.work > self.budget:
            message = f"an exact reply takes more than the budget of {self.budget:,} feedback evaluations"
            raise OverBudgetError(message)


class WorstCase:
    """Answers for the live sets of some rules; what it has found out it keeps in ``solved`` and in a memo of its own.

    Usable from several threads: they share what they find. It takes up to 25 MB for a table of all codes, and some
    40 MB each for ``solved`` and the memo when they are full.

    Rules of at most ``shared_codes`` codes have one table of all codes, larger rules a table per live set of at most
    ``max_table_bytes``. Both methods give identical results.

    Raises:
        TooLargeError: the rules have more than 2**20 codes, or more than 64 feedbacks (10 pegs or more).
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
            message = f"{rules} is too large to be solved exactly; it may have {_MAX_GUESSES:,} codes and 9 pegs"
            raise TooLargeError(message)
        self._all_codes = all_codes(rules)
        self._symmetries = GuessSymmetries(rules, self._all_codes)
        self._max_codes = max_codes_within(rules)
        self._shared_tables = self._make_tables(self._all_codes) if rules.size <= shared_codes else None

    def forget(self, solved: SolvedPositions | None = None) -> None:
        """Know no more than ``solved``, by default nothing."""
        self.solved = SolvedPositions() if solved is None else solved
        self._memo = SolvedPositions()

    def check_codes(self, codes: int) -> None:
        """Raise TooLargeError if live sets of so many codes cannot be solved, however long it may take."""
        needed = 2 * min(codes, self.rules.size) * self.rules.size
        if self._shared_tables is None and needed > self._max_table_bytes:
            message = (
                f"{codes:,} codes of {self.rules} are too many to be solved exactly: their table takes {needed:,} "
                f"bytes, the bound is {self._max_table_bytes:,}"
            )
            raise TooLargeError(message, needed=needed, bound=self._max_table_bytes)

    def value(self, columns: Columns, budget: int | None = None) -> int:
        """The value of a set of codes in code order.

        Raises:
            OverBudgetError: it takes more work than ``budget``.
            TooLargeError: the table of feedback numbers takes more than ``max_table_bytes``.
        """
        meter = _WorkMeter(budget)
        tables, places = self._tables_holding(columns, meter)
        guesses = self._fewest_guesses(places.size)
        while not self._is_solvable(tables, places, guesses, meter):
            guesses += 1
        return guesses

    def hardest_replies(self, columns: Columns, guess: Code, budget: int | None = None) -> HardestReplies:
        """Of the parts of ``columns`` under ``guess`` the largest of those whose value is greatest.

        All-black is among them only when there is no other part.

        Raises:
            OverBudgetError, TooLargeError: as `value` does.
        """
        meter = _WorkMeter(budget)
        sizes, grouped = group_by_feedback(
            feedback_numbers(columns, guess), _ascending(columns.shape[1]), len(self._feedbacks)
        )
        numbers = np.flatnonzero(sizes[:-1]).tolist()
        if len(numbers) < 2:
            return HardestReplies((self._feedbacks[numbers[0] if numbers else -1],), 0)
        tables, places = self._tables_holding(columns, meter)
        parts = dict(zip(numbers, np.split(places[grouped], np.cumsum(sizes[numbers]))[: len(numbers)], strict=True))
        hardest = self._hardest(tables, parts, meter)
        return HardestReplies(tuple(self._feedbacks[number] for number in hardest), meter.work)

    def _hardest(self, tables: _Tables, parts: dict[int, Indices], meter: _WorkMeter) -> list[int]:
        """The numbers of the feedbacks whose parts are the largest of those of the greatest value, rising."""

        def within(number: int, guesses: int) -> bool:
            return self._is_solvable(tables, parts[number], guesses, meter)

        falling = sorted(parts, key=lambda number: -parts[number].size)
        guesses = self._fewest_guesses(parts[falling[0]].size)
        while not all(within(number, guesses) for number in falling):
            guesses += 1
        size = next(parts[number].size for number in falling if not within(number, guesses - 1))
        return [number for number in falling if parts[number].size == size and not within(number, guesses - 1)]

    def _tables_holding(self, columns: Columns, meter: _WorkMeter) -> tuple[_Tables, Indices]:
        """A frame that holds the codes, and their places in it."""
        if self._shared_tables is not None:
            return self._shared_tables, self._symmetries.indices(columns)
        self.check_codes(columns.shape[1])
        meter.add(columns.shape[1] * self.rules.size)
        return self._make_tables(columns), _ascending(columns.shape[1])

    def _make_tables(self, columns: Columns) -> _Tables:
        by_code = np.empty((columns.shape[1], self._all_codes.shape[1]), dtype=np.uint8)
        for place in range(columns.shape[1]):
            by_code[place] = feedback_numbers(self._all_codes, column_code(columns, place))
        shared = columns is self._all_codes  # feedback is symmetric
        by_guess = by_code if shared else np.ascontiguousarray(by_code.T)
        return _Tables(columns, self._symmetries.indices(columns), by_code, by_guess)

    def _fewest_guesses(self, codes: int) -> int:
        """The fewest guesses that so many codes can need."""
        return next(guesses for guesses, most in enumerate(self._max_codes) if codes <= most)

    def _is_solvable(
        self, tables: _Tables, places: Indices, guesses: int, meter: _WorkMeter, narrow: bool = False
    ) -> bool:
        """Whether that many guesses are enough. If ``narrow``, a no may be wrong, a yes is not."""
        if places.size <= 2:
            return int(places.size) <= guesses
        if guesses < 2 or places.size > self._max_codes[min(guesses, len(self._max_codes) - 1)]:
            return False
        if guesses == 2:
            meter.add(places.size * self._all_codes.shape[1])
            scratch = np.empty((2, self._all_codes.shape[1]), dtype=np.uint64)
            return some_guess_separates(tables.by_code, places, scratch[0], scratch[1])
        if guesses == 3:
            return self._is_solvable_in_three(tables, places, meter)
        return self._is_solvable_by_search(tables, places, guesses, meter, narrow)

    def _is_solvable_in_three(self, tables: _Tables, places: Indices, meter: _WorkMeter) -> bool:
        key = blake2b(tables.numbers[places].tobytes(), digest_size=16).digest()
        known = self._memo.bounds(key)
        if known.at_most <= 3 or known.at_least > 3:
            return known.at_most <= 3
        enough, work = solvable_in_three(
            tables.by_code, tables.by_guess, places, len(self._feedbacks), self._max_codes[2]
        )
        self._memo.tighten(key, at_most=3) if enough else self._memo.tighten(key, at_least=4)
        meter.add(work)
        return enough

    def _is_solvable_by_search(
        self, tables: _Tables, places: Indices, guesses: int, meter: _WorkMeter, narrow: bool
    ) -> bool:
        key = code_set_key(np.ascontiguousarray(tables.columns[:, places]), self.rules)
        known = self.solved.bounds(key)
        if known.at_most <= guesses or known.at_least > guesses:
            return known.at_most <= guesses
        enough = self._search(tables, places, guesses, meter, narrow=True)
        if not enough and not narrow:
            enough = self._search(tables, places, guesses, meter, narrow=False)
            if not enough:
                self.solved.tighten(key, at_least=guesses + 1)
        if enough:
            self.solved.tighten(key, at_most=guesses)
        return enough

    def _search(self, tables: _Tables, places: Indices, guesses: int, meter: _WorkMeter, narrow: bool) -> bool:
        limit = self._max_codes[min(guesses, len(self._max_codes)) - 1]
        tried, work = rank_guesses(tables.by_guess, places, len(self._feedbacks), limit)
        meter.add(work)
        for guess in tried[:_NARROW] if narrow else self._distinct_guesses(tables, places, tried):
            if all(
                self._is_solvable(tables, part, guesses - 1, meter, narrow)
                for part in self._parts(tables, places, guess)
            ):
                return True
        return False

    def _distinct_guesses(self, tables: _Tables, places: Indices, guesses: Indices) -> Iterator[int]:
        """The guesses, of those known to be as good as each other only one."""
        yield from guesses[:_WIDE].tolist()
        if guesses.size <= _WIDE:
            return
        family = self._symmetries.orbits(np.ascontiguousarray(tables.columns[:, places]))
        done = set(family[guesses[:_WIDE]].tolist())
        for guess, head in zip(guesses[_WIDE:].tolist(), family[guesses[_WIDE:]].tolist(), strict=True):
            if head not in done:
                done.add(head)
                yield guess

    def _parts(self, tables: _Tables, places: Indices, guess: int) -> list[Indices]:
        """The parts of over one code, the largest first, without all-black."""
        sizes, grouped = group_by_feedback(tables.by_guess[guess], places, len(self._feedbacks))
        ends = np.cumsum(sizes)
        falling = np.argsort(-sizes[:-1], kind="stable")
        return [grouped[ends[number] - sizes[number] : ends[number]] for number in falling if sizes[number] > 1]


def affordable_codes(rules: Rules) -> int:
    """How many candidates can be solved within about a second a reply, by experience: see bench/devil_work.py.

    All codes of rules that have up to 1,296; for larger ones fewer, as every code is a guess to be tried.
    """
    return rules.size if rules.size <= _ALWAYS_AFFORDABLE else _AFFORDABLE_PAIRS // rules.size


def _ascending(count: int) -> Indices:
    return np.arange(count, dtype=np.int32)
