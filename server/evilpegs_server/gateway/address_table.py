"""A table of client addresses with the counts that limits need: connections, new names, and wrong tokens.

An address is the text that `addresses.counted_network` returns, so a whole /64 network of IPv6 has one record. A record
is kept while its address has connections, and the server limits the number of all connections. Without connections, a
record is kept while a name claimed in the last hour, or a wrong token of the last minute, still counts against the
address; of these records, only the `MAX_IDLE` newest are kept. A record takes a few hundred bytes.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

MAX_IDLE: Final = 10_000
"""The largest number of addresses without connections that are remembered. Their records take about 5 MB."""


@dataclass(slots=True)
class Window:
    """A count that begins again at 0 when ``length_ms`` milliseconds have passed since its first increment.

    ``ends`` is the time in milliseconds of the `StallFreeClock` at which the present count ends; 0.0 before the first
    increment.
    """

    length_ms: float
    count: int = 0
    ends: float = 0.0

    def add(self, now: float) -> int:
        """Increment the count and return the new count; ``now`` is the time of the `StallFreeClock` in milliseconds."""
        if now >= self.ends:
            self.count, self.ends = 0, now + self.length_ms
        self.count += 1
        return self.count

    def current(self, now: float) -> int:
        """Return the count, 0 if its window has ended; ``now`` is the time of the `StallFreeClock` in milliseconds."""
        return self.count if now < self.ends else 0


def _hour() -> Window:
    return Window(3_600_000.0)


def _minute() -> Window:
    return Window(60_000.0)


@dataclass(slots=True)
class AddressRecord:
    """The counts of one address: its connections, its new names within an hour, and its wrong tokens within a minute.

    ``before_hello`` is the number of its connections that have not sent `hello`.
    """

    connections: int = 0
    before_hello: int = 0
    new_names: Window = field(default_factory=_hour)
    failed_tokens: Window = field(default_factory=_minute)

    def counts_until(self) -> float:
        """Return the time until which a new name or a wrong token of the past counts against this address.

        The time is that of the `StallFreeClock` in milliseconds. It is 0.0 if there was no new name and no wrong token.
        """
        return max(self.new_names.ends, self.failed_tokens.ends)


class AddressTable:
    """The counts of all addresses with connections, and of at most ``max_idle`` others, one `AddressRecord` each.

    Times are those of the `StallFreeClock` in milliseconds. Iterating yields the addresses.
    """

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
        """Return the counts of ``address``, or None if nothing is known about this address."""
        return self._connected.get(address) or self._idle.get(address)

    def add_connection(self, address: str) -> AddressRecord:
        """Count a new connection of ``address``, which has not sent `hello`, and return the counts of the address."""
        record = self.find(address) or AddressRecord()
        self._idle.pop(address, record)
        self._connected[address] = record
        record.connections += 1
        record.before_hello += 1
        return record

    def remove_connection(self, address: str, now: float) -> None:
        """Subtract a connection that has ended from the counts of ``address``.

        The caller itself decrements the count ``before_hello`` of connections that have not sent `hello`. After the
        last connection of an address, its counts are kept only while a new name or a wrong token of the past counts
        against the address. ``now`` is the time of the `StallFreeClock` in milliseconds.
        """
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
