"""The log of database failures: at most one short line per second, for any number of failures."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from structlog.stdlib import BoundLogger

QUIET_SECONDS: Final = 1.0
MAX_REASON: Final = 300  # in characters


class FaultLog:
    """A log of failures, of which many may follow from one cause; ``counts`` has all, by class name."""

    def __init__(
        self, log: BoundLogger, counts: Counter[str] | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._counts: Counter[str] = Counter() if counts is None else counts
        self._log = log
        self._now = now
        self._quiet_until = float("-inf")
        self._unsaid = 0

    def report(self, what: str, error: Exception, **facts: Any) -> None:
        self._counts[type(error).__name__] += 1
        now = self._now()
        if now < self._quiet_until:
            self._unsaid += 1
            return
        if self._unsaid:
            facts["others_before"] = self._unsaid
        self._quiet_until, self._unsaid = now + QUIET_SECONDS, 0
        # the first line only, without SQL
        why = str(error).partition("\n")[0][:MAX_REASON]
        self._log.error(what, error=type(error).__name__, why=why, **facts)
