"""Ids of matches, which sort in the order in which the matches begin."""

import secrets
from collections.abc import Callable


class MatchIds:
    """A source of match ids. ``wall_ms`` returns Unix time in milliseconds.

    The rows of current matches are neighbors in the database, because ids sort by time. A commit therefore touches few
    pages.
    """

    def __init__(self, wall_ms: Callable[[], int]) -> None:
        self._wall_ms = wall_ms
        self._last = 0

    def new(self) -> str:
        """Return a new id: the time in milliseconds and a random end, as 16 hexadecimal digits.

        It is greater than all ids that were returned before, even if the clock was set back.
        """
        proposed = int(f"{self._wall_ms():011x}{secrets.token_hex(3)[:5]}", 16)
        self._last = max(self._last + 1, proposed)
        return f"{self._last:016x}"
