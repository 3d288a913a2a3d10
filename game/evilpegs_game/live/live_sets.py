"""A shared cache of live sets and part sizes with a byte budget. Every entry can be recomputed.

Rules with few codes are *enumerated*: the live set is an array of codes, selected from that of the turn before. On
larger rules part sizes are *counted* until the live set is small enough to be *listed*. Counts and listed live sets are
kept under a canonical key of the history, so openings that differ only by the names of colors and pegs share an entry.
All methods give identical results.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import local
from typing import Any, Final

from evilpegs_game.codes import Code, Columns, RandomSource, all_codes, column_code
from evilpegs_game.counting.code_numbers import codes_fit_word
from evilpegs_game.counting.first_code import first_code
from evilpegs_game.counting.first_guess import first_part_sizes
from evilpegs_game.counting.part_counts import DEFAULT_BYTES as COUNT_BYTES
from evilpegs_game.counting.part_counts import count_parts
from evilpegs_game.counting.problem import MAX_COUNT
from evilpegs_game.counting.solution_tables import LIST_BYTES, SolutionTables
from evilpegs_game.errors import ContradictionError, TooLargeError, check_bound
from evilpegs_game.feedback import History, Turn, feedback_number
from evilpegs_game.live.cache import ByteCache, CacheState, SingleFlight
from evilpegs_game.live.draws import draw_blindly, draw_by_colors
from evilpegs_game.live.feedback_table import MAX_TABLE_CODES, FeedbackTable
from evilpegs_game.partition import part_sizes, select
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.history_key import HistoryKey, Symmetry, convert_image, history_key

HEAD_BYTES: Final = 4
"""Bytes before the turns; each turn takes two bytes more than the rules have pegs."""
DEFAULT_BYTES: Final = 256 << 20
ENUMERATED_CODES: Final = 100_000
"""Up to here, enumerating takes less time than computing a canonical key."""
_ENTRY_BYTES: Final = 1024  # of a cache entry besides its codes (key, array header, links), rounded up generously
SIZES_BYTES: Final = 2048
"""Bytes of a cache entry with the part sizes of one guess, its key included."""
_MIN_LISTED_PEGS: Final = 8
_MAX_LISTED: Final = 1 << 18  # as many as 10 pegs list; 16 times as many, on 12 pegs, would take 180 MB


def exact_key(rules: Rules, history: History, guess: Code = ()) -> bytes:
    """Return a cache key that differs from the keys of all other rules, histories and guesses.

    ``exact_key(rules, history[:n])`` is a prefix of ``exact_key(rules, history)``.
    """
    # no canonical key (`history_key`) begins with 0, so the two kinds can share a cache
    numbers = [0, rules.pegs, rules.colors, rules.repeats]
    for asked, answer in history:
        numbers += asked
        numbers += answer
    numbers += guess
    # bytes, because the garbage collector would traverse tuples again and again
    return bytes(numbers)


def max_listed_codes(rules: Rules) -> int:
    """Return the number of codes up to which live sets are listed; larger ones are counted.

    Listing a set of this size takes about as long as one count, and is done only once. The result is 0 with fewer than
    8 pegs, because any count takes less time than listing even one code, and if ``colors**pegs`` exceeds 2**64.
    """
    if not codes_fit_word(rules):
        return 0
    return min(int(4**rules.pegs) // 4, _MAX_LISTED) if rules.pegs >= _MIN_LISTED_PEGS else 0


class _Work(local):
    rows = 0


class LiveSets:
    """A thread-safe cache of live sets and part sizes, which drops the least recently used entries first.

    ``max_bytes`` bounds the cached live sets; cached part sizes take at most an eighth of it in addition.
    ``count_bytes`` bounds each running count, also in addition. Arrays of codes are read-only and stay valid after they
    are dropped.
    """

    def __init__(
        self,
        max_bytes: int = DEFAULT_BYTES,
        count_bytes: int = COUNT_BYTES,
        *,
        enumerated_codes: int = ENUMERATED_CODES,
        max_listed_codes: Callable[[Rules], int] = max_listed_codes,
    ) -> None:
        self.enumerated_codes = enumerated_codes
        self._max_listed_codes = max_listed_codes
        self._max_bytes = max_bytes
        self._count_bytes = count_bytes
        self._sets: ByteCache[Any] = ByteCache(max_bytes)  # also feedback tables, by rules
        self._sizes: ByteCache[tuple[int, ...]] = ByteCache(max_bytes // 8)
        self._set_flights: SingleFlight[object, Columns] = SingleFlight()
        self._size_flights: SingleFlight[object, tuple[int, ...]] = SingleFlight()
        self._work = _Work()

    def emptied(self) -> "LiveSets":
        """Return an empty cache with the same limits."""
        make, _ = self.__reduce__()
        return make()

    def __reduce__(self) -> tuple["partial[LiveSets]", tuple[()]]:
        make = partial(
            LiveSets,
            self._max_bytes,
            self._count_bytes,
            enumerated_codes=self.enumerated_codes,
            max_listed_codes=self._max_listed_codes,
        )
        return make, ()

    def __deepcopy__(self, _memo: object) -> "LiveSets":
        return self  # a copy of a game may share it, as other games do; without entries it would play slowly at first

    @staticmethod
    def bytes_needed(rules: Rules) -> int:
        """Bytes of all codes of ``rules`` in the cache."""
        return rules.pegs * rules.size + _ENTRY_BYTES

    @property
    def bytes_used(self) -> int:
        """Bytes of the cached live sets and feedback tables."""
        return self._sets.state.bytes_used

    @property
    def state(self) -> CacheState:
        """The cache of part sizes, through which games on large rules share counts."""
        return self._sizes.state

    def all_codes(self, rules: Rules) -> Columns:
        """Return every code, shared and read-only; raise TooLargeError before anything is allocated."""
        key = exact_key(rules, ())
        columns: Columns | None = self._sets.get(key)
        if columns is not None:
            return columns
        needed = self.bytes_needed(rules)
        message = f"all codes of {rules} take {needed:,} bytes; the limit is {self._max_bytes:,}; take smaller rules"
        check_bound(needed, self._max_bytes, message)
        return self._get_or_compute(key, lambda: self._enumerate(rules, needed))

    def feedback_table(self, rules: Rules) -> FeedbackTable | None:
        """None if the rules have too many codes, or the table and all codes exceed ``max_bytes``."""
        if rules.size > MAX_TABLE_CODES:
            return None
        table: FeedbackTable | None = self._sets.get(rules)
        needed = FeedbackTable.bytes_needed(rules) + _ENTRY_BYTES
        if table is None and needed + self.bytes_needed(rules) <= self._max_bytes:
            table = FeedbackTable(rules, self.all_codes(rules))
            self._sets.put(rules, table, needed)
        return table

    def get(self, rules: Rules, history: History) -> Columns:
        """Return the live set in code order, read-only. Raises ContradictionError or TooLargeError."""
        key = exact_key(rules, history)
        columns: Columns | None = self._sets.get(key)
        if columns is not None:
            return columns
        if not history:
            return self.all_codes(rules)
        if rules.size <= self.enumerated_codes:  # computing takes less time than asking who else computes it
            columns = self._compute_set(key, rules, history)
            self._sets.put(key, columns, columns.nbytes + _ENTRY_BYTES)
            return columns
        return self._get_or_compute(key, lambda: self._compute_set(key, rules, history))

    def part_sizes(self, rules: Rules, history: History, guess: Code) -> tuple[int, ...]:
        """Return the part sizes in feedback order, zeros included, for rules of any size.

        Raises ContradictionError, or TooLargeError for a count that exceeds ``count_bytes``.
        """
        if rules.size <= self.enumerated_codes:
            return tuple(part_sizes(self.get(rules, history), guess).tolist())
        history = tuple(dict.fromkeys(history))
        exact = exact_key(rules, history, guess)
        sizes = self._sizes.get(exact)
        if sizes is None:
            key, symmetry = history_key(rules, history, guess)
            sizes = self._sizes.get(key)
            if sizes is None:
                sizes = self._size_flights.get(key, lambda: self._compute_sizes(key, rules, history, guess, symmetry))
            self._sizes.put(exact, sizes, SIZES_BYTES)
        return sizes

    def take_work(self) -> int:
        """Return the work of counting and listing on this thread since its last call, in the unit of `PartCount.work`.

        Drawing codes, or finding the first code, without listing all is not included.
        """
        work, self._work.rows = self._work.rows, 0
        return work

    def count(self, rules: Rules, history: History) -> int:
        """Return the size of the live set, at least 1. Raises the errors of `part_sizes`."""
        if not history:
            return rules.size
        if rules.size <= self.enumerated_codes:
            return int(self.get(rules, history).shape[1])
        # Without repeated turns each call leads to one about fewer turns, so no computation waits for itself.
        *before, (guess, feedback) = dict.fromkeys(history)
        count = self.part_sizes(rules, tuple(before), guess)[feedback_number(feedback, rules.pegs)]
        if not count:
            raise ContradictionError(_contradiction_text(rules, len(history)), turn=len(history))
        return count

    def first(self, rules: Rules, history: History) -> Code:
        """Return the first candidate in code order. Raises the errors of `part_sizes`."""
        if rules.size <= self.enumerated_codes or self._is_listable(rules, history):
            with suppress(TooLargeError):  # there are few codes, but the tables to list them may not fit
                return column_code(self.get(rules, history), 0)
        return first_code(rules, history, self._count_bytes)

    def sample(self, rules: Rules, history: History, rng: RandomSource, count: int = 1) -> list[Code]:
        """Draw candidates uniformly and independently.

        Raises the errors of `part_sizes`, and TooLargeError if several cannot be drawn in the time of some counts.
        """
        if rules.size <= self.enumerated_codes or self._is_listable(rules, history):
            with suppress(TooLargeError):
                columns = self.get(rules, history)
                return [column_code(columns, rng.randrange(columns.shape[1])) for _ in range(count)]
        try:
            tables = SolutionTables(rules, history, self._count_bytes)
        except TooLargeError:
            if rules.size > MAX_COUNT:
                raise
            drawn = draw_blindly(rules, history, rng, count)
            if not drawn and count > 1:
                raise
            return drawn or [draw_by_colors(rules, history, rng, self._count_bytes)]
        return [tables.sample(rng) for _ in range(count)]

    def _is_listable(self, rules: Rules, history: History) -> bool:
        return self.count(rules, history) <= self._max_listed_codes(rules)

    def _enumerate(self, rules: Rules, needed: int) -> Columns:
        self._sets.free_bytes(needed)
        return all_codes(rules)

    def _get_or_compute(self, key: object, compute: Callable[[], Columns]) -> Columns:
        def find_or_compute() -> Columns:
            columns = self._sets.get(key)
            if columns is None:
                columns = compute()
                self._sets.put(key, columns, columns.nbytes + _ENTRY_BYTES)
            return columns

        return self._set_flights.get(key, find_or_compute)

    def _compute_set(self, exact: bytes, rules: Rules, history: History) -> Columns:
        known, columns = self._longest_cached(exact, rules, history)
        if columns is None:
            return self._list_codes(rules, history)
        for number, (guess, feedback) in enumerate(history[known:], known + 1):
            columns = select(columns, guess, feedback)
            if not columns.size:
                raise ContradictionError(_contradiction_text(rules, number), turn=number)
        return columns

    def _longest_cached(self, exact: bytes, rules: Rules, history: History) -> tuple[int, Columns | None]:
        for length in range(len(history) - 1, 0, -1):
            columns = self._sets.get(exact[: HEAD_BYTES + length * (rules.pegs + 2)])
            if columns is not None:
                return length, columns
        from_all = rules.size <= self.enumerated_codes or self.bytes_needed(rules) <= self._max_bytes // 4
        return 0, self.all_codes(rules) if from_all else None

    def _list_codes(self, rules: Rules, history: History) -> Columns:
        needed = self.count(rules, history) * (rules.pegs + LIST_BYTES)
        message = f"the candidates take {needed:,} bytes to list; the limit is {self._max_bytes:,}"
        check_bound(needed, self._max_bytes, f"{message}; count or sample them, or guess more first")
        tables = SolutionTables(rules, history, self._count_bytes)
        self._work.rows += tables.work
        return tables.columns()

    def _compute_sizes(
        self, key: HistoryKey, rules: Rules, history: History, guess: Code, symmetry: Symmetry
    ) -> tuple[int, ...]:
        sizes = self._sizes.get(key)
        if sizes is not None:
            return sizes
        is_listable = bool(history) and self._is_listable(rules, history)
        canonical_set = self._list_canonical(rules, history) if is_listable else None
        if not history:
            sizes = first_part_sizes(rules, guess)
        elif canonical_set is not None:
            columns, onto = canonical_set
            sizes = tuple(part_sizes(columns, onto.image(guess)).tolist())
        else:
            image = tuple(Turn._make((symmetry.image(code), answer)) for code, answer in history)
            counted = count_parts(rules, image, symmetry.image(guess), self._count_bytes)
            sizes = counted.sizes
            self._work.rows += counted.work
        self._sizes.put(key, sizes, SIZES_BYTES)
        return sizes

    def _list_canonical(self, rules: Rules, history: History) -> tuple[Columns, Symmetry] | None:
        key, onto = history_key(rules, history)
        image = tuple(Turn._make((onto.image(code), answer)) for code, answer in history)
        try:
            return self._get_or_compute(key, lambda: self._derive_canonical(rules, history, onto, image)), onto
        except TooLargeError:
            return None

    def _derive_canonical(self, rules: Rules, history: History, onto: Symmetry, image: History) -> Columns:
        *before, (guess, feedback) = history
        key, there = history_key(rules, tuple(before))
        columns = self._sets.get(key) if before else None
        if columns is None:
            return self._list_codes(rules, image)
        # not in code order
        return convert_image(select(columns, there.image(guess), feedback), there, onto)


def _contradiction_text(rules: Rules, count: int) -> str:
    turns = "turn 1" if count == 1 else f"turns 1 to {count}; one of them is wrong"
    return f"no code of {rules} is consistent with the feedback of {turns}"
