"""Single flight: who asks for what is being computed waits for it instead of computing it again."""

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

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
