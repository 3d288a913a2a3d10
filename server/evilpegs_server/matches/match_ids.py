"""Ids of matches, which sort in the order in which the matches begin."""

import secrets
from collections.abc import Callable


class MatchIds:
    """A source of new match ids, which sort by the time at which they were created.

    Rows of current matches are therefore neighbors in the database, and a commit touches few pages. ``wall_ms`` returns
    Unix time in milliseconds.
    """

    def __init__(self, wall_ms: Callable[[], int]) -> None:
        self._wall_ms = wall_ms
        self._last = 0

    def new(self) -> str:
        """Return a new id of 16 hexadecimal digits: 11 for the Unix time in milliseconds, and 5 random ones.

        The id is greater than all ids that were returned before, even if the clock was set back.
        """
        proposed = int(f"{self._wall_ms():011x}{secrets.token_hex(3)[:5]}", 16)
        self._last = max(self._last + 1, proposed)
        return f"{self._last:016x}"
