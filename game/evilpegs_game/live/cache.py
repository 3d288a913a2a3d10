"""A cache with a byte budget: least recently used out first.

Single flight: who asks for what is being computed waits for it instead of computing it again.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

_V = TypeVar("_V")


class CacheState(NamedTuple):
    """What a cache holds and what it was good for, since it was made."""

    bytes_used: int
    entries: int
    hits: int
    misses: int


class ByteCache(Generic[_V]):
    """Values by key within ``max_bytes``; thread-safe. What is larger than that is not kept."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._entries: OrderedDict[Hashable, tuple[_V, int]] = OrderedDict()
        self._lock = Lock()
        self._used = self._hits = self._misses = 0

    @property
    def state(self) -> CacheState:
        """How full it is, and how often it was asked with and without success."""
        return CacheState(self._used, len(self._entries), self._hits, self._misses)

    def get(self, key: Hashable) -> _V | None:
        """The value of ``key`` if it is still here."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                self._misses += 1
                return None
            self._hits += 1
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: _V, size: int) -> None:
        """Keep a value that takes ``size`` bytes with its key, in place of what was used longest ago."""
        with self._lock:
            if key in self._entries or size > self._max_bytes:
                return
            self._evict(size)
            self._entries[key] = (value, size)
            self._used += size

    def free_bytes(self, size: int) -> None:
        """Drop what was used longest ago until ``size`` bytes are free, before they are taken."""
        with self._lock:
            self._evict(size)

    def _evict(self, size: int) -> None:
        while self._entries and self._used + size > self._max_bytes:
            _, (_, freed) = self._entries.popitem(last=False)
            self._used -= freed


_K = TypeVar("_K", bound=Hashable)
_Result = TypeVar("_Result")


class SingleFlight(Generic[_K, _Result]):
    """Computes once for all who ask for one key at the same time; thread-safe.

    Nothing is kept: a key asked for later is computed again. Beside a cache, ``compute`` looks into the cache
    first and stores its value there before it returns, so that nobody comes between the two. It must not ask for its
    own key, nor two keys for each other.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._flights: dict[_K, Future[_Result]] = {}

    def __len__(self) -> int:
        """How many keys are being computed."""
        return len(self._flights)

    def get(self, key: _K, compute: Callable[[], _Result]) -> _Result:
        """What ``compute`` gives, or what the one under way for ``key`` gives; an exception is raised to all alike."""
        with self._lock:
            under_way = self._flights.get(key)
            if under_way is None:
                flight = self._flights[key] = Future()
        if under_way is not None:
            return under_way.result()
        try:
            value = compute()
        except BaseException as error:
            self._land(key)
            flight.set_exception(error)
            raise
        self._land(key)
        flight.set_result(value)
        return value

    def _land(self, key: _K) -> None:
        with self._lock:
            del self._flights[key]
