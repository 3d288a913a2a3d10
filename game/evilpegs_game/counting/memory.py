"""The memory that a count may take, bounded before anything is allocated."""

from typing import Final

from evilpegs_game.errors import TooLargeError
from evilpegs_game.rules import Rules

MAX_ROWS: Final = 2**31 - 1
MAX_WORDS: Final = 2
_FIXED_BYTES: Final = 64 << 10
_SUBSET_BYTES: Final = 512  # per peg subset besides its rows: numbers, bounds, score increments, first row
_SLOT_BYTES: Final = 48  # per row besides its columns: the hash index, mostly empty slots, and the table's growth


def sufficient_bytes(rules: Rules) -> int:
    """Return bytes that suffice to count ``rules`` after any history; fewer may suffice."""
    return _min_bytes(int(2**rules.pegs), rules, MAX_WORDS)


def check_bytes(rules: Rules, subsets: int, words: int, max_bytes: int | None) -> None:
    """Raise TooLargeError if even the smallest tables exceed ``max_bytes``.

    ``words``, here and below, is the number of 64-bit words per row for the blacks; the matches take as many.
    """
    needed = _min_bytes(subsets, rules, words)
    if max_bytes is not None and needed > max_bytes:
        message = f"counting {rules} takes at least {needed:,} bytes; the limit is {max_bytes:,}"
        raise TooLargeError(message, needed=needed, bound=max_bytes)


def max_table_rows(subsets: int, words: int, colors: int, max_bytes: int) -> int:
    """Return the most rows per table within ``max_bytes``; ``colors`` are added one by one.

    Three tables exist at once: two that are extended in turn, and the one being made. Each division of a table in two
    adds three tables of half the size, down to one row per peg subset.
    """
    rows = (max_bytes - subsets * _SUBSET_BYTES - _FIXED_BYTES) // _row_bytes(words)
    return int(min((rows - colors * subsets) // 2, MAX_ROWS))


def _min_bytes(subsets: int, rules: Rules, words: int) -> int:
    return subsets * (_SUBSET_BYTES + (3 + rules.colors) * _row_bytes(words)) + _FIXED_BYTES


def _row_bytes(words: int) -> int:
    return 3 * 8 * (1 + 2 * words) + _SLOT_BYTES
