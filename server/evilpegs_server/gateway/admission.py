"""Admission: limits on the connections, guests, new names and wrong tokens of a server, in total and per address.

Every connection holds a `Ticket` from the moment it is accepted until it has ended, so a connection that is slow with
its handshake counts like any other. A seat is one of the connections that the server accepts at the same time. Most
seats are ordinary, and the others are the reserve. When all ordinary seats are taken, a connection gets a seat of the
reserve for the few seconds that it may take to send `hello`, and keeps the seat only if its player comes back to an
open match. Players whose connection was cut can therefore return to a full server.

If an address has too many connections that have not sent `hello`, its next connections also have only these few
seconds. They are not refused, because a class behind one address connects at the same moment, and each client sends
`hello` at once.

Tickets without an address count in the totals only. This module uses no sockets and no clock: ``now`` is always an
argument, the time of the `StallFreeClock` in milliseconds. Error texts name the limit by its setting.
"""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evilpegs_server.gateway.address_table import MAX_IDLE, AddressRecord, AddressTable
from evilpegs_server.gateway.rate_limit import RecentExcess
from evilpegs_server.matches.counts import Seats

HELLO_MS: Final = 10_000.0
"""The milliseconds that a connection with an ordinary seat has to send `hello`."""
FAILED_TOKEN_DELAY_MS: Final = 5_000.0
"""The milliseconds by which the answer to a wrong token is delayed once its address has sent too many."""


class Limit(StrEnum):
    """The limits of admission; the value of each is the name of its setting."""

    CONNECTIONS = "max_connections"
    GUESTS = "guest_seats_percent"
    PER_ADDRESS = "connections_per_address"
    BEFORE_HELLO = "connections_before_hello"
    NEW_NAMES = "new_names_per_hour"
    FAILED_TOKENS = "failed_tokens_per_minute"


@dataclass(frozen=True, slots=True)
class AdmissionLimits:
    """The values of the limits of admission; each field has the meaning of the field of `Settings` with the same name.

    Percentages are of ``max_connections``.
    """

    max_connections: int = 2000
    guest_seats_percent: int = 75
    reserve_seats_percent: int = 10
    reserve_hello_seconds: float = 3.0
    connections_per_address: int = 200
    connections_before_hello: int = 8
    new_names_per_hour: int = 200
    failed_tokens_per_minute: int = 10

    @property
    def guest_seats(self) -> int:
        """The largest number of guests that may be connected at the same time, at least 1."""
        return max(1, self.max_connections * self.guest_seats_percent // 100)

    @property
    def reserve_seats(self) -> int:
        """The number of seats for players who come back to an open match; at least one other seat is left."""
        return min(self.max_connections - 1, self.max_connections * self.reserve_seats_percent // 100)


class LimitMetError(Exception):
    """The error of an attempt that would exceed ``limit``. The message says what happened, what to do, and the limit.

    ``retry_after_ms`` is the number of milliseconds after which a new attempt can succeed, or None if that is not
    known.
    """

    def __init__(self, limit: Limit, message: str, retry_after_ms: int | None = None) -> None:
        super().__init__(f"{message} (limit {limit.value})")
        self.limit = limit
        self.retry_after_ms = retry_after_ms


@dataclass(slots=True, eq=False)
class Ticket:
    """The place of one connection in the counts of `Admission`.

    ``address`` is the network under which the connection is counted, or None while it counts in the totals only.
    ``is_reserve`` is True if the connection takes a seat of the reserve: these seats are used when all others are
    taken, and only players who come back to an open match may keep them.
    """

    address: str | None
    is_reserve: bool
    hello_ms: float
    """The number of milliseconds in which the connection must send `hello`."""
    said_hello: bool = False
    is_guest: bool = False
    is_closed: bool = False
    is_crowded: bool = False
    """True if, when this connection was counted, its address had too many connections that had not sent `hello`."""


class Admission:
    """The counts of all connections of a server, and of recent actions per address.

    ``max_idle`` is the largest number of addresses without connections that are remembered.
    """

    def __init__(self, limits: AdmissionLimits, max_idle: int = MAX_IDLE) -> None:
        self.limits = limits
        self.met: Counter[str] = Counter()
        """The number of times that each limit was met, by the name of its setting."""
        self.excess = RecentExcess()
        """The addresses that met a limit of admission, or a rate limit of the gateway, in the last five seconds."""
        self._ordinary_taken = self._reserve_taken = self._guests = 0
        self._table = AddressTable(max_idle)

    @property
    def taken(self) -> int:
        """The number of connections that hold a ticket, from their acceptance until their end."""
        return self._ordinary_taken + self._reserve_taken

    @property
    def known_addresses(self) -> int:
        """The number of addresses that are remembered, with or without connections."""
        return len(self._table)

    @property
    def seats(self) -> Seats:
        """The numbers of seats and guests at this moment, and the number of times that each limit was met."""
        limits = self.limits
        return Seats(
            ordinary=limits.max_connections - limits.reserve_seats,
            ordinary_taken=self._ordinary_taken,
            reserve=limits.reserve_seats,
            reserve_taken=self._reserve_taken,
            guests=limits.guest_seats,
            guests_taken=self._guests,
            met={limit.value: self.met[limit.value] for limit in Limit},
        )

    def open(self, address: str | None, now: float) -> Ticket:
        """Count a new connection from ``address``, and return its ticket, its place in the counts.

        A connection with the address None counts in the totals only. ``now`` is the time of the `StallFreeClock` in
        milliseconds.

        Raises:
            LimitMetError: all seats are taken, or the address has too many connections.
        """
        self._check_address(address, now)
        if self._ordinary_taken < self.limits.max_connections - self.limits.reserve_seats:
            ticket = Ticket(None, is_reserve=False, hello_ms=HELLO_MS)
            self._ordinary_taken += 1
        elif self._reserve_taken < self.limits.reserve_seats:
            ticket = Ticket(None, is_reserve=True, hello_ms=1000 * self.limits.reserve_hello_seconds)
            self._reserve_taken += 1
        else:
            number = self.limits.max_connections
            raise self._met(Limit.CONNECTIONS, f"all {number} seats of this server are taken; come back later")
        self._count(ticket, address)
        return ticket

    def set_address(self, ticket: Ticket, address: str | None, now: float) -> None:
        """Count a connection under ``address``, the address of its client, which a proxy has named.

        If ``address`` is None, the connection counts in the totals only. ``now`` is the time of the `StallFreeClock` in
        milliseconds.

        Raises:
            LimitMetError: the address has too many connections.
        """
        if ticket.is_closed:
            return
        self._check_address(address, now)
        self._count(ticket, address)

    def log_in(self, ticket: Ticket, now: float, *, is_guest: bool, has_open_match: bool) -> None:
        """Count a connection as one that has sent `hello`; do nothing if it has ended before.

        ``now`` is the time of the `StallFreeClock` in milliseconds. ``has_open_match`` says if the player has a match
        that is not over.

        Raises:
            LimitMetError: there is no seat for this guest or player. The connection may send `hello` again.
        """
        if ticket.is_closed:
            return
        if is_guest and self._guests >= self.limits.guest_seats:
            message = f"all {self.limits.guest_seats} seats for guests are taken; come back later or claim a name"
            raise self._met(Limit.GUESTS, message, ticket.address, now)
        if ticket.is_reserve and not has_open_match and not self._take_ordinary(ticket):
            message = "the seats left are for players who come back to an open match; come back later"
            raise self._met(Limit.CONNECTIONS, message)
        ticket.said_hello, ticket.is_guest = True, is_guest
        self._guests += is_guest
        if (record := self._record(ticket)) is not None:
            record.before_hello -= 1

    def log_out(self, ticket: Ticket) -> None:
        """Count a connection again as one that has not sent `hello`, because its login failed."""
        if ticket.is_closed:
            return
        self._guests -= ticket.is_guest
        ticket.said_hello = ticket.is_guest = False
        if (record := self._record(ticket)) is not None:
            record.before_hello += 1

    def note_silence(self, ticket: Ticket, now: float) -> None:
        """Note that a connection has not sent `hello` in time.

        If its address had too many connections that had not sent `hello`, the limit ``connections_before_hello`` counts
        as met. ``now`` is the time of the `StallFreeClock` in milliseconds.
        """
        if ticket.is_crowded:
            self._met(Limit.BEFORE_HELLO, "", ticket.address, now)

    def close(self, ticket: Ticket, now: float) -> None:
        """Remove a connection that has ended from the counts. Call this once per ``ticket``.

        ``ticket`` is the place of the connection in the counts, and ``now`` the time of the `StallFreeClock` in
        milliseconds.
        """
        ticket.is_closed = True
        self._ordinary_taken -= not ticket.is_reserve
        self._reserve_taken -= ticket.is_reserve
        self._guests -= ticket.is_guest
        record = self._record(ticket)
        if record is not None and ticket.address is not None:
            record.before_hello -= not ticket.said_hello
            self._table.remove_connection(ticket.address, now)

    def take_new_name(self, ticket: Ticket, now: float) -> None:
        """Count a new name that a connection claims.

        ``now`` is the time of the `StallFreeClock` in milliseconds.

        Raises:
            LimitMetError: too many names were claimed from the address of the connection in the last hour.
        """
        record, most = self._record(ticket), self.limits.new_names_per_hour
        if record is None:
            return
        if record.new_names.current(now) >= most:
            wait = round(record.new_names.ends - now)
            message = f"{most} names per hour were claimed from your address; come back later"
            raise self._met(Limit.NEW_NAMES, message, ticket.address, now, wait)
        record.new_names.add(now)

    def take_failed_token(self, ticket: Ticket, now: float) -> float:
        """Count a wrong token, and return the milliseconds by which the answer to the client must be delayed.

        The delay is 0.0 while the address of the connection is below the limit. ``now`` is the time of the
        `StallFreeClock` in milliseconds.
        """
        record = self._record(ticket)
        if record is None or record.failed_tokens.add(now) <= self.limits.failed_tokens_per_minute:
            return 0.0
        self._met(Limit.FAILED_TOKENS, "", ticket.address, now)
        return FAILED_TOKEN_DELAY_MS

    def _record(self, ticket: Ticket) -> AddressRecord | None:
        return self._table.find(ticket.address) if ticket.address is not None else None

    def _count(self, ticket: Ticket, address: str | None) -> None:
        ticket.address = address
        if address is None:
            return
        record = self._table.add_connection(address)
        if record.before_hello > self.limits.connections_before_hello:
            ticket.is_crowded = True
            ticket.hello_ms = min(ticket.hello_ms, 1000 * self.limits.reserve_hello_seconds)

    def _check_address(self, address: str | None, now: float) -> None:
        record = self._table.find(address) if address is not None else None
        if record is None:
            return
        if record.connections >= (most := self.limits.connections_per_address):
            message = f"your address has {most} connections; close some or come back later"
            raise self._met(Limit.PER_ADDRESS, message, address, now)

    def _take_ordinary(self, ticket: Ticket) -> bool:
        """Exchange the reserve seat of a connection for an ordinary seat; return False if no ordinary seat is free.

        ``ticket`` is the place of the connection in the counts. Seats of the reserve are for players who come back to
        an open match; all others are ordinary.
        """
        if self._ordinary_taken >= self.limits.max_connections - self.limits.reserve_seats:
            return False
        self._reserve_taken -= 1
        self._ordinary_taken += 1
        ticket.is_reserve = False
        return True

    def _met(
        self, limit: Limit, message: str, address: str | None = None, now: float = 0.0, wait: int | None = None
    ) -> LimitMetError:
        self.met[limit.value] += 1
        if address is not None:
            self.excess.note(address, now)
        return LimitMetError(limit, message, wait)
