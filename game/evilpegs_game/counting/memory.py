"""The memory that an exact count of codes may take, bounded before anything is allocated.

A count makes tables of partial codes. A table row stands for all partial codes that color the same pegs, a peg subset,
and have the same scores (blacks and matches with each guess). The scores of all guesses are packed into 64-bit words.
"""

from typing import Final

from evilpegs_game.errors import TooLargeError
from evilpegs_game.rules import Rules

MAX_ROWS: Final = 2**31 - 1
MAX_WORDS: Final = 2
_FIXED_BYTES: Final = 64 << 10
_SUBSET_BYTES: Final = 512
"""Bytes per peg subset besides its table rows: its numbers, bounds and score increments, the index of its first row."""
_SLOT_BYTES: Final = 48
"""Bytes per table row besides its columns: the hash index, mostly of empty slots, and the growth of the table."""


def sufficient_bytes(rules: Rules) -> int:
    """Return a number of bytes that suffices to count the codes of ``rules`` after any history; fewer may suffice."""
    return _min_bytes(int(2**rules.pegs), rules, MAX_WORDS)


def check_bytes(rules: Rules, subsets: int, words: int, max_bytes: int | None) -> None:
    """Raise TooLargeError if a count of ``subsets`` peg subsets cannot fit into ``max_bytes``; None means no limit.

    The error is raised if even the smallest tables take more. Nothing is allocated. ``words`` is the number of 64-bit
    words that hold the blacks of all guesses in one table row; the matches (black + white) take as many.
    """
    needed = _min_bytes(subsets, rules, words)
    if max_bytes is not None and needed > max_bytes:
        message = f"counting {rules} takes at least {needed:,} bytes; the limit is {max_bytes:,}"
        raise TooLargeError(message, needed=needed, bound=max_bytes)


def max_table_rows(subsets: int, words: int, colors: int, max_bytes: int) -> int:
    """Return the most rows that a table of partial codes may have, so that a count stays within ``max_bytes``.

    Three tables exist at once: two that are extended in turn, and the one being made. Each division of a table in two
    adds three tables of half the size, down to one row per peg subset. ``subsets`` is the number of peg subsets, and
    ``colors`` the number of colors that are added one by one. ``words`` is the number of 64-bit words that hold the
    blacks of all guesses in one row.
    """
    rows = (max_bytes - subsets * _SUBSET_BYTES - _FIXED_BYTES) // _row_bytes(words)
    return int(min((rows - colors * subsets) // 2, MAX_ROWS))


def _min_bytes(subsets: int, rules: Rules, words: int) -> int:
    return subsets * (_SUBSET_BYTES + (3 + rules.colors) * _row_bytes(words)) + _FIXED_BYTES


def _row_bytes(words: int) -> int:
    """Return the bytes that a count takes for each row that its tables may have.

    This is the size of a row in each of the three tables that exist at once, and a row's share of a hash index. A row
    holds a number of partial codes and the blacks and matches (black + white) of all guesses, packed into 64-bit words.
    ``words`` is the number of words for the blacks; the matches take as many.
    """
    return 3 * 8 * (1 + 2 * words) + _SLOT_BYTES
