"""The server's side of a connection to the broker: requests to the publisher process, and their answers."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from evilpegs_server.feed.publisher_messages import (
    BatchWritten,
    ConnectionEnd,
    Delivered,
    Delivery,
    DeliveryRequest,
    LiveBatch,
)

SILENCE_SECONDS: Final = 60.0
"""The seconds after which a publisher process that does not answer is replaced.

The publisher process itself waits only half of this time for an answer of the broker.
"""


class BrokerLostError(Exception):
    """The error that a connection to the broker was lost. The publisher process connects again by itself."""


class BrokerConnection:
    """One connection to the MQTT broker, used through the publisher process.

    ``number`` identifies the connection in the messages between the server and the publisher process. ``send`` sends
    such a message to the publisher process without blocking.
    """

    def __init__(self, number: int, send: Callable[[object], None]) -> None:
        self.number = number
        self.written = 0
        """The number of the last batch of live events that was written to the broker's socket, 0 before the first."""
        self._send = send
        self._batches = self._requests = 0
        self._answers: dict[int, asyncio.Future[list[bool]]] = {}
        self._lost = asyncio.Event()

    def send_events(self, events: list[tuple[str, str]]) -> int:
        """Publish a batch of events at QoS 0 without waiting, and return the number of the batch, from 1.

        ``events`` are pairs of an MQTT topic and a payload.
        """
        self._batches += 1
        self._send(LiveBatch(self.number, self._batches, events))
        return self._batches

    async def deliver(self, deliveries: Sequence[Delivery]) -> list[bool]:
        """Publish messages at QoS 1, and wait until the broker has acknowledged or refused each of them.

        Return a list with one value per message, in the order of ``deliveries``: True if the broker acknowledged the
        message, and False if it refused the message.

        Raises:
            TimeoutError: the publisher process has not answered within `SILENCE_SECONDS`.
        """
        if not deliveries:
            return []
        self._requests += 1
        number = self._requests
        answer: asyncio.Future[list[bool]] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        self._send(DeliveryRequest(self.number, number, list(deliveries)))
        try:
            async with asyncio.timeout(SILENCE_SECONDS):
                return await answer
        finally:
            del self._answers[number]

    async def wait_until_lost(self) -> None:
        """Wait until the connection is lost, then raise BrokerLostError."""
        await self._lost.wait()
        raise BrokerLostError

    @property
    def goodbye(self) -> ConnectionEnd:
        """The message that asks the publisher process to end this connection cleanly, and then to exit."""
        return ConnectionEnd(self.number, None)

    def give_up(self, why: str) -> None:
        """Ask the publisher process to end the connection without a goodbye to the broker, and to connect again.

        The publisher process then reports that the connection has failed, with the reason ``why``.
        """
        self._send(ConnectionEnd(self.number, why))

    def lose(self) -> None:
        """Note that the connection is lost, so that `wait_until_lost` raises BrokerLostError."""
        self._lost.set()

    def handle(self, report: BatchWritten | Delivered) -> None:
        """Take note of a report of the publisher process; ignore a report on another connection.

        The number of a batch that was written is kept in `written`. The report on delivered messages ends the call of
        `deliver` that waits for it.
        """
        if report.connection != self.number:
            return
        match report:
            case BatchWritten():
                self.written = report.number
            case Delivered():
                answer = self._answers.get(report.number)
                if answer is not None and not answer.done():
                    answer.set_result(report.accepted)
