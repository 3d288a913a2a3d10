"""Limits on the connections, guests, new names, matches and wrong tokens of a server, in total, per address or player.

A connection holds a `Ticket` from its acceptance to its end, so one that is slow with its handshake counts like any
other. The last seats are a reserve: a connection that comes when all others are taken has only a few seconds to send
`hello`, and keeps its seat only if its player comes back to an open match, or if enough others have left. Players whose
connection was cut can therefore return to a full server.

If an address has too many connections that have not sent `hello`, its next connections also have only these few
seconds. They are not refused, because a class behind one address connects at the same moment, and each client sends
`hello` at once.

Tickets without an address count in the totals only. ``now`` is in milliseconds of the `StallFreeClock`. Error texts
name the limit by its setting.
"""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evilpegs_protocol.server_messages import ErrorCode
from evilpegs_server.addresses import limited_networks
from evilpegs_server.limits import NetworkCounter, Windows
from evilpegs_server.match.match import RefusedError
from evilpegs_server.settings import Settings
from evilpegs_server.timing import Timing

HOUR_MS: Final = 3_600_000.0
MINUTE_MS: Final = 60_000.0
FAILED_TOKEN_DELAY_MS: Final = 5_000.0


class Limit(StrEnum):
    """The limits of admission; the value of each is the name of its setting."""

    CONNECTIONS = "max_connections"
    GUESTS = "guest_seats_percent"
    PER_ADDRESS = "connections_per_address"
    BEFORE_HELLO = "connections_before_hello"
    NEW_NAMES = "new_names_per_hour"
    MATCHES = "matches_per_hour"
    FAILED_TOKENS = "failed_tokens_per_minute"


class LimitMetError(RefusedError):
    def __init__(self, limit: Limit, message: str, retry_after_ms: int | None = None) -> None:
        super().__init__(ErrorCode.RATE_LIMITED, f"{message} (limit {limit.value})", retry_after_ms=retry_after_ms)
        self.limit = limit


@dataclass(slots=True, eq=False)
class Ticket:
    """The place of one connection in the counts; without an ``address`` it counts in the totals only."""

    address: str | None
    is_reserve: bool
    hello_ms: float
    said_hello: bool = False
    is_guest: bool = False
    is_closed: bool = False
    is_crowded: bool = False
    """True if its address had too many connections without `hello` when this one was counted."""


class Admission:
    def __init__(self, limits: Settings, timing: Timing = Timing()) -> None:
        most = limits.max_connections
        self.limits = limits
        self.guest_seats = max(1, most * limits.guest_seats_percent // 100)
        # at least one seat is ordinary
        self.reserve_seats = min(most - 1, most * limits.reserve_seats_percent // 100)
        self.ordinary_seats = most - self.reserve_seats
        self.met: Counter[str] = Counter()
        """By the name of the setting."""
        self.excess = Windows[str](timing.over_limit_ms)
        """The addresses that have just met a limit here, or a rate limit of the gateway."""
        self.taken = self.guests = 0
        self._connections = NetworkCounter(limits.connections_per_address)
        self._before_hello = NetworkCounter(limits.connections_before_hello)
        self._new_names = Windows[str](HOUR_MS, limits.new_names_per_hour)
        self._failed_tokens = Windows[str](MINUTE_MS, limits.failed_tokens_per_minute)
        self._matches = Windows[int](HOUR_MS, limits.matches_per_hour)

    def table_sizes(self) -> dict[str, int]:
        addresses = len(self._connections) + len(self._new_names) + len(self._failed_tokens)
        return {"addresses": addresses, "players_of_the_hour": len(self._matches)}

    @property
    def wanted_seats(self) -> int:
        """The seats that must become free so that one in fifty of the ordinary ones is, at least one."""
        return max(0, self.taken + max(1, self.ordinary_seats // 50) - self.ordinary_seats)

    def open(self, address: str | None, now: float) -> Ticket:
        """Count a new connection. Raises LimitMetError if no seat is free, or the address has too many connections."""
        self._check_address(address, now)
        most = self.limits.max_connections
        if self.taken >= most:
            raise self._met(Limit.CONNECTIONS, f"all {most} connections of this server are taken; come back later")
        is_reserve = self.taken >= self.ordinary_seats
        hello_seconds = self.limits.reserve_hello_seconds if is_reserve else self.limits.hello_seconds
        ticket = Ticket(None, is_reserve, 1000 * hello_seconds)
        self.taken += 1
        self._count(ticket, address)
        return ticket

    def set_address(self, ticket: Ticket, address: str | None, now: float) -> None:
        """Count a connection under the address of its client, which a proxy has named. Raises LimitMetError."""
        if ticket.is_closed:
            return
        self._check_address(address, now)
        self._count(ticket, address)

    def log_in(self, ticket: Ticket, now: float, *, is_guest: bool, has_open_match: bool) -> None:
        """Count a connection as one that has sent `hello`. Raises LimitMetError; it may then send `hello` again."""
        if ticket.is_closed:
            return
        if is_guest and self.guests >= self.guest_seats:
            message = f"all {self.guest_seats} guest connections are taken; come back later or claim a name"
            raise self._met(Limit.GUESTS, message, ticket.address, now)
        if ticket.is_reserve and not has_open_match and self.taken > self.ordinary_seats:
            message = "the last free connections are kept for players with an open match; come back later"
            raise self._met(Limit.CONNECTIONS, message)
        ticket.said_hello, ticket.is_guest = True, is_guest
        self.guests += is_guest
        self._before_hello.give_back(ticket.address)

    def log_out(self, ticket: Ticket) -> None:
        """Undo `log_in`, because the login failed."""
        if ticket.is_closed:
            return
        self.guests -= ticket.is_guest
        ticket.said_hello = ticket.is_guest = False
        self._before_hello.add(ticket.address)

    def note_silence(self, ticket: Ticket, now: float) -> None:
        """Note that no `hello` came in time; for a crowded ticket, the limit counts as met."""
        if ticket.is_crowded:
            self._met(Limit.BEFORE_HELLO, "", ticket.address, now)

    def close(self, ticket: Ticket) -> None:
        """Remove an ended connection from the counts; call this once per ticket."""
        ticket.is_closed = True
        self.taken -= 1
        self.guests -= ticket.is_guest
        self._connections.give_back(ticket.address)
        if not ticket.said_hello:
            self._before_hello.give_back(ticket.address)

    def take_new_name(self, ticket: Ticket, now: float) -> None:
        """Count a claimed name. Raises LimitMetError if the address claimed too many in the last hour."""
        if met := self._new_names.take(limited_networks(ticket.address), now):
            most, wait = met
            message = f"your address may claim {most} names per hour; come back later"
            raise self._met(Limit.NEW_NAMES, message, ticket.address, now, wait)

    def take_match(self, player: int, now: float) -> None:
        """Count a match that a player asks for. Raises LimitMetError if they asked for too many in the last hour."""
        if met := self._matches.take({player: 1}, now):
            most, wait = met
            raise self._met(Limit.MATCHES, f"you may begin {most} matches per hour; come back later", wait=wait)

    def take_failed_token(self, ticket: Ticket, now: float) -> float:
        """Count a wrong token, and return the milliseconds by which to delay the answer."""
        if self._failed_tokens.take(limited_networks(ticket.address), now) is None:
            return 0.0
        self._met(Limit.FAILED_TOKENS, "", ticket.address, now)
        return FAILED_TOKEN_DELAY_MS

    def _count(self, ticket: Ticket, address: str | None) -> None:
        ticket.address = address
        if self._before_hello.most_met(address):
            ticket.is_crowded = True
            ticket.hello_ms = min(ticket.hello_ms, 1000 * self.limits.reserve_hello_seconds)
        self._connections.add(address)
        self._before_hello.add(address)

    def _check_address(self, address: str | None, now: float) -> None:
        if most := self._connections.most_met(address):
            message = f"your address has {most} connections; close some or come back later"
            raise self._met(Limit.PER_ADDRESS, message, address, now)

    def _met(
        self, limit: Limit, message: str, address: str | None = None, now: float = 0.0, wait: float | None = None
    ) -> LimitMetError:
        self.met[limit.value] += 1
        if address is not None:
            self.excess.begin(address, now)
        return LimitMetError(limit, message, None if wait is None else round(wait))
