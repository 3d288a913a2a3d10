"""Matches that are over, read from the database on demand, with a small cache.

A read costs a search in the database and the replay of the whole record: 1 ms for a short match, 10 ms for a long one.
Reads happen in a thread, one at a time, and clients that ask for the same match at the same time share one.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from evilpegs_server.storage.reads import Reads

_T = TypeVar("_T")

MAX_MATCHES: Final = 32  # a match of 100 games takes about a megabyte
MAX_MISSES: Final = 1_000
"""Ids that no match has."""


class FinishedMatches(Generic[_T]):
    """A cache of the values that ``read`` returns in a thread, by match id; None means no such match."""

    def __init__(self, read: Callable[[str], _T | None]) -> None:
        self._read = read
        self._reads = Reads(threads=1)
        self._known: OrderedDict[str, _T] = OrderedDict()
        self._missing: OrderedDict[str, None] = OrderedDict()
        self._reading: dict[str, asyncio.Task[_T | None]] = {}

    async def find(self, match: str) -> _T | None:
        """Return the value from the cache or the database; only `keep` adds to the cache. Raises BusyError."""
        if match in self._known:
            self._known.move_to_end(match)
            return self._known[match]
        if match in self._missing:
            return None
        if match not in self._reading:
            task = self._reading[match] = asyncio.get_running_loop().create_task(self.read(match))
            task.add_done_callback(lambda _: self._reading.pop(match, None))
        return await asyncio.shield(self._reading[match])

    async def read(self, match: str) -> _T | None:
        """Return the value from the database, without the cache. Raises BusyError."""
        value = await self._reads.run(self._read, match)
        if value is None:
            self._missing[match] = None
            if len(self._missing) > MAX_MISSES:
                self._missing.popitem(last=False)
        return value

    def keep(self, match: str, value: _T) -> None:
        self._known[match] = value
        if len(self._known) > MAX_MATCHES:
            self._known.popitem(last=False)

    def forget(self, match: str) -> None:
        """Forget the value or the miss of an id, because the match with this id is open now."""
        self._missing.pop(match, None)
        self._known.pop(match, None)

    def close(self) -> None:
        """Cancel the waiting reads, and return when the running read is finished."""
        self._reads.close()
