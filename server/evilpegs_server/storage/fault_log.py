"""The log of database failures: at most one short line per second, for any number of failures."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from structlog.stdlib import BoundLogger

QUIET_SECONDS: Final = 1.0
"""The shortest time between two lines of the log, in seconds."""
MAX_REASON: Final = 300
"""The largest number of characters of an error's text that are logged."""


class FaultLog:
    """A log of database failures, of which many may follow from one cause.

    Failures within `QUIET_SECONDS` after a line in ``log`` are not logged, but the next line says how many there were.
    ``counts`` receives the number of all failures by the name of the error's class. ``now`` is a monotonic clock in
    seconds.
    """

    def __init__(
        self, log: BoundLogger, counts: Counter[str] | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._counts: Counter[str] = Counter() if counts is None else counts
        self._log = log
        self._now = now
        self._quiet_until = float("-inf")
        self._unsaid = 0

    def report(self, what: str, error: Exception, **facts: Any) -> None:
        """Count the failure ``error``, and log it unless a line was logged within the last `QUIET_SECONDS`.

        ``what`` is the message of the logged line, and ``facts`` are added to the line as keys and values. Only the
        first line of the error's text is logged, without a traceback or SQL.
        """
        self._counts[type(error).__name__] += 1
        now = self._now()
        if now < self._quiet_until:
            self._unsaid += 1
            return
        if self._unsaid:
            facts["others_before"] = self._unsaid
        self._quiet_until, self._unsaid = now + QUIET_SECONDS, 0
        why = str(error).partition("\n")[0][:MAX_REASON]
        self._log.error(what, error=type(error).__name__, why=why, **facts)
