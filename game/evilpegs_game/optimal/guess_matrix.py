"""The code space of some rules, and guess matrices: a set of codes with the guesses worth trying against it."""

from typing import Final

import numpy as np

from evilpegs_game.bits import GOLDEN, mix, mix_each
from evilpegs_game.codemakers.size_bounds import least_total_table, max_codes_within, other_feedback_count
from evilpegs_game.codemakers.small_sets import MAX_FEEDBACKS, FeedbackMatrix
from evilpegs_game.codes import Code, Columns, all_codes, column_code, to_columns
from evilpegs_game.compiled import kernel
from evilpegs_game.errors import TooLargeError
from evilpegs_game.optimal.search_state import GUESS_BITS, GuessTables, OrbitTable, Words, stack_bytes
from evilpegs_game.optimal.tuning import DEFAULT, Tuning
from evilpegs_game.partition import Indices, feedback_numbers
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import GuessSymmetries

_MAX_GUESSES: Final = 1 << 20
_DIGEST_BYTES: Final = 32
"""Bytes per guess that are needed besides while guesses that split the codes alike are being found."""
_CHUNK: Final = 1 << 12


class CodeSpace:
    """All codes of some rules, which are the guesses, and their symmetries. ``tuning`` bounds what is done with them.

    ``columns`` holds all codes in code order. ``max_parts`` is the most parts a guess can make, all-black not counted.
    ``max_codes[k]`` bounds the codes that can be solved within k guesses: int64.

    Raises:
        TooLargeError: the rules have more than 2**20 codes, or more than 64 feedbacks (10 pegs or more).
    """

    def __init__(self, rules: Rules, tuning: Tuning = DEFAULT) -> None:
        self.rules = rules
        self.tuning = tuning
        self.max_parts = other_feedback_count(rules)
        if rules.size > _MAX_GUESSES or self.max_parts + 2 > MAX_FEEDBACKS:
            message = f"{rules} is too large for optimal play; it may have {_MAX_GUESSES:,} codes and 9 pegs"
            raise TooLargeError(message)
        self.columns = all_codes(rules)
        self.symmetries = GuessSymmetries(rules, self.columns)
        self.max_codes = np.array(max_codes_within(rules), dtype=np.int64)

    def orbits(self, columns: Columns) -> Indices:
        """Return for each guess the first guess, in code order, known to be equally good against ``columns``: int32.

        Small sets are not worth the search for symmetries: there each guess is its own orbit.
        """
        if columns.shape[1] < self.tuning.orbit_codes:
            return np.arange(self.rules.size, dtype=np.int32)
        return self.symmetries.orbits(columns)

    def first_guesses(self, columns: Columns) -> list[Code]:
        """Return one guess of each orbit against ``columns``, the first of it, in code order."""
        if columns.shape[1] == self.rules.size:
            return one_guess_per_shape(self.rules)
        return [column_code(self.columns, index) for index in np.unique(self.orbits(columns)).tolist()]

    def matrix_bytes(self, codes: int, guesses: int) -> int:
        """Return the bytes that a guess matrix takes together with the stack of one search."""
        tables = (2 + _bit_type(self.max_parts + 2)().itemsize) * codes * guesses
        return tables + stack_bytes(codes, guesses, self.tuning)

    def check_bytes(self, codes: int, needed: int) -> None:
        """Raise TooLargeError if ``needed`` bytes for this many codes exceed `Tuning.max_matrix_bytes`."""
        bound = self.tuning.max_matrix_bytes
        if needed > bound:
            message = (
                f"{codes:,} codes of {self.rules} are too many for optimal play: they take {needed:,} bytes, "
                f"the limit is {bound:,}"
            )
            raise TooLargeError(message, needed=needed, bound=bound)


def one_guess_per_shape(rules: Rules) -> list[Code]:
    """Return the codes that come first, in code order, of all their images when pegs and colors are permuted."""
    most = rules.pegs if rules.repeats else 1
    shapes = _shapes(rules.pegs, rules.colors, most)
    return sorted(tuple(color for color, times in enumerate(shape) for _ in range(times)) for shape in shapes)


def _shapes(pegs: int, colors: int, most: int) -> list[tuple[int, ...]]:
    """Return the ways to distribute pegs among colors, as the number of pegs of each color, the largest first."""
    if pegs == 0:
        return [()]
    if colors == 0:
        return []
    return [
        (times, *others)
        for times in range(min(pegs, most), 0, -1)
        for others in _shapes(pegs - times, colors - 1, times)
    ]


class GuessMatrix:
    """A set of codes and the feedback of the guesses worth trying against it or any subset.

    Of guesses that split the set alike only one is kept: the first code of the set, or else the first of all codes.

    Raises:
        TooLargeError: it would take more than `Tuning.max_matrix_bytes`.
    """

    def __init__(self, code_space: CodeSpace, columns: Columns) -> None:
        """Build the matrix of ``columns``: more than two codes, in code order."""
        code_space.check_bytes(columns.shape[1], (columns.shape[1] + _DIGEST_BYTES) * code_space.rules.size)
        self.code_space = code_space
        self.columns = columns
        self._code_indices = code_space.symmetries.indices(columns)
        self.guesses, self.tables = self._build_tables()
        self._orbits: Indices | None = None

    @property
    def codes(self) -> int:
        """The number of codes in the set."""
        return int(self.columns.shape[1])

    @property
    def all_indices(self) -> Indices:
        """The indices of all codes of the set, int32."""
        return np.arange(self.codes, dtype=np.int32)

    @property
    def bytes(self) -> int:
        """The size of the tables."""
        return self.tables.by_guess.nbytes + self.tables.bits.nbytes

    def guess_code(self, guess: int) -> Code:
        """Return the code of a guess, which is given by its index in the matrix."""
        return column_code(self.code_space.columns, int(self.guesses[guess]))

    def guess_index(self, code: Code) -> int:
        """Return the index in the matrix of a code that is one of its guesses."""
        index = self.code_space.symmetries.indices(to_columns([code]))
        return int(np.searchsorted(self.guesses, index)[0])

    def _build_tables(self) -> tuple[Indices, GuessTables]:
        """Return the indices of the guesses among all codes, ascending, and the tables."""
        space, numbers = self.code_space, self.code_space.max_parts + 2
        by_code = np.empty((self.codes, space.rules.size), dtype=np.uint8)
        for code in range(self.codes):
            by_code[code] = feedback_numbers(space.columns, column_code(self.columns, code))
        with np.errstate(over="ignore"):  # the mixing relies on words that wrap around
            keys = _code_keys(self._code_indices)
            guesses = _distinct_guesses(_partition_digests(by_code, keys, numbers), self._code_indices)
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
        """Return, of the guesses listed for the whole set, the first of each orbit, in the order of the list."""
        if self._orbits is None:
            self._orbits = self.code_space.orbits(self.columns)[self.guesses]
        guesses = np.array([entry_guess(entry) for entry in entries], dtype=np.int64)
        _, first = np.unique(self._orbits[guesses], return_index=True)
        return [entries[index] for index in np.sort(first).tolist()]

    def orbits_after(self, guess: int) -> OrbitTable:
        """Return the orbits of the guesses against each large part that ``guess`` makes."""
        row = self.tables.by_guess[guess]
        orbits = np.full((self.tables.all_black + 1, self.guesses.size), -1, dtype=np.int32)
        for number in range(self.tables.all_black):
            part = np.flatnonzero(row == number)
            if part.size >= self.code_space.tuning.orbit_codes:
                heads = self.code_space.orbits(np.ascontiguousarray(self.columns[:, part]))[self.guesses]
                orbits[number] = np.unique(heads, return_inverse=True)[1]
        return orbits


def entry_guess(entry: int) -> int:
    """Return the guess of a list entry, without its estimate."""
    return entry & ((1 << GUESS_BITS) - 1)


def _bit_type(numbers: int) -> type[np.unsignedinteger]:
    return np.uint16 if numbers <= 16 else np.uint32 if numbers <= 32 else np.uint64


def _code_keys(code_indices: Indices) -> Words:
    """Return two words for each code, the same in every run: uint64, shape (codes, 2)."""
    numbers = (2 * code_indices[:, None] + np.arange(1, 3)).astype(np.uint64)
    return mix_each(numbers * GOLDEN)


def _distinct_guesses(digests: Words, members: Indices) -> Indices:
    """Return the indices of the guesses to keep, ascending: the members, and the first of each other partition."""
    _, first = np.unique(digests, return_index=True)
    others = first[~np.isin(digests[first], digests[members])]
    return np.union1d(members, others).astype(np.int32)


@kernel
def _partition_digests(by_code: FeedbackMatrix, keys: Words, numbers: int) -> Words:
    """Return for each guess a digest of the parts that it makes of the codes, whatever their feedbacks."""
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
