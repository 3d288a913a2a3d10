"""What is refused while the show cannot keep up: first what nobody waits for, and never the feed.

The event loop of the show is late when more is asked of it than it can do, or when the game and others need the
processors, which have precedence. Clients get status 503 and come again; what they asked for is in the log meanwhile.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Final, Self

from evilpegs_server.storage.durations import Durations
from evilpegs_server.storage.reads import BusyError

TICK_SECONDS: Final = 0.05
REMEMBERED: Final = 0.9
"""The share of earlier ticks in the mean lateness, so that a single pause of two seconds refuses nothing."""


class Reading(StrEnum):
    """Kinds of readers that can wait."""

    LIST = "list"
    RESUMED = "resumed stream"


LIMITS: Final = {Reading.LIST: 0.25, Reading.RESUMED: 1.0}
"""The mean lateness in seconds above which each is refused."""


class Crowd:
    """How late the event loop is, and who was refused for it."""

    def __init__(self) -> None:
        self.late = 0.0
        self.lag = Durations()
        self.refused: Counter[Reading] = Counter()

    @classmethod
    @contextmanager
    def watched(cls) -> Iterator[Self]:
        """Yield the crowd before the event loop that runs."""
        crowd = cls()
        watching = asyncio.create_task(crowd.watch())
        yield crowd
        watching.cancel()

    async def watch(self) -> None:
        now = asyncio.get_running_loop().time
        while True:
            due = now() + TICK_SECONDS
            await asyncio.sleep(TICK_SECONDS)
            self.note(max(0.0, now() - due))

    def note(self, late: float) -> None:
        """Note the lateness of a tick, in seconds."""
        self.lag.add(late)
        self.late = REMEMBERED * self.late + (1 - REMEMBERED) * late

    def admit(self, reading: Reading) -> None:
        """Raise BusyError if readers of this kind have to wait."""
        if self.late > LIMITS[reading]:
            self.refused[reading] += 1
            raise BusyError(f"the server cannot keep up, and a {reading} can wait; try again soon")
