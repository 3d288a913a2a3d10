"""Partitions: the codes that each feedback to a guess would leave.

The functions work at machine speed, on arrays with one code per column: codes are processed in blocks that fit the
nearest cache, and each step is one tight loop over one contiguous run of bytes, which compilers turn into vector
instructions.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Code, Columns, column_code
from evilpegs_game.errors import IllegalCodeError
from evilpegs_game.feedback import Feedback, all_black, feedback_number, feedbacks, plain_feedback
from evilpegs_game.kernels import copy_into, kernel

Numbers = NDArray[np.uint8]
"""Feedback numbers, one per code."""

Indices = NDArray[np.int32]
"""Column indices: int32, as there are fewer than 2**31 columns."""

Sizes = NDArray[np.int64]
"""Part sizes in feedback order, zeros included."""

SizeTable = NDArray[np.int32]
"""Part sizes of many guesses: shape (feedbacks, guesses), C-contiguous."""

_BLOCK: Final = 2048


def feedback_numbers(columns: Columns, guess: Code) -> Numbers:
    """Return the feedback number of each code with ``guess``; raise IllegalCodeError for a wrong number of pegs."""
    return number_codes(columns, _as_array(guess, columns))


def part_sizes(columns: Columns, guess: Code) -> Sizes:
    """Count the codes that give each feedback to ``guess``; raise IllegalCodeError for a wrong number of pegs."""
    return _part_sizes(columns, _as_array(guess, columns))


def part_size_table(columns: Columns, guesses: Columns) -> SizeTable:
    # feedback is symmetric, so the inner loop runs over the longer of the two
    if columns.shape[1] > guesses.shape[1]:
        return _table_by_guess(columns, guesses)
    return _table_by_code(columns, guesses)


def select(columns: Columns, guess: Code, feedback: Feedback) -> Columns:
    """Return the part of ``feedback``, read-only; raise MalformedError if no guess can get this feedback."""
    feedback.check(columns.shape[0])
    numbers = feedback_numbers(columns, guess)
    number = feedback_number(feedback, columns.shape[0])
    return take(columns, np.flatnonzero(numbers == number).astype(np.int32))


def split(columns: Columns, guess: Code) -> list[tuple[Feedback, Columns]]:
    """Return the parts of ``guess`` in feedback order, without empty ones; codes keep their order."""
    if columns.shape[1] == 1:  # three in four nodes of a game tree end here, mostly with the last guess
        code = column_code(columns, 0)
        return [(all_black(len(code)) if guess == code else plain_feedback(guess, code), columns)]
    numbering = feedbacks(columns.shape[0])
    sizes, indices = sort_into_parts(feedback_numbers(columns, guess), len(numbering))
    parts, start = [], 0
    for answer, size in zip(numbering, sizes.tolist(), strict=True):
        if size:
            parts.append((answer, take(columns, indices[start : start + size])))
            start += size
    return parts


def take(columns: Columns, indices: Indices) -> Columns:
    """Return the codes at ``indices``, read-only."""
    taken = take_columns(columns, indices)
    taken.flags.writeable = False
    return taken


def _as_array(guess: Code, columns: Columns) -> Columns:
    if len(guess) != columns.shape[0]:
        raise IllegalCodeError(f"a guess of {len(guess)} pegs against codes of {columns.shape[0]}", rule="pegs")
    return np.array(guess, dtype=np.uint8)


@kernel
def _times_from(guess: Columns, peg: int) -> int:
    times = 0
    for other in range(guess.size):
        if guess[other] == guess[peg]:
            if other < peg:
                return 0  # counted at the earlier peg
            times += 1
    return times


@kernel
def _count_color(columns: Columns, color: int, start: int, stop: int, counts: Numbers) -> None:
    column = columns[0, start:stop]
    for i in range(column.size):
        counts[i] = column[i] == color
    for peg in range(1, columns.shape[0]):
        column = columns[peg, start:stop]
        for i in range(column.size):
            counts[i] += column[i] == color


@kernel
def _number_block(columns: Columns, guess: Columns, start: int, stop: int, numbers: Numbers, scratch: Columns) -> None:
    pegs, size = guess.size, stop - start
    blacks, counts = scratch[0], scratch[1]
    blacks[:size] = 0
    numbers[:size] = 0
    for peg in range(pegs):
        color = guess[peg]
        column = columns[peg, start:stop]
        for i in range(size):
            blacks[i] += column[i] == color
        times = np.uint8(_times_from(guess, peg))  # a byte, or the loop below would widen
        if times:
            _count_color(columns, color, start, stop, counts)
            for i in range(size):
                numbers[i] += min(counts[i], times)
    # So far numbers hold black + white. Row b of the feedbacks starts at b (2 pegs + 3 - b) / 2, at white 0.
    for i in range(size):
        black = int(blacks[i])
        numbers[i] += np.uint8((black * (2 * pegs + 1 - black)) >> 1)


@kernel
def number_codes(columns: Columns, guess: Columns) -> Numbers:
    """Number the feedback of each code to ``guess`` (pegs,); `feedback_numbers` for compiled callers."""
    size = columns.shape[1]
    numbers = np.empty(size, np.uint8)
    scratch = np.empty((2, _BLOCK), np.uint8)
    for start in range(0, size, _BLOCK):
        stop = min(start + _BLOCK, size)
        _number_block(columns, guess, start, stop, numbers[start:stop], scratch)
    return numbers


@kernel
def pair_number(columns: Columns, first: int, second: int) -> int:
    """Return the number of the feedback that the codes in two columns give to each other."""
    pegs = columns.shape[0]
    taken = black = matches = 0
    for peg in range(pegs):
        color = columns[peg, first]
        black += columns[peg, second] == color
        for other in range(pegs):
            if columns[other, second] == color and not (taken >> other) & 1:
                taken |= 1 << other
                matches += 1
                break
    number: int = matches + ((black * (2 * pegs + 1 - black)) >> 1)
    return number


@kernel
def _part_sizes(columns: Columns, guess: Columns) -> Sizes:
    pegs, size = columns.shape
    numbers = np.empty(_BLOCK, np.uint8)
    scratch = np.empty((2, _BLOCK), np.uint8)
    # Four counters in turn: a counter that was just written is not read again at once.
    counters = np.zeros((4, (pegs + 1) * (pegs + 2) // 2), np.int64)
    for start in range(0, size, _BLOCK):
        stop = min(start + _BLOCK, size)
        _number_block(columns, guess, start, stop, numbers, scratch)
        fours = (stop - start) // 4 * 4
        for i in range(0, fours, 4):
            counters[0, numbers[i]] += 1
            counters[1, numbers[i + 1]] += 1
            counters[2, numbers[i + 2]] += 1
            counters[3, numbers[i + 3]] += 1
        for i in range(fours, stop - start):
            counters[0, numbers[i]] += 1
    for counter in range(1, 4):
        for number in range(counters.shape[1]):
            counters[0, number] += counters[counter, number]
    sizes: Sizes = counters[0].copy()
    return sizes


@kernel
def _table_by_guess(columns: Columns, guesses: Columns) -> SizeTable:
    pegs, count = guesses.shape
    table = np.empty(((pegs + 1) * (pegs + 2) // 2, count), np.int32)
    for i in range(count):
        copy_into(table[:, i], _part_sizes(columns, guesses[:, i].copy()))
    return table


@kernel
def _table_by_code(columns: Columns, guesses: Columns) -> SizeTable:
    pegs, count = guesses.shape
    table = np.zeros(((pegs + 1) * (pegs + 2) // 2, count), np.int32)
    numbers = np.empty(_BLOCK, np.uint8)
    scratch = np.empty((2, _BLOCK), np.uint8)
    for start in range(0, count, _BLOCK):
        stop = min(start + _BLOCK, count)
        for code in range(columns.shape[1]):
            _number_block(guesses, columns[:, code].copy(), start, stop, numbers, scratch)
            for i in range(stop - start):
                table[numbers[i], start + i] += 1
    return table


@kernel
def sort_into_parts(numbers: Numbers, parts: int) -> tuple[Sizes, Indices]:
    """Return the part sizes (parts,), and the indices of all codes grouped by part, in feedback order.

    ``numbers`` has each code's feedback number; codes of one part keep their order (a counting sort).
    """
    sizes = np.zeros(parts, np.int64)
    for i in range(numbers.size):
        sizes[numbers[i]] += 1
    following = np.zeros(parts, np.int64)
    for part in range(1, parts):
        following[part] = following[part - 1] + sizes[part - 1]
    indices = np.empty(numbers.size, np.int32)
    for i in range(numbers.size):
        indices[following[numbers[i]]] = i
        following[numbers[i]] += 1
    return sizes, indices


@kernel
def take_columns(columns: Columns, indices: Indices) -> Columns:
    """Return the codes at ``indices``, writable; `take` for compiled callers."""
    taken = np.empty((columns.shape[0], indices.size), np.uint8)
    for peg in range(columns.shape[0]):
        column, row = columns[peg], taken[peg]
        for i in range(indices.size):
            row[i] = column[indices[i]]
    return taken


@kernel
def separates(row: Numbers, indices: Indices) -> bool:
    """Return True if a guess gets a different feedback from each of the codes at ``indices``.

    ``row`` has its feedback number, below 128, for each code. To learn whether any guess at all separates the codes,
    the loop over guesses in `evilpegs_game.codemakers.small_sets.some_guess_separates` is faster.
    """
    low = high = np.uint64(0)
    for i in range(indices.size):
        number = row[indices[i]]
        bit = np.uint64(1) << np.uint64(number & 63)
        if number < 64:
            if low & bit:
                return False
            low |= bit
        else:
            if high & bit:
                return False
            high |= bit
    return True
