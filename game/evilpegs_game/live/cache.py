from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

_V = TypeVar("_V")


class CacheState(NamedTuple):
    """The contents of a cache now, and its hits and misses since it was created."""

    bytes_used: int
    entries: int
    hits: int
    misses: int


class ByteCache(Generic[_V]):
    """A thread-safe cache that drops the least recently used values first."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._entries: OrderedDict[Hashable, tuple[_V, int]] = OrderedDict()
        self._lock = Lock()
        self._used = self._hits = self._misses = 0

    @property
    def state(self) -> CacheState:
        return CacheState(self._used, len(self._entries), self._hits, self._misses)

    def get(self, key: Hashable) -> _V | None:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                self._misses += 1
                return None
            self._hits += 1
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: _V, size: int) -> None:
        """Store ``value``, which takes ``size`` bytes, and drop others for it.

        Nothing is stored if ``key`` has a value already, or if ``size`` exceeds the budget.
        """
        with self._lock:
            if key in self._entries or size > self._max_bytes:
                return
            self._evict(size)
            self._entries[key] = (value, size)
            self._used += size

    def free_bytes(self, size: int) -> None:
        """Drop values until ``size`` bytes of the budget are free or the cache is empty."""
        with self._lock:
            self._evict(size)

    def _evict(self, size: int) -> None:
        while self._entries and self._used + size > self._max_bytes:
            _, (_, freed) = self._entries.popitem(last=False)
            self._used -= freed


_K = TypeVar("_K", bound=Hashable)
_Result = TypeVar("_Result")


class SingleFlight(Generic[_K, _Result]):
    """A guard that computes a value once for all threads that ask for its key at the same time; thread-safe.

    No value is kept. To combine this guard with a cache, let ``compute`` look into the cache first and store its value
    there before it returns; then no value that stays in the cache is computed twice. ``compute`` must not ask for its
    own key, and the computations of two keys must not ask for each other: they would wait forever.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._flights: dict[_K, Future[_Result]] = {}

    def __len__(self) -> int:
        return len(self._flights)

    def get(self, key: _K, compute: Callable[[], _Result]) -> _Result:
        """Compute the value, or wait for the thread that does; its exception is raised in each waiting thread."""
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
