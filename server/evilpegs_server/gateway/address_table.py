"""The counts that limits need, by client address: connections, new names and wrong tokens.

An address is a text of `addresses.counted_network`, so a whole /64 of IPv6 has one record. Times are milliseconds of
the `StallFreeClock`.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

# addresses without connections; their records take about 5 MB
MAX_IDLE: Final = 10_000


@dataclass(slots=True)
class Window:
    """A count that restarts at 0 when ``length_ms`` have passed since its first increment."""

    length_ms: float
    count: int = 0
    ends: float = 0.0

    def add(self, now: float) -> int:
        """Increment and return the count."""
        if now >= self.ends:
            self.count, self.ends = 0, now + self.length_ms
        self.count += 1
        return self.count

    def current(self, now: float) -> int:
        return self.count if now < self.ends else 0


def _hour() -> Window:
    return Window(3_600_000.0)


def _minute() -> Window:
    return Window(60_000.0)


@dataclass(slots=True)
class AddressRecord:
    """The counts of one address; ``before_hello`` counts its connections that have not sent `hello`."""

    connections: int = 0
    before_hello: int = 0
    new_names: Window = field(default_factory=_hour)
    failed_tokens: Window = field(default_factory=_minute)

    def counts_until(self) -> float:
        """Return the time until which a past name or wrong token still counts."""
        return max(self.new_names.ends, self.failed_tokens.ends)


class AddressTable:
    """The records of all addresses with connections, and of at most ``max_idle`` others."""

    def __init__(self, max_idle: int = MAX_IDLE) -> None:
        self._connected: dict[str, AddressRecord] = {}
        self._idle: OrderedDict[str, AddressRecord] = OrderedDict()
        self._max_idle = max_idle

    def __len__(self) -> int:
        return len(self._connected) + len(self._idle)

    def __iter__(self) -> Iterator[str]:
        yield from self._connected
        yield from self._idle

    def find(self, address: str) -> AddressRecord | None:
        return self._connected.get(address) or self._idle.get(address)

    def add_connection(self, address: str) -> AddressRecord:
        record = self.find(address) or AddressRecord()
        self._idle.pop(address, record)
        self._connected[address] = record
        record.connections += 1
        record.before_hello += 1
        return record

    def remove_connection(self, address: str, now: float) -> None:
        """Remove an ended connection; the caller decrements ``before_hello``."""
        record = self._connected[address]
        record.connections -= 1
        if record.connections == 0:
            del self._connected[address]
            self._keep_idle(address, record, now)

    def _keep_idle(self, address: str, record: AddressRecord, now: float) -> None:
        if record.counts_until() > now:
            self._idle[address] = record
        while self._idle:
            oldest, first = next(iter(self._idle.items()))
            if len(self._idle) <= self._max_idle and first.counts_until() > now:
                break
            del self._idle[oldest]
