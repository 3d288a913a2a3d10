"""One player's session on a server: the current connection and the one match that the player is in.

When the connection is cut or the server restarts, the session connects again after growing random delays, logs in,
and resumes its match after the last event that it received; of several addresses, at the next one. `MatchClient` uses a
session to play.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from evilpegs_clients.connection.connection import ProtocolConnection, ReceivedMessage, RetryPolicy, server_urls
from evilpegs_clients.connection.login import TEMPORARY_ERRORS, BeforeClaim, Credentials, LoginSequence, log_in_at_any
from evilpegs_clients.connection.match_view import MatchView, Phase
from evilpegs_clients.connection.tokens import TokenFile
from evilpegs_clients.errors import (
    BrokenRecordError,
    ClientError,
    ConnectionLostError,
    ServerRefusedError,
    ServerUnreachableError,
    UnreachableReason,
)
from evilpegs_protocol.client_messages import Resume
from evilpegs_protocol.fields import ClientMessage
from evilpegs_protocol.server_messages import (
    ErrorCode,
    MatchStarted,
    Notice,
    RecordEvent,
    Resumed,
    ServerEvent,
    Welcome,
)


@dataclass(frozen=True, slots=True)
class Reconnecting:
    """A cut connection, or a failed attempt to restore it; the next attempt starts in ``seconds``."""

    why: str
    attempt: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Reconnected:
    """A restored connection and a resumed match, after ``attempts`` attempts."""

    attempts: int


@dataclass(frozen=True, slots=True)
class KeyChanged:
    """Another key than at the player's last login; ``key`` is None if the server no longer signs."""

    server: str
    former: str
    key: str | None


def key_change_line(change: KeyChanged) -> str:
    now = "it no longer signs records" if change.key is None else f"it is {change.key} now"
    return f"the key of {change.server} was {change.former} before, and {now}; ask its operator whether that is right"


SessionEvent = Notice | Reconnecting | Reconnected | KeyChanged


STRANGER_ERRORS: Final = frozenset({ErrorCode.AUTH_FAILED, ErrorCode.NOT_YOUR_MATCH})
"""After a cut connection they mean that the server no longer knows the player or the match."""


class PlayerSession:
    """One player's session on ``server``, and the match ``view`` that they are in; its methods raise `ClientError`."""

    def __init__(
        self,
        server: str,
        credentials: Credentials,
        tokens: TokenFile,
        retry_policy: RetryPolicy,
        on_event: Callable[[SessionEvent], None],
    ) -> None:
        self._urls = deque(server_urls(server))  # the first is the one in use
        self.server = self._urls[0]
        self.addresses = ",".join(self._urls)
        """All of them, as for ``--server``."""
        self.view: MatchView | None = None
        self.welcome: Welcome
        """The answer to the latest `hello`."""
        self.login = LoginSequence(self.server, credentials, tokens)
        self._retry_policy = retry_policy
        self._on_event = on_event
        self._restoring = asyncio.Lock()
        # kept until a request is answered or an event arrives: a server that accepts connections
        # and then drops them is tried more and more rarely
        self._attempts: Iterator[tuple[int, float]] | None = None
        self._connection: ProtocolConnection | None = None
        self._news: asyncio.Future[None] | None = None
        self._copy: _RecordCopy | None = None

    async def open(self, before_claim: BeforeClaim | None = None) -> Welcome:
        """Connect and log in; if no stored token proves the name, claim it once ``before_claim`` has returned."""
        self._connection = await self._connect(before_claim)
        return self.welcome

    async def close(self) -> None:
        """Close the connection; a match that is not over continues, and so does its clock."""
        if self._connection is not None:
            await self._connection.close()

    async def ask(self, request: ClientMessage) -> ServerEvent:
        """Return the answer, asking again after a temporary refusal. Call `restore` after a ConnectionLostError."""
        for seconds in self._retry_policy.delays():
            try:
                answer = await self._open_connection().ask(request)
            except ServerRefusedError as error:
                if error.code not in TEMPORARY_ERRORS:
                    self._attempts = None
                    raise
                if error.code is ErrorCode.DRAINING and len(self._urls) > 1:
                    await self.close()
                    raise ConnectionLostError(str(error)) from None
                refused = error
                await self._retry_policy.sleep(max(seconds, (error.retry_after_ms or 0) / 1000))
            else:
                self._attempts = None
                return answer
        raise refused

    async def wait_for_change(self) -> None:
        """Wait until a message has changed ``view``, or a connection that was cut is restored."""
        if self._news is None or self._news.done():
            self._news = asyncio.get_running_loop().create_future()
        ended = self._open_connection().ended
        either: list[asyncio.Future[Any]] = [self._news, ended]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            await self.restore()

    async def resume(self) -> None:
        """Take over the match of ``view`` and request the events that the view lacks, unless the match is over."""
        try:
            await self._resume(self._open_connection())
        except ConnectionLostError:
            await self.restore()

    @property
    def server_keys(self) -> tuple[str, ...]:
        """The public key in use, then those of earlier logins; empty if the server signs nothing."""
        key = self.welcome.server.key
        return () if key is None else tuple(dict.fromkeys((key, *self.login.known_keys)))

    async def fetch_record(self, match: str) -> list[dict[str, Any]]:
        """Request a record again; raises ClientError unless it arrives in time. A cut connection is not restored."""
        connection = self._open_connection()
        copy = self._copy = _RecordCopy(match)
        try:
            async with asyncio.timeout(self._retry_policy.timeout):
                await connection.ask(Resume(match=match, seq=0))
                await asyncio.wait([copy.complete, connection.ended], return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            raise ConnectionLostError(f"the server does not send all events of match {match} again") from None
        finally:
            self._copy = None
        if not copy.complete.done():
            raise connection.ended.result()
        return copy.events

    async def restore(self) -> None:
        """Connect again and resume the match if the connection was cut; raises ClientError once all attempts failed."""
        async with self._restoring:
            ended = self._open_connection().ended
            if not ended.done():
                return
            if not isinstance(ended.result(), ConnectionLostError):
                raise ended.result()
            await self._reconnect(ended.result())

    async def _reconnect(self, why: ClientError) -> None:
        if self._attempts is None:
            self._attempts = enumerate(self._retry_policy.delays(), 1)
        for attempt, seconds in self._attempts:
            self._on_event(Reconnecting(str(why), attempt, seconds))
            self._urls.rotate(-1)
            await self._retry_policy.sleep(seconds)
            try:
                self._connection = await self._connect_and_resume()
            except (ServerUnreachableError, ConnectionLostError) as error:
                why = error
            except ServerRefusedError as error:
                if error.code not in TEMPORARY_ERRORS:
                    raise self._explain_stranger(error) from None
                why = error
            else:
                self._on_event(Reconnected(attempt))
                return
        self._attempts = None
        raise ServerUnreachableError(
            f"{why}; gave up after {self._retry_policy.attempts} attempts", UnreachableReason.GAVE_UP
        )

    def _explain_stranger(self, error: ServerRefusedError) -> ServerRefusedError:
        if error.code not in STRANGER_ERRORS:
            return error
        return error.with_message(
            f"{self._urls[0]} seems to be another server now, or to have another database: no player there has this "
            f"token. If the one before comes back, the match goes on there"
        )

    async def _connect_and_resume(self) -> ProtocolConnection:
        connection = await self._connect()
        try:
            await self._resume(connection)
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _resume(self, connection: ProtocolConnection) -> None:
        if self.view is not None and self.view.phase is not Phase.OVER:
            await connection.ask(Resume(match=self.view.id, seq=self.view.seq))

    async def _connect(self, before_claim: BeforeClaim | None = None) -> ProtocolConnection:
        timeout = self._retry_policy.timeout
        connection, self.welcome = await log_in_at_any(self._urls, self.login, self._deliver, timeout, before_claim)
        if self.login.former_key is not None:
            self._on_event(KeyChanged(self.server, self.login.former_key, self.welcome.server.key))
        return connection

    def _open_connection(self) -> ProtocolConnection:
        if self._connection is None:
            raise RuntimeError("the session is not open")
        return self._connection

    def _deliver(self, received: ReceivedMessage) -> None:
        message = received.message
        if self._copy is not None and self._copy.take(received):
            return
        if isinstance(message, Notice):
            self._on_event(message)
        if isinstance(message, MatchStarted) and message.re is not None:
            self.view = MatchView(message.match)  # the answer to `play`
        changed = False
        if self.view is not None:
            seq = self.view.seq
            changed = self.view.apply(received)
            if self.view.seq > seq:
                self._attempts = None
        if changed and self._news is not None and not self._news.done():
            self._news.set_result(None)


class _RecordCopy:
    # the events of a match, received a second time but, unlike in a `MatchView`, not compared with the first
    def __init__(self, match: str) -> None:
        self.match = match
        self.events: list[dict[str, Any]] = []
        self.complete: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._announced: int | None = None

    def take(self, received: ReceivedMessage) -> bool:
        message = received.message
        if getattr(message, "match", None) != self.match or not isinstance(message, RecordEvent | Resumed):
            return False
        if isinstance(message, Resumed):
            self._announced = message.seq
        else:
            self.events.append(dict(received.fields))
        if self._announced is not None and len(self.events) > self._announced:
            raise BrokenRecordError(
                f"the server announced {self._announced} events of match {self.match} and sent more"
            )
        if len(self.events) == self._announced and not self.complete.done():
            self.complete.set_result(None)
        return True
