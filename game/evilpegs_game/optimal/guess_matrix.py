"""The inputs of the search for least totals: all codes of some rules, and the feedbacks to the guesses worth trying."""

from itertools import combinations_with_replacement
from typing import Final

import numpy as np

from evilpegs_game.codemakers.small_sets import (
    MAX_FEEDBACKS,
    FeedbackMatrix,
    least_total_table,
    max_codes_within,
    other_feedback_count,
)
from evilpegs_game.codes import Code, Columns, all_codes, column_code, to_columns
from evilpegs_game.errors import TooLargeError, check_bound
from evilpegs_game.kernels import GOLDEN, kernel, mix, mix_each
from evilpegs_game.optimal.search_state import DEFAULT, GUESS_BITS, GuessTables, OrbitTable, Tuning, Words, stack_bytes
from evilpegs_game.partition import Indices, feedback_numbers
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import GuessSymmetries

_MAX_GUESSES: Final = 1 << 20
_DIGEST_BYTES: Final = 32  # per guess, to find equal partitions
_CHUNK: Final = 1 << 12


class CodeSpace:
    """All codes of ``rules``, each a possible guess, and their symmetries.

    ``max_parts`` is the most parts into which a guess can split a set, all-black not counted. ``max_codes`` is the
    array of `max_codes_within`. Raises TooLargeError for rules of more than 2**20 codes or 9 pegs.
    """

    def __init__(self, rules: Rules, tuning: Tuning = DEFAULT) -> None:
        self.rules = rules
        self.tuning = tuning
        self.max_parts = other_feedback_count(rules)
        if rules.size > _MAX_GUESSES or self.max_parts + 2 > MAX_FEEDBACKS:
            raise TooLargeError(
                f"{rules} is too large for optimal play; the limit is {_MAX_GUESSES:,} codes and 9 pegs"
            )
        self.columns = all_codes(rules)
        self.symmetries = GuessSymmetries(rules, self.columns)
        self.max_codes = np.array(max_codes_within(rules), dtype=np.int64)

    def orbits(self, columns: Columns) -> Indices:
        """Return, for each guess, the index of the first guess known to be equally good against ``columns``."""
        # with few codes, the search for symmetries would take longer than it saves
        if columns.shape[1] < self.tuning.orbit_codes:
            return np.arange(self.rules.size, dtype=np.int32)
        return self.symmetries.orbits(columns)

    def first_guesses(self, columns: Columns) -> list[Code]:
        """Return the first guess of each orbit against ``columns``, in code order."""
        if columns.shape[1] == self.rules.size:
            return one_guess_per_shape(self.rules)
        return [column_code(self.columns, index) for index in np.unique(self.orbits(columns)).tolist()]

    def matrix_bytes(self, codes: int, guesses: int) -> int:
        """Return the bytes of a guess matrix with the stack of one search."""
        tables = (2 + _bit_type(self.max_parts + 2)().itemsize) * codes * guesses
        return tables + stack_bytes(codes, guesses, self.tuning)

    def check_bytes(self, codes: int, needed: int) -> None:
        """Raise TooLargeError if ``needed``, for ``codes`` codes, is over `Tuning.max_matrix_bytes`."""
        bound = self.tuning.max_matrix_bytes
        what = f"{codes:,} codes of {self.rules} are too many for optimal play"
        check_bound(needed, bound, f"{what}: they take {needed:,} bytes, the limit is {bound:,}")


def one_guess_per_shape(rules: Rules) -> list[Code]:
    """Return the first code of each orbit of all codes, in code order."""
    pegs, most = rules.pegs, rules.pegs if rules.repeats else 1
    # the pegs of each color, falling; at most 50,000, because a code space has at most 9 pegs
    shapes = combinations_with_replacement(range(most, -1, -1), min(pegs, rules.colors))
    fitting = (shape for shape in shapes if sum(shape) == pegs)
    return sorted(tuple(color for color, times in enumerate(shape) for _ in range(times)) for shape in fitting)


class GuessMatrix:
    """A set of codes, and the feedbacks that they give to the guesses worth trying against the set or any subset.

    All codes of the set are guesses. Another guess is kept only if no code of the set, and no earlier guess in code
    order, splits the set into the same parts. Raises TooLargeError over `Tuning.max_matrix_bytes`.
    """

    def __init__(self, code_space: CodeSpace, columns: Columns) -> None:
        """Take more than two codes, in code order."""
        code_space.check_bytes(columns.shape[1], (columns.shape[1] + _DIGEST_BYTES) * code_space.rules.size)
        self.code_space = code_space
        self.columns = columns
        self._code_indices = code_space.symmetries.indices(columns)
        self.guesses, self.tables = self._build_tables()
        self._orbits: Indices | None = None

    @property
    def codes(self) -> int:
        return int(self.columns.shape[1])

    @property
    def all_indices(self) -> Indices:
        return np.arange(self.codes, dtype=np.int32)

    @property
    def bytes(self) -> int:
        return self.tables.by_guess.nbytes + self.tables.bits.nbytes

    def guess_code(self, guess: int) -> Code:
        """Return the code of a guess by its index in this matrix."""
        return column_code(self.code_space.columns, int(self.guesses[guess]))

    def guess_index(self, code: Code) -> int:
        """Return the index of ``code``, which must be a guess of this matrix."""
        index = self.code_space.symmetries.indices(to_columns([code]))
        return int(np.searchsorted(self.guesses, index)[0])

    def _build_tables(self) -> tuple[Indices, GuessTables]:
        space, numbers = self.code_space, self.code_space.max_parts + 2
        by_code = np.empty((self.codes, space.rules.size), dtype=np.uint8)
        for code in range(self.codes):
            by_code[code] = feedback_numbers(space.columns, column_code(self.columns, code))
        with np.errstate(over="ignore"):  # the mixing relies on words that wrap around
            # two hash words per code, the same in every run
            keys = mix_each((2 * self._code_indices[:, None] + np.arange(1, 3)).astype(np.uint64) * GOLDEN)
            digests = _partition_digests(by_code, keys, numbers)
        _, first = np.unique(digests, return_index=True)
        others = first[~np.isin(digests[first], digests[self._code_indices])]
        guesses = np.union1d(self._code_indices, others).astype(np.int32)
        space.check_bytes(self.codes, by_code.nbytes + space.matrix_bytes(self.codes, guesses.size))
        by_code = np.ascontiguousarray(by_code[:, guesses])
        kind = _bit_type(numbers)
        tables = GuessTables(
            by_guess=np.ascontiguousarray(by_code.T),
            bits=np.left_shift(kind(1), by_code, dtype=kind),
            self_guess=np.searchsorted(guesses, self._code_indices).astype(np.int32),
            code_keys=keys,
            least_totals=least_total_table(space.max_parts, self.codes),
            max_codes=space.max_codes,
            all_black=numbers - 1,
        )
        return guesses, tables

    def first_of_each_orbit(self, entries: list[int]) -> list[int]:
        """Return ``entries`` without guesses that are as good as an earlier one against the whole set."""
        if self._orbits is None:
            self._orbits = self.code_space.orbits(self.columns)[self.guesses]
        guesses = np.array([entry_guess(entry) for entry in entries], dtype=np.int64)
        _, first = np.unique(self._orbits[guesses], return_index=True)
        return [entries[index] for index in np.sort(first).tolist()]

    def orbits_after(self, guess: int) -> OrbitTable:
        """Return the orbits of second guesses after each feedback to ``guess``, an index in this matrix.

        A row is -1 everywhere for all-black, and if the part has fewer than `Tuning.orbit_codes` codes.
        """
        row = self.tables.by_guess[guess]
        orbits = np.full((self.tables.all_black + 1, self.guesses.size), -1, dtype=np.int32)
        for number in range(self.tables.all_black):
            part = np.flatnonzero(row == number)
            if part.size >= self.code_space.tuning.orbit_codes:
                heads = self.code_space.orbits(np.ascontiguousarray(self.columns[:, part]))[self.guesses]
                orbits[number] = np.unique(heads, return_inverse=True)[1]
        return orbits


def entry_guess(entry: int) -> int:
    """Return the guess in the low `GUESS_BITS` bits of a list entry; the bits above estimate its total."""
    return entry & ((1 << GUESS_BITS) - 1)


def _bit_type(numbers: int) -> type[np.unsignedinteger]:
    return np.uint16 if numbers <= 16 else np.uint32 if numbers <= 32 else np.uint64


@kernel
def _partition_digests(by_code: FeedbackMatrix, keys: Words, numbers: int) -> Words:
    # a sum over parts: equal for equal partitions, with whatever feedbacks
    digests = np.zeros(by_code.shape[1], np.uint64)
    part_keys = np.empty((numbers, _CHUNK), np.uint64)
    for start in range(0, digests.size, _CHUNK):
        stop = min(start + _CHUNK, digests.size)
        part_keys[:] = 0
        for code in range(by_code.shape[0]):
            row = by_code[code, start:stop]
            for guess in range(row.size):
                part_keys[row[guess], guess] += keys[code, 0]
        for number in range(numbers):
            for guess in range(stop - start):
                if part_keys[number, guess]:
                    digests[start + guess] += mix(part_keys[number, guess])
    return digests
