"""A table of the feedback of every code to every other, for rules with few codes.

With it, the part sizes of a guess take one comparison of bytes per code and turn, and one pass that counts.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Code, Columns
from evilpegs_game.errors import IllegalCodeError
from evilpegs_game.feedback import Feedback
from evilpegs_game.kernels import copy_into, kernel, short_kernel
from evilpegs_game.partition import Numbers, Sizes, number_codes
from evilpegs_game.rules import Rules

MAX_TABLE_CODES: Final = 2048  # 4 MiB, which fits a processor cache


class FeedbackTable:
    """The feedback numbers of all pairs of codes; ``columns`` are all codes in code order.

    A row, the feedback of one code to all others, is computed when it is first needed. A table is thread-safe: two
    threads that compute the same row write the same bytes.
    """

    def __init__(self, rules: Rules, columns: Columns) -> None:
        self._rules = rules
        self._columns = columns
        self._rows = np.empty((rules.size, rules.size), np.uint8)
        self._computed = np.zeros(rules.size, np.bool_)

    @staticmethod
    def bytes_needed(rules: Rules) -> int:
        return rules.size * (rules.size + 1)

    def complete(self) -> None:
        """Compute all missing rows, so that no later call has to; this takes some milliseconds."""
        _complete(self._columns, self._rows, self._computed)

    def part_sizes(self, history: Sequence[tuple[Code, Feedback]], guess: Code) -> Sizes:
        """Count the parts of ``guess``.

        All guesses must be codes of the rules, and all feedbacks possible; only the length of ``guess`` is checked.
        """
        rules = self._rules
        if len(guess) != rules.pegs:
            raise IllegalCodeError(f"a guess of {len(guess)} pegs against codes of {rules.pegs}", rule="pegs")
        turns: list[int] = []
        for asked, answer in history:
            turns += asked
            turns += answer
        turns += guess
        data = np.frombuffer(bytearray(turns), np.uint8)  # writable as in kernels, else compiled once more
        return _part_sizes(self._columns, self._rows, self._computed, data, rules.colors, rules.repeats)


@short_kernel
def _part_sizes(
    columns: Columns, rows: Numbers, computed: NDArray[np.bool_], turns: Numbers, colors: int, repeats: bool
) -> Sizes:
    pegs, size = columns.shape
    consistent = np.ones(size, np.uint8)
    # Two sets of counters in turn, so that a counter is not read right after it was written.
    counters = np.zeros((2, (pegs + 1) * (pegs + 2) // 2), np.int64)
    end = turns.size - pegs
    for start in range(0, end, pegs + 2):
        black = int(turns[start + pegs])
        number = np.uint8((black * (2 * pegs + 3 - black)) // 2 + turns[start + pegs + 1])
        row = _row(columns, rows, computed, turns[start : start + pegs], colors, repeats)
        for i in range(size):
            consistent[i] &= row[i] == number
    row = _row(columns, rows, computed, turns[end:], colors, repeats)
    for i in range(0, size - 1, 2):
        counters[0, row[i]] += consistent[i]
        counters[1, row[i + 1]] += consistent[i + 1]
    if size % 2:
        counters[0, row[size - 1]] += consistent[size - 1]
    sizes: Sizes = counters[0] + counters[1]
    return sizes


@kernel
def _complete(columns: Columns, rows: Numbers, computed: NDArray[np.bool_]) -> None:
    for index in range(computed.size):
        if not computed[index]:
            copy_into(rows[index], number_codes(columns, columns[:, index].copy()))
            computed[index] = True


@short_kernel
def _row(
    columns: Columns, rows: Numbers, computed: NDArray[np.bool_], code: Columns, colors: int, repeats: bool
) -> Numbers:
    index = _index(code, colors, repeats)
    if not computed[index]:
        copy_into(rows[index], number_codes(columns, code))
        computed[index] = True
    row: Numbers = rows[index]
    return row


@short_kernel
def _index(code: Columns, colors: int, repeats: bool) -> int:
    index = 0
    for peg in range(code.size):
        color, choices = int(code[peg]), colors
        if not repeats:
            choices -= peg
            for before in range(peg):
                if code[before] < code[peg]:
                    color -= 1
        index = index * choices + color
    return index
