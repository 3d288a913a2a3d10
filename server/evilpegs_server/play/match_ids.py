"""Match ids that sort by the time at which they were created."""

import secrets
from collections.abc import Callable


class MatchIds:
    def __init__(self, wall_ms: Callable[[], int]) -> None:
        self._wall_ms = wall_ms
        self._last = 0

    def new(self) -> str:
        """Return 16 hexadecimal digits: 11 for the Unix time in milliseconds, and 5 random ones."""
        # the time comes first: rows of current matches are neighbors in the database, and a commit touches few pages
        proposed = int(f"{self._wall_ms():011x}{secrets.token_hex(3)[:5]}", 16)
        self._last = max(self._last + 1, proposed)  # greater than the last, even if the clock was set back
        return f"{self._last:016x}"
