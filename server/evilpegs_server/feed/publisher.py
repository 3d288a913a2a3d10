"""The program of the publisher process, which publishes the messages that arrive on a socket.

    python -m evilpegs_server.feed.publisher FD

FD is the file descriptor of a socket to the server. The process exits when the server closes the socket or dies, so it
never outlives its server. The broker then publishes the last will.
"""

import asyncio
import os
import signal
import socket
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, Final

import aiomqtt

from evilpegs_server.feed.mqtt_client import FeedClient, PublishRefusedError, SentMessage, connected
from evilpegs_server.feed.publisher_messages import (
    BACKOFF,
    BatchWritten,
    Connected,
    ConnectionEnd,
    ConnectionFailed,
    Delivered,
    Delivery,
    DeliveryRequest,
    LiveBatch,
    PublisherSetup,
    RefusedMessage,
    reason_of,
)
from evilpegs_server.work.child_process import FramedProtocol, Retries, lower_priority, pack

# the worker process has a higher value, so it runs last
NICENESS: Final = 5
REPORT_SECONDS: Final = 0.02
"""The time between two checks for batches written to the socket."""


def main(descriptor: int) -> None:
    # a service manager signals all processes at once, and the server still has its last results to publish
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    lower_priority(NICENESS)
    asyncio.run(serve(socket.socket(fileno=descriptor)))


async def serve(connection: socket.socket) -> None:
    """Publish what the server sends until it asks for the end."""
    loop = asyncio.get_running_loop()
    setup: asyncio.Future[PublisherSetup] = loop.create_future()
    publisher: Publisher | None = None

    def handle(message: Any) -> None:
        if publisher is None:
            setup.set_result(message)
        else:
            publisher.handle(message)

    transport, _ = await loop.create_connection(lambda: FramedProtocol(handle, lambda: os._exit(0)), sock=connection)
    retries = Retries(BACKOFF, Random())  # noqa: S311 - jitter
    publisher = Publisher(await setup, lambda message: transport.write(pack(message)), loop.call_later, retries)
    await publisher.run()


class Publisher:
    """The owner of the connection to the broker, which carries out the server's requests and logs nothing."""

    def __init__(
        self,
        setup: PublisherSetup,
        send: Callable[[object], None],
        call_later: Callable[[float, Callable[[], None]], object],
        retries: Retries,
    ) -> None:
        self._setup = setup
        self._send = send
        self._call_later = call_later
        self._retries = retries
        self._number = 0
        self._current: _BrokerUse | None = None

    async def run(self) -> None:
        """Stay connected to the broker until the server asks for the end."""
        await keep_connected(self._new_client, self._use, self, self._retries)

    def handle(self, message: Any) -> None:
        """Handle a message of the server; drop it if its connection is lost."""
        if self._current is not None and message.connection == self._number:
            self._current.handle(message)

    def connected(self) -> None:
        self._number += 1
        self._send(Connected(self._number))

    def failed(self, why: str) -> None:
        self._send(ConnectionFailed(why))

    def _new_client(self) -> FeedClient:
        will = aiomqtt.Will(self._setup.will_topic, self._setup.will_payload, qos=1, retain=True)
        return FeedClient(self._setup.broker, self._setup.client_id, will, self._report_refusal)

    def _report_refusal(self, error: PublishRefusedError) -> None:
        self._send(RefusedMessage(error.topic, error.why, error.advice))

    async def _use(self, client: FeedClient) -> None:
        async with asyncio.TaskGroup() as group:
            use = self._current = _BrokerUse(client, self._number, group, self._send, self._call_later)
            try:
                lost = group.create_task(client.wait_until_lost())
                await use.wait_until_ended()
                lost.cancel()
            finally:
                self._current = None
                use.forget_unwritten()


class _BrokerUse:
    def __init__(
        self,
        client: FeedClient,
        connection: int,
        group: asyncio.TaskGroup,
        send: Callable[[object], None],
        call_later: Callable[[float, Callable[[], None]], object],
    ) -> None:
        self._client = client
        self._connection = connection
        self._group = group
        self._send = send
        self._call_later = call_later
        self._unwritten: deque[tuple[SentMessage, int]] = deque()
        self._end: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def wait_until_ended(self) -> None:
        await self._end

    def handle(self, message: LiveBatch | DeliveryRequest | ConnectionEnd) -> None:
        if self._end.done():
            return
        match message:
            case LiveBatch():
                self._publish(message)
            case DeliveryRequest():
                # in the group, so that an error ends the connection
                self._group.create_task(self._deliver(message))
            case ConnectionEnd(why=None):
                self._end.set_result(None)
            case ConnectionEnd(why=why):
                self._end.set_exception(aiomqtt.MqttError(why))

    def forget_unwritten(self) -> None:
        self._unwritten.clear()

    def _publish(self, batch: LiveBatch) -> None:
        try:
            sent = [self._client.send(topic, payload) for topic, payload in batch.events]
        except aiomqtt.MqttError as error:
            self._end.set_exception(error)
            return
        if not self._unwritten:
            self._call_later(REPORT_SECONDS, self._report_written)
        self._unwritten.append((sent[-1], batch.number))

    def _report_written(self) -> None:
        # messages are written in order, so a batch is written once its last message is
        written = None
        while self._unwritten and self._unwritten[0][0].is_published():
            _, written = self._unwritten.popleft()
        if written is not None:
            self._send(BatchWritten(self._connection, written))
        if self._unwritten:
            self._call_later(REPORT_SECONDS, self._report_written)

    async def _deliver(self, request: DeliveryRequest) -> None:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._is_accepted(delivery)) for delivery in request.deliveries]
        self._send(Delivered(self._connection, request.number, [task.result() for task in tasks]))

    async def _is_accepted(self, delivery: Delivery) -> bool:
        topic, payload, is_retained, properties = delivery
        try:
            await self._client.deliver(topic, payload, retain=is_retained, user_properties=properties)
        except PublishRefusedError:
            return False
        return True


async def keep_connected(
    new_client: Callable[[], FeedClient],
    use: Callable[[FeedClient], Awaitable[None]],
    report: Publisher,
    retries: Retries,
) -> None:
    """Connect and ``use`` the client; after every failure, of ``use`` too, again, until ``use`` returns."""
    while True:
        client = new_client()
        try:
            async with connected(client):
                retries.begin()
                report.connected()
                await use(client)
                return
        except Exception as error:  # noqa: BLE001 - no fault of a broker or of the feed may end the feed
            report.failed(reason_of(error))
        await retries.wait()


if __name__ == "__main__":
    main(int(sys.argv[1]))
