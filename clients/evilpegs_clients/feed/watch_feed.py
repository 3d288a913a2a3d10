"""The events of a match server's ladders, by `watch`, over connections that are restored."""

import asyncio
from collections.abc import AsyncIterator, Callable
from importlib.metadata import version

from evilpegs_clients.connection.connection import ProtocolConnection, ReceivedMessage, server_url
from evilpegs_clients.connection.login import Credentials, LoginSequence, connect_and_log_in
from evilpegs_clients.connection.retry import RetryPolicy
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_clients.errors import ClientError, ServerRefusedError
from evilpegs_protocol.client_messages import ClientInfo, Watch
from evilpegs_protocol.server_messages import ErrorCode, RecordEvent, Welcome


async def watch_ladders(
    server: str, ladder: str | None, retry_policy: RetryPolicy, on_outage: Callable[[str], None]
) -> AsyncIterator[RecordEvent]:
    """Yield the events of matches on one ladder, or on every ladder that the server offers, as they happen.

    After a lost connection, ``on_outage`` is called once, and the events of the meantime are missing.

    Raises:
        ClientError: the first connection failed, the server has no such ladder, or it stays away for too long.
    """
    arrived: asyncio.Queue[RecordEvent] = asyncio.Queue()
    connection = await _connect(server, ladder, retry_policy, arrived)
    try:
        while True:
            async for event in _until_ended(connection, arrived):
                yield event
            on_outage(f"{connection.ended.result()}; trying again")
            connection = await _reconnect(server, ladder, retry_policy, arrived)
    finally:
        await connection.close()


async def _until_ended(
    connection: ProtocolConnection, arrived: asyncio.Queue[RecordEvent]
) -> AsyncIterator[RecordEvent]:
    while not connection.ended.done() or not arrived.empty():
        getting = asyncio.ensure_future(arrived.get())
        try:
            await asyncio.wait([getting, connection.ended], return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not getting.done():
                getting.cancel()
        if getting.done() and not getting.cancelled():
            yield getting.result()


async def _connect(
    server: str, ladder: str | None, retry_policy: RetryPolicy, arrived: asyncio.Queue[RecordEvent]
) -> ProtocolConnection:
    """Connect as a guest and watch; raises ClientError."""

    def deliver(received: ReceivedMessage) -> None:
        if isinstance(received.message, RecordEvent):
            arrived.put_nowait(received.message)

    url = server_url(server)
    credentials = Credentials(ClientInfo(name="evilpegs feed", version=version("evilpegs")))
    login = LoginSequence(url, credentials, TokenFile(default_token_file()))
    connection, welcome = await connect_and_log_in(url, login, deliver, retry_policy.timeout)
    try:
        for watched in _ladders(welcome, ladder):
            await connection.ask(Watch(ladder=watched))
    except BaseException:
        await connection.close()
        raise
    return connection


def _ladders(welcome: Welcome, ladder: str | None) -> list[str]:
    return [info.id for info in welcome.ladders] if ladder is None else [ladder]


async def _reconnect(
    server: str, ladder: str | None, retry_policy: RetryPolicy, arrived: asyncio.Queue[RecordEvent]
) -> ProtocolConnection:
    last: ClientError | None = None
    for seconds in retry_policy.delays():
        await retry_policy.sleep(seconds)
        try:
            return await _connect(server, ladder, retry_policy, arrived)
        except ServerRefusedError as error:
            if error.code is ErrorCode.UNKNOWN_LADDER:
                raise
            last = error
        except ClientError as error:
            last = error
    assert last is not None  # noqa: S101 - there is at least one attempt
    raise last
