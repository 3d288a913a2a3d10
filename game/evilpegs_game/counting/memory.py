"""What a count may take, bounded before anything is allocated."""

from typing import Final

from evilpegs_game.errors import TooLargeError
from evilpegs_game.rules import Rules

MAX_ROWS: Final = 2**31 - 1
MAX_WORDS: Final = 2
_ANYWAY_BYTES: Final = 64 << 10
_FILL_BYTES: Final = 512
"""What a count takes for each fill besides rows: numbers of the fill, bounds, gains, and where its rows start."""
_SLOT_BYTES: Final = 48
"""What a row takes in the index over its fill (slots are mostly empty), and while its table grows."""


def least_bytes(rules: Rules) -> int:
    """With so many bytes any history on ``rules`` can be counted; fewer may do."""
    return _least_bytes(int(2**rules.pegs), rules, MAX_WORDS)


def check_bytes(rules: Rules, fills: int, words: int, max_bytes: int | None) -> None:
    """Refuse so many fills before they are laid out, if even the smallest tables would take too much.

    Raises:
        TooLargeError: they take more than ``max_bytes``.
    """
    needed = _least_bytes(fills, rules, words)
    if max_bytes is not None and needed > max_bytes:
        message = f"counting {rules} takes at least {needed:,} bytes; the bound is {max_bytes:,}"
        raise TooLargeError(message, needed=needed, bound=max_bytes)


def most_rows(fills: int, words: int, colors: int, max_bytes: int) -> int:
    """How many rows a table may have, so that all tables that exist at once stay within ``max_bytes``.

    Three do without a division; each division adds three of half the size or, at last, of one row a fill.
    """
    rows = (max_bytes - fills * _FILL_BYTES - _ANYWAY_BYTES) // _row_bytes(words)
    return int(min((rows - colors * fills) // 2, MAX_ROWS))


def _least_bytes(fills: int, rules: Rules, words: int) -> int:
    return fills * (_FILL_BYTES + (3 + rules.colors) * _row_bytes(words)) + _ANYWAY_BYTES


def _row_bytes(words: int) -> int:
    """What a row takes in each of the three tables that exist at a time, and in the index."""
    return 3 * 8 * (1 + 2 * words) + _SLOT_BYTES
