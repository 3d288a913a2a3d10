"""A player on a server: who he is, the connection he has at the moment, and the one match he plays.

When the connection is cut, or the server stops for a while, the session dials again after jittered, growing
delays, says who it is and resumes its match from the last event it saw. `MatchClient` stands on this and plays.

How long to wait before trying again: longer each time, and never in step with other clients.

Into a server: connect, and say who we are until it knows us.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from evilpegs_clients.connection.connection import (
    DIAL_SECONDS,
    Deliver,
    ProtocolConnection,
    ReceivedMessage,
    dial,
    server_url,
)
from evilpegs_clients.connection.identity import Identity, Introduction
from evilpegs_clients.connection.match_view import MatchView, Phase
from evilpegs_clients.connection.tokens import TokenFile
from evilpegs_clients.errors import (
    ClientError,
    ConnectionLostError,
    ServerRefusedError,
    ServerUnreachableError,
    UnreachableReason,
)
from evilpegs_protocol.client_messages import Hello, Resume
from evilpegs_protocol.fields import ClientMessage
from evilpegs_protocol.server_messages import ErrorCode, MatchStarted, Notice, ServerEvent, Welcome


@dataclass(frozen=True, slots=True)
class Backoff:
    """Exponential delays with jitter, in seconds: each is drawn from the upper half of its bound.

    The bounds double from ``first`` up to ``longest``; after ``attempts`` of them one gives up.
    """

    first: float = 0.2
    longest: float = 10.0
    attempts: int = 40

    def delays(self, rng: Random) -> Iterator[float]:
        """The delays of one series of attempts."""
        for attempt in range(self.attempts):
            bound = min(self.longest, self.first * 2**attempt)
            yield rng.uniform(bound / 2, bound)


async def enter(
    server: str, introduction: Introduction, deliver: Deliver, seconds: float
) -> tuple[ProtocolConnection, Welcome]:
    """A connection on which the server has welcomed us, and what it said; each step takes ``seconds`` at most.

    Raises:
        ClientError: nobody there, or none of our hellos is good enough.
    """
    *earlier, last = introduction.hellos()
    for hello in earlier:
        try:
            return await _say(server, introduction, hello, deliver, seconds)
        except ServerRefusedError as error:
            if error.code is not ErrorCode.AUTH_FAILED:
                raise
    try:
        return await _say(server, introduction, last, deliver, seconds)
    except ServerRefusedError as error:
        raise introduction.explained(error) from None


async def _say(
    server: str, introduction: Introduction, hello: Hello, deliver: Deliver, seconds: float
) -> tuple[ProtocolConnection, Welcome]:
    """One hello on a connection of its own, closed unless it is welcomed."""
    connection = await dial(server, deliver, seconds)
    try:
        async with asyncio.timeout(seconds):
            welcome = await connection.ask(hello)
        if not isinstance(welcome, Welcome):
            raise TimeoutError
        introduction.accepted(hello, welcome)
    except TimeoutError:
        await connection.close()
        message = f"{server} does not answer hello with welcome: not an evilpegs server"
        raise ServerUnreachableError(message, UnreachableReason.OTHER_SERVER) from None
    except BaseException:
        await connection.close()
        raise
    return connection, welcome


PASSING: Final = frozenset({ErrorCode.DRAINING, ErrorCode.STORAGE_UNAVAILABLE, ErrorCode.RATE_LIMITED})
"""What a server refuses now and may not refuse a little later."""

Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Reconnecting:
    """The connection was cut; the next attempt begins in ``seconds``."""

    why: str
    attempt: int
    seconds: float


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How a session waits, between attempts and for answers while it connects.

    Tests pass a sleep that does not.
    """

    rng: Random
    sleep: Sleep = asyncio.sleep
    backoff: Backoff = field(default_factory=Backoff)
    timeout: float = DIAL_SECONDS


class PlayerSession:
    """One player on ``server``; open it first, close it at the end.

    ``tell`` hears of notices and of cuts. Every method raises a `ClientError` whose line says what is wrong.
    """

    def __init__(
        self,
        server: str,
        identity: Identity,
        tokens: TokenFile,
        retry_policy: RetryPolicy,
        tell: Callable[[Notice | Reconnecting], None],
    ) -> None:
        self.server = server_url(server)
        self.view: MatchView | None = None
        self._introduction = Introduction(self.server, identity, tokens)
        self._retry_policy = retry_policy
        self._tell = tell
        self._mending = asyncio.Lock()
        self._connection: ProtocolConnection | None = None
        self._welcome: Welcome | None = None
        self._news: asyncio.Future[None] | None = None

    @property
    def welcome(self) -> Welcome:
        """What the server said at the latest `hello`."""
        if self._welcome is None:
            message = "the session is not open"
            raise RuntimeError(message)
        return self._welcome

    async def open(self) -> Welcome:
        """Connect and say who we are; claims the name if it is new, and keeps its token."""
        self._connection = await self._connect()
        return self.welcome

    async def close(self) -> None:
        """Leave; a match that is not over goes on by its clock."""
        if self._connection is not None:
            await self._connection.close()

    def keep_guest(self) -> None:
        """Keep a guest's token, so that he can come back under the name the server gave him."""
        self._introduction.keep_guest(self.welcome.player)

    async def ask(self, request: ClientMessage) -> ServerEvent:
        """The direct answer to a request. What the server refuses only for the moment is asked again."""
        for seconds in self._retry_policy.backoff.delays(self._retry_policy.rng):
            try:
                return await self._open_connection().ask(request)
            except ServerRefusedError as error:
                if error.code not in PASSING:
                    raise
                refused = error
                await self._retry_policy.sleep(max(seconds, (error.retry_after_ms or 0) / 1000))
        raise refused

    async def wait_for_change(self) -> None:
        """Wait until there is news of the match; after a cut, until it is resumed."""
        if self._news is None or self._news.done():
            self._news = asyncio.get_running_loop().create_future()
        ended = self._open_connection().ended
        either: list[asyncio.Future[Any]] = [self._news, ended]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            await self.restore()

    async def resume(self) -> None:
        """Fetch what the view misses, and take the seat."""
        try:
            await self._resume(self._open_connection())
        except ConnectionLostError:
            await self.restore()

    async def restore(self) -> None:
        """After a cut: connect again and resume the match. Does nothing while the connection stands."""
        async with self._mending:
            ended = self._open_connection().ended
            if not ended.done():
                return
            if not isinstance(ended.result(), ConnectionLostError):
                raise ended.result()
            await self._reconnect(ended.result())

    async def _reconnect(self, why: ClientError) -> None:
        for attempt, seconds in enumerate(self._retry_policy.backoff.delays(self._retry_policy.rng), 1):
            self._tell(Reconnecting(str(why), attempt, seconds))
            await self._retry_policy.sleep(seconds)
            try:
                self._connection = await self._connect_and_resume()
            except (ServerUnreachableError, ConnectionLostError) as error:
                why = error
            except ServerRefusedError as error:
                if error.code not in PASSING:
                    raise
                why = error
            else:
                return
        message = f"{why}; gave up after {self._retry_policy.backoff.attempts} attempts"
        raise ServerUnreachableError(message, UnreachableReason.GAVE_UP)

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

    async def _connect(self) -> ProtocolConnection:
        timeout = self._retry_policy.timeout
        connection, self._welcome = await enter(self.server, self._introduction, self._deliver, timeout)
        return connection

    def _open_connection(self) -> ProtocolConnection:
        if self._connection is None:
            message = "the session is not open"
            raise RuntimeError(message)
        return self._connection

    def _deliver(self, received: ReceivedMessage) -> None:
        message = received.message
        if isinstance(message, Notice):
            self._tell(message)
        if isinstance(message, MatchStarted) and message.re is not None:
            self.view = MatchView(message.match)  # the answer to our `play`
        if self.view is not None and self.view.apply(received) and self._news is not None and not self._news.done():
            self._news.set_result(None)
