"""The events of matches on a match server, requested with `watch`; a lost connection is restored.

Who watches a ladder gets only the events from then on; who watches a match gets its earlier events first. To show the
newest matches under way whole, a client can therefore also watch each of them, even after an outage during which they
went on or ended.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Final

from pydantic import ValidationError

from evilpegs_clients.connection.connection import ProtocolConnection, ReceivedMessage, RetryPolicy, server_url
from evilpegs_clients.connection.login import Credentials, LoginSequence, connect_and_log_in
from evilpegs_clients.connection.match_client import unknown_ladder
from evilpegs_clients.connection.session import Reconnected, Reconnecting, SessionEvent
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_clients.errors import ClientError, ServerRefusedError
from evilpegs_protocol.client_messages import ClientInfo, Watch
from evilpegs_protocol.server_messages import (
    ErrorCode,
    MatchOver,
    MatchStarted,
    Notice,
    RecordEvent,
    ServerEvent,
    Watching,
    Welcome,
)


@dataclass(frozen=True, slots=True)
class Watched:
    """One match, those of one ladder, or, without either, those of every ladder.

    A single match is received with its earlier events; of ladders, only the newest ``pasts`` matches under way, counted
    over all of them.
    """

    match: str | None = None
    ladder: str | None = None
    pasts: int = 0


async def watch_matches(
    server: str, watched: Watched, retry_policy: RetryPolicy, on_event: Callable[[SessionEvent], None]
) -> AsyncGenerator[RecordEvent, None]:
    """Yield the events of the watched matches as they happen; a single match ends with its last event.

    After a lost connection, earlier events may be yielded again, and events until it was restored may be missing.
    Raises ClientError if the first connection fails, no such ladder or match exists, or a connection cannot be
    restored.
    """
    watcher = _Watcher(server_url(server), watched, retry_policy, on_event)
    connection = await watcher.connect()
    try:
        while True:
            async for event in watcher.events_of(connection):
                yield event
                if isinstance(event, MatchOver) and event.match == watched.match:
                    return
            connection = await watcher.reconnect(connection.ended.result())
    finally:
        await connection.close()


class _Watcher:
    def __init__(
        self, url: str, watched: Watched, retry_policy: RetryPolicy, on_event: Callable[[SessionEvent], None]
    ) -> None:
        self._url = url
        self._watched = watched
        self._retry_policy = retry_policy
        self._on_event = on_event
        self._arrived: asyncio.Queue[RecordEvent | None] = asyncio.Queue()
        self._under_way: dict[str, None] = {}

    async def events_of(self, connection: ProtocolConnection) -> AsyncIterator[RecordEvent]:
        connection.ended.add_done_callback(lambda _: self._arrived.put_nowait(None))
        while (event := await self._arrived.get()) is not None:
            yield event

    async def connect(self) -> ProtocolConnection:
        credentials = Credentials(ClientInfo(name="evilpegs watch", version=version("evilpegs")))
        login = LoginSequence(self._url, credentials, TokenFile(default_token_file()))
        connection, welcome = await connect_and_log_in(self._url, login, self._deliver, self._retry_policy.timeout)
        try:
            await self._watch(connection, welcome)
        except BaseException:
            await connection.close()
            raise
        return connection

    async def reconnect(self, why: ClientError) -> ProtocolConnection:
        for attempt, seconds in enumerate(self._retry_policy.delays(), 1):
            self._on_event(Reconnecting(str(why), attempt, seconds))
            await self._retry_policy.sleep(seconds)
            try:
                connection = await self.connect()
            except ServerRefusedError as error:
                if error.code in {ErrorCode.UNKNOWN_LADDER, ErrorCode.NOT_YOUR_MATCH}:
                    raise
                why = error
            except ClientError as error:
                why = error
            else:
                self._on_event(Reconnected(attempt))
                return connection
        raise why

    async def _watch(self, connection: ProtocolConnection, welcome: Welcome) -> None:
        if self._watched.match is not None:
            await connection.ask(Watch(match=self._watched.match))
            return
        ladders = [info.id for info in welcome.ladders] if self._watched.ladder is None else [self._watched.ladder]
        matches: list[str] = []
        for ladder in ladders:
            answer = await self._watch_ladder(connection, ladder, welcome)
            matches += answer.matches if isinstance(answer, Watching) else ()
        await self._watch_pasts(connection, matches)

    async def _watch_ladder(self, connection: ProtocolConnection, ladder: str, welcome: Welcome) -> ServerEvent:
        try:
            return await connection.ask(Watch(ladder=ladder))
        except ValidationError:  # no ladder can have this id
            raise unknown_ladder(ladder, welcome.ladders, self._url) from None
        except ServerRefusedError as error:
            if error.code is not ErrorCode.UNKNOWN_LADDER:
                raise
            raise unknown_ladder(ladder, welcome.ladders, self._url) from None

    async def _watch_pasts(self, connection: ProtocolConnection, matches: Iterable[str]) -> None:
        # also those not over when an earlier connection was lost; ids sort in the order in which matches started
        newest = sorted({*matches, *self._under_way}, reverse=True)[: self._watched.pasts]
        self._under_way = dict.fromkeys(newest)
        for match in newest:
            try:
                await connection.ask(Watch(match=match))
            except ServerRefusedError as error:
                if error.code is not ErrorCode.NOT_YOUR_MATCH:
                    raise
                self._under_way.pop(match, None)

    def _deliver(self, received: ReceivedMessage) -> None:
        message = received.message
        if isinstance(message, Notice):
            self._on_event(message)
        if isinstance(message, RecordEvent):
            self._arrived.put_nowait(message)
            if isinstance(message, MatchOver):
                self._under_way.pop(message.match, None)
            elif self._watched.pasts:
                self._under_way[message.match] = None


MAX_MATCHES: Final = 10_000
"""Beyond it, the match that was looked up least recently is forgotten."""


@dataclass(slots=True)
class KnownMatch:
    """The player, the ladder's id and the numbers of the events that have been seen."""

    player: str | None = None
    ladder: str | None = None
    seen: set[int] = field(default_factory=set)


class MatchBook:
    def __init__(self) -> None:
        self._matches: OrderedDict[str, KnownMatch] = OrderedDict()

    def get(self, match: str) -> KnownMatch:
        """Return what is known of the match, and remember it from now on."""
        known = self._matches.setdefault(match, KnownMatch())
        self._matches.move_to_end(match)
        if len(self._matches) > MAX_MATCHES:
            self._matches.popitem(last=False)
        return known

    def introduce(self, match: str, player: str, ladder: str) -> None:
        known = self.get(match)
        known.player, known.ladder = player, ladder

    def is_new(self, event: RecordEvent) -> bool:
        """Remember ``event`` and return True if none of its match and number was seen before."""
        known = self.get(event.match)
        if isinstance(event, MatchStarted):
            known.player, known.ladder = event.player, event.ladder
        if event.seq in known.seen:
            return False
        known.seen.add(event.seq)
        return True
