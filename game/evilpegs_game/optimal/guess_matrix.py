"""A frame: a set of codes with the guesses worth trying against it or any of its subsets."""

from typing import Final

import numpy as np

from evilpegs_game.codemakers.size_bounds import least_total_table, max_codes_within, other_feedback_count
from evilpegs_game.codemakers.small_sets import MAX_FEEDBACKS, FeedbackMatrix
from evilpegs_game.codes import Code, Columns, all_codes, column_code, to_columns
from evilpegs_game.compiled import kernel
from evilpegs_game.errors import TooLargeError
from evilpegs_game.optimal.node_bounds import mixed
from evilpegs_game.optimal.search_state import GUESS_BITS, Board, Families, Keys, stack_bytes
from evilpegs_game.optimal.tuning import DEFAULT, Tuning
from evilpegs_game.partition import Places, feedback_numbers
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import Symmetries

_MAX_GUESSES: Final = 1 << 20
_DIGEST_BYTES: Final = 32
"""What each guess takes besides while it is found out which split the codes alike."""
_CHUNK: Final = 1 << 12
_GOLDEN: Final = 0x9E3779B97F4A7C15


class Ground:
    """All codes of some rules, which are the guesses, and their symmetries; ``tuning`` bounds what is done with them.

    Raises:
        TooLargeError: the rules have more than 2**20 codes, or more than 64 feedbacks (10 pegs or more).
    """

    def __init__(self, rules: Rules, tuning: Tuning = DEFAULT) -> None:
        self.rules = rules
        self.tuning = tuning
        self.others = other_feedback_count(rules)
        if rules.size > _MAX_GUESSES or self.others + 2 > MAX_FEEDBACKS:
            message = f"{rules} is too large for optimal play; it may have {_MAX_GUESSES:,} codes and 9 pegs"
            raise TooLargeError(message)
        self.every = all_codes(rules)
        self.symmetries = Symmetries(rules, self.every)
        self.most = np.array(max_codes_within(rules), dtype=np.int64)

    def families(self, columns: Columns) -> Places:
        """For each guess the first, in code order, of those known to be as good against ``columns``: int32."""
        if columns.shape[1] < self.tuning.family_codes:
            return np.arange(self.rules.size, dtype=np.int32)
        return self.symmetries.orbits(columns)

    def first_guesses(self, columns: Columns) -> list[Code]:
        """The guesses against ``columns``, in code order, of those known to be as good as each other the first."""
        if columns.shape[1] == self.rules.size:
            return first_guesses_of(self.rules)
        return [column_code(self.every, place) for place in np.unique(self.families(columns)).tolist()]

    def frame_bytes(self, codes: int, guesses: int) -> int:
        """What a frame takes, with the stack of one search."""
        return (2 + _bit_type(self.others + 2)().itemsize) * codes * guesses + stack_bytes(codes, guesses, self.tuning)


def first_guesses_of(rules: Rules) -> list[Code]:
    """One guess of each shape, in code order: of those that rename colors or change pegs the first."""
    most = rules.pegs if rules.repeats else 1
    shapes = _shapes(rules.pegs, rules.colors, most)
    return sorted(tuple(color for color, times in enumerate(shape) for _ in range(times)) for shape in shapes)


def _shapes(pegs: int, colors: int, most: int) -> list[tuple[int, ...]]:
    """How often each color may occur, the most frequent first."""
    if pegs == 0:
        return [()]
    if colors == 0:
        return []
    return [
        (times, *others)
        for times in range(min(pegs, most), 0, -1)
        for others in _shapes(pegs - times, colors - 1, times)
    ]


def check_bytes(ground: Ground, columns: Columns, needed: int) -> None:
    """Raise TooLargeError if what is needed for these codes is more than `Tuning.max_frame_bytes`."""
    bound = ground.tuning.max_frame_bytes
    if needed > bound:
        message = (
            f"{columns.shape[1]:,} codes of {ground.rules} are too many for optimal play: they take {needed:,} bytes, "
            f"the bound is {bound:,}"
        )
        raise TooLargeError(message, needed=needed, bound=bound)


class Frame:
    """A set of codes, and of the guesses that split it alike only one: the first code of the set, or of all.

    Raises:
        TooLargeError: it would take more than `Tuning.max_frame_bytes`.
    """

    def __init__(self, ground: Ground, columns: Columns) -> None:
        """``columns``: over two codes, in code order."""
        check_bytes(ground, columns, (columns.shape[1] + _DIGEST_BYTES) * ground.rules.size)
        self.ground = ground
        self.columns = columns
        self.places = ground.symmetries.places(columns)
        """The places of the codes among all codes."""
        self.guesses, self.board = self._board()
        self._families: Places | None = None

    @property
    def codes(self) -> int:
        """How many codes there are."""
        return int(self.columns.shape[1])

    @property
    def all_places(self) -> Places:
        """All codes of the frame, as places in it."""
        return np.arange(self.codes, dtype=np.int32)

    @property
    def bytes(self) -> int:
        """What the tables take."""
        return self.board.by_guess.nbytes + self.board.bits.nbytes

    def code(self, guess: int) -> Code:
        """The code that a guess of the frame is."""
        return column_code(self.ground.every, int(self.guesses[guess]))

    def guess_number(self, code: Code) -> int:
        """Which guess of the frame a code is that was found in it."""
        place = self.ground.symmetries.places(to_columns([code]))
        return int(np.searchsorted(self.guesses, place)[0])

    def _board(self) -> tuple[Places, Board]:
        """The places of the guesses among all codes, rising; and the board."""
        ground, numbers = self.ground, self.ground.others + 2
        by_code = np.empty((self.codes, ground.rules.size), dtype=np.uint8)
        for code in range(self.codes):
            by_code[code] = feedback_numbers(ground.every, column_code(self.columns, code))
        with np.errstate(over="ignore"):  # words that wrap around are meant
            keys = _keys(self.places)
            guesses = _different(_digests(by_code, keys, numbers), self.places)
        check_bytes(ground, self.columns, by_code.nbytes + ground.frame_bytes(self.codes, guesses.size))
        by_code = np.ascontiguousarray(by_code[:, guesses])
        kind = _bit_type(numbers)
        board = Board(
            by_guess=np.ascontiguousarray(by_code.T),
            bits=np.left_shift(kind(1), by_code, dtype=kind),
            own=np.searchsorted(guesses, self.places).astype(np.int32),
            keys=keys,
            bounds=least_total_table(ground.others, self.codes),
            most=ground.most,
            black=numbers - 1,
        )
        return guesses, board

    def first_of_each_family(self, listed: list[int]) -> list[int]:
        """Of the guesses listed for the whole set, of those known to be as good as each other the first."""
        if self._families is None:
            self._families = self.ground.families(self.columns)[self.guesses]
        guesses = np.array([guess_of(entry) for entry in listed], dtype=np.int64)
        _, first = np.unique(self._families[guesses], return_index=True)
        return [listed[place] for place in np.sort(first).tolist()]

    def families_after(self, guess: int) -> Families:
        """For each large part under ``guess`` the guesses known to be as good as each other."""
        given = self.board.by_guess[guess]
        families = np.full((self.board.black + 1, self.guesses.size), -1, dtype=np.int32)
        for number in range(self.board.black):
            part = np.flatnonzero(given == number)
            if part.size >= self.ground.tuning.family_codes:
                known = self.ground.families(np.ascontiguousarray(self.columns[:, part]))[self.guesses]
                families[number] = np.unique(known, return_inverse=True)[1]
        return families


def guess_of(entry: int) -> int:
    """The guess that a list's entry stands for."""
    return entry & ((1 << GUESS_BITS) - 1)


def _bit_type(numbers: int) -> type[np.unsignedinteger]:
    return np.uint16 if numbers <= 16 else np.uint32 if numbers <= 32 else np.uint64


def _keys(places: Places) -> Keys:
    """Two words for each code, always the same: uint64, shape (codes, 2)."""
    numbers = (2 * places[:, None] + np.arange(1, 3)).astype(np.uint64)
    return _mix_all(numbers * np.uint64(_GOLDEN))


@kernel
def _mix_all(words: Keys) -> Keys:
    result = np.empty_like(words)
    for i in range(words.shape[0]):
        for j in range(words.shape[1]):
            result[i, j] = mixed(words[i, j])
    return result


def _different(digests: Keys, own: Places) -> Places:
    """The places of the guesses that are kept, rising: the codes of the set, and the first of each other partition."""
    _, first = np.unique(digests, return_index=True)
    others = first[~np.isin(digests[first], digests[own])]
    return np.union1d(own, others).astype(np.int32)


@kernel
def _digests(by_code: FeedbackMatrix, keys: Keys, numbers: int) -> Keys:
    """For each guess a digest of the parts that it makes of the codes, whatever their feedbacks."""
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
                    digests[start + guess] += mixed(part_keys[number, guess])
    return digests
