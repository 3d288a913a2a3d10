"""The inputs of the search for least totals: code spaces and guess matrices.

A code space consists of all codes of some rules. A guess matrix is a set of codes with the feedbacks that these codes
give to the guesses worth trying.
"""

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
"""The bytes per guess that the search for guesses with equal partitions needs, besides the feedback numbers."""
_CHUNK: Final = 1 << 12


class CodeSpace:
    """All codes of ``rules``, each a possible guess, and their symmetries; ``tuning`` bounds time and memory.

    ``columns`` holds all codes in code order. ``max_parts`` is the most parts into which a guess can split a set of
    codes, the part of all-black not counted. ``max_codes[k]`` is an upper bound on the number of codes that can be
    solved within k guesses: int64; the last element is the first that is at least the number of all codes.

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
        """Return, for each guess, the index of the first guess known to be equally good against ``columns``.

        The result is int32, shape (rules.size,); guesses are all codes of the rules in code order. Guesses are equally
        good if a symmetry of the set maps them to each other. If the set has fewer than `Tuning.orbit_codes` codes,
        each guess gets its own index, because the search for symmetries would take longer than it saves.
        """
        if columns.shape[1] < self.tuning.orbit_codes:
            return np.arange(self.rules.size, dtype=np.int32)
        return self.symmetries.orbits(columns)

    def first_guesses(self, columns: Columns) -> list[Code]:
        """Return the first guesses worth trying against ``columns``: one of each group of equally good ones.

        The result is in code order, and each guess in it is the first of its group in code order.
        """
        if columns.shape[1] == self.rules.size:
            return one_guess_per_shape(self.rules)
        return [column_code(self.columns, index) for index in np.unique(self.orbits(columns)).tolist()]

    def matrix_bytes(self, codes: int, guesses: int) -> int:
        """Return the size in bytes of a guess matrix with the stack of one search.

        The matrix has ``codes`` codes and ``guesses`` guesses.
        """
        tables = (2 + _bit_type(self.max_parts + 2)().itemsize) * codes * guesses
        return tables + stack_bytes(codes, guesses, self.tuning)

    def check_bytes(self, codes: int, needed: int) -> None:
        """Raise TooLargeError if ``needed``, the bytes for ``codes`` codes, is more than `Tuning.max_matrix_bytes`."""
        bound = self.tuning.max_matrix_bytes
        if needed > bound:
            message = (
                f"{codes:,} codes of {self.rules} are too many for optimal play: they take {needed:,} bytes, "
                f"the limit is {bound:,}"
            )
            raise TooLargeError(message, needed=needed, bound=bound)


def one_guess_per_shape(rules: Rules) -> list[Code]:
    """Return, in code order, the first code of each class of codes that renaming pegs and colors maps to each other."""
    most = rules.pegs if rules.repeats else 1
    shapes = _shapes(rules.pegs, rules.colors, most)
    return sorted(tuple(color for color, times in enumerate(shape) for _ in range(times)) for shape in shapes)


def _shapes(pegs: int, colors: int, most: int) -> list[tuple[int, ...]]:
    """Return the ways to divide ``pegs`` pegs among at most ``colors`` colors, with at most ``most`` pegs per color.

    Each way is a tuple of the number of pegs of each color that has any, in descending order.
    """
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
    """A set of codes, and the feedbacks that they give to the guesses worth trying against the set or any subset.

    All codes of the set are guesses. Another guess is kept only if no code of the set, and no earlier guess in code
    order, splits the set into the same parts.

    Raises:
        TooLargeError: the matrix would take more than `Tuning.max_matrix_bytes`.
    """

    def __init__(self, code_space: CodeSpace, columns: Columns) -> None:
        """Build the matrix of the codes in ``columns``, which must be more than two and in code order."""
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
        """The indices of all codes of the set, from 0: int32, ascending."""
        return np.arange(self.codes, dtype=np.int32)

    @property
    def bytes(self) -> int:
        """The size of the tables of feedbacks in bytes."""
        return self.tables.by_guess.nbytes + self.tables.bits.nbytes

    def guess_code(self, guess: int) -> Code:
        """Return the code of the guess with the index ``guess`` among the guesses of this matrix."""
        return column_code(self.code_space.columns, int(self.guesses[guess]))

    def guess_index(self, code: Code) -> int:
        """Return the index of ``code``, which must be a guess of this matrix, among the guesses of this matrix."""
        index = self.code_space.symmetries.indices(to_columns([code]))
        return int(np.searchsorted(self.guesses, index)[0])

    def _build_tables(self) -> tuple[Indices, GuessTables]:
        """Return the guesses of the matrix, as ascending indices among all codes, and the tables of the matrix."""
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
        """Return ``entries`` without the guesses that are as good as an earlier guess against all codes of the set.

        Each entry is an integer that holds a guess and an estimate, as `entry_guess` describes. Guesses are equally
        good if a known symmetry of the set maps them to each other; these guesses form an orbit.
        """
        if self._orbits is None:
            self._orbits = self.code_space.orbits(self.columns)[self.guesses]
        guesses = np.array([entry_guess(entry) for entry in entries], dtype=np.int64)
        _, first = np.unique(self._orbits[guesses], return_index=True)
        return [entries[index] for index in np.sort(first).tolist()]

    def orbits_after(self, guess: int) -> OrbitTable:
        """Return the orbits of second guesses after each feedback to ``guess``: int32, shape (feedbacks, guesses).

        ``guess`` is the index of a guess of this matrix. The row of a feedback has one orbit number per guess of this
        matrix; guesses with the same number are equally good against the part of this feedback. The row is -1
        everywhere if the part has fewer than `Tuning.orbit_codes` codes, and for all-black.
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
    """Return the index of the guess that a list entry holds in its low `GUESS_BITS` bits.

    The bits above hold an estimate of the total with this guess, the guesses summed over all codes.
    """
    return entry & ((1 << GUESS_BITS) - 1)


def _bit_type(numbers: int) -> type[np.unsignedinteger]:
    return np.uint16 if numbers <= 16 else np.uint32 if numbers <= 32 else np.uint64


def _code_keys(code_indices: Indices) -> Words:
    """Return two hash words for each code index, the same in every run: uint64, shape (codes, 2)."""
    numbers = (2 * code_indices[:, None] + np.arange(1, 3)).astype(np.uint64)
    return mix_each(numbers * GOLDEN)


def _distinct_guesses(digests: Words, members: Indices) -> Indices:
    """Return the indices of the guesses to keep, ascending: ``members``, and the first guess of each other partition.

    ``members`` are the indices of the codes of the set among all codes. ``digests`` has one hash per guess, which is
    equal for guesses that split the set into the same parts.
    """
    _, first = np.unique(digests, return_index=True)
    others = first[~np.isin(digests[first], digests[members])]
    return np.union1d(members, others).astype(np.int32)


@kernel
def _partition_digests(by_code: FeedbackMatrix, keys: Words, numbers: int) -> Words:
    """Return one hash per guess, equal for guesses that split the codes into the same parts with whatever feedbacks.

    ``by_code`` has feedback numbers, shape (codes, guesses), ``keys[i, 0]`` is a hash word of code i, and ``numbers``
    is the number of feedbacks.
    """
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
