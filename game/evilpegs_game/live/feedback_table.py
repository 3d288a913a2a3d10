"""The feedback of every code against every other, for rules of so few codes that all of it fits a near cache.

Part sizes after a history are then a comparison of bytes for each turn, and one pass that counts.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Code, Columns
from evilpegs_game.compiled import kernel, short_kernel
from evilpegs_game.errors import IllegalCodeError
from evilpegs_game.feedback import Feedback
from evilpegs_game.partition import Numbers, Sizes, number_codes
from evilpegs_game.rules import Rules

MAX_TABLE_CODES: Final = 2048
"""Rules of at most so many codes have a table; it takes 4 MiB at most."""


class FeedbackTable:
    """All feedbacks of ``rules``, as numbers, uint8, shape (codes, codes). A row is computed when it is first needed.

    ``columns`` are all codes of the rules. Safe to use from any thread: whoever computes a row computes the same.
    """

    def __init__(self, rules: Rules, columns: Columns) -> None:
        self._rules = rules
        self._columns = columns
        self._rows = np.empty((rules.size, rules.size), np.uint8)
        self._computed = np.zeros(rules.size, np.bool_)

    @staticmethod
    def bytes_needed(rules: Rules) -> int:
        """What the table of ``rules`` takes; known without making it."""
        return rules.size * (rules.size + 1)

    def complete(self) -> None:
        """Compute all rows that are not there yet: some milliseconds, once, and no reply has to."""
        _complete(self._columns, self._rows, self._computed)

    def part_sizes(self, history: Sequence[tuple[Code, Feedback]], guess: Code) -> Sizes:
        """The sizes of all parts of ``guess``, a code, among those codes that are consistent with ``history``.

        The turns must be possible: codes of the rules, and feedbacks that they can get.

        Raises:
            IllegalCodeError: ``guess`` has another number of pegs than the codes.
        """
        rules = self._rules
        if len(guess) != rules.pegs:
            message = f"a guess of {len(guess)} pegs against codes of {rules.pegs}"
            raise IllegalCodeError(message, rule="pegs")
        turns: list[int] = []
        for asked, given in history:
            turns += asked
            turns += given
        turns += guess
        data = np.frombuffer(bytes(turns), np.uint8)
        return _part_sizes(self._columns, self._rows, self._computed, data, rules.colors, rules.repeats)


@short_kernel
def _part_sizes(
    columns: Columns, rows: Numbers, computed: NDArray[np.bool_], turns: Numbers, colors: int, repeats: bool
) -> Sizes:
    """``said`` has the pegs, blacks and whites of every turn, then the pegs of the guess."""
    pegs, size = columns.shape
    fits = np.ones(size, np.uint8)
    # Two counters in turn: one that was just written is not read again at once.
    counters = np.zeros((2, (pegs + 1) * (pegs + 2) // 2), np.int64)
    end = turns.size - pegs
    for start in range(0, end, pegs + 2):
        black = int(turns[start + pegs])
        number = np.uint8((black * (2 * pegs + 3 - black)) // 2 + turns[start + pegs + 1])
        row = _row(columns, rows, computed, turns[start : start + pegs], colors, repeats)
        for i in range(size):
            fits[i] &= row[i] == number
    row = _row(columns, rows, computed, turns[end:], colors, repeats)
    for i in range(0, size - 1, 2):
        counters[0, row[i]] += fits[i]
        counters[1, row[i + 1]] += fits[i + 1]
    if size % 2:
        counters[0, row[size - 1]] += fits[size - 1]
    sizes: Sizes = counters[0] + counters[1]
    return sizes


@kernel
def _complete(columns: Columns, rows: Numbers, computed: NDArray[np.bool_]) -> None:
    for index in range(computed.size):
        if not computed[index]:
            rows[index] = number_codes(columns, columns[:, index].copy())
            computed[index] = True


@short_kernel
def _row(
    columns: Columns, rows: Numbers, computed: NDArray[np.bool_], code: Columns, colors: int, repeats: bool
) -> Numbers:
    index = _index(code, colors, repeats)
    if not computed[index]:
        rows[index] = number_codes(columns, code)
        computed[index] = True
    row: Numbers = rows[index]
    return row


@short_kernel
def _index(code: Columns, colors: int, repeats: bool) -> int:
    """The place of a code in code order."""
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
