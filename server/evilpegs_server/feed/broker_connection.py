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

# the publisher process itself waits only half of this for the broker
SILENCE_SECONDS: Final = 60.0


class BrokerLostError(Exception):
    """The connection to the broker is lost; the publisher process reconnects by itself."""


class BrokerConnection:
    """One connection to the broker, through the publisher process."""

    def __init__(self, number: int, send: Callable[[object], None]) -> None:
        self.number = number
        self.written = 0
        self._send = send
        self._batches = self._requests = 0
        self._answers: dict[int, asyncio.Future[list[bool]]] = {}
        self._lost = asyncio.Event()

    def send_events(self, events: list[tuple[str, str]]) -> int:
        """Publish (topic, payload) pairs at QoS 0 without waiting, and return the number of the batch."""
        self._batches += 1
        self._send(LiveBatch(self.number, self._batches, events))
        return self._batches

    async def deliver(self, deliveries: Sequence[Delivery]) -> list[bool]:
        """Publish at QoS 1 and return which messages the broker acknowledged, not refused; raises TimeoutError."""
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
        """Raise BrokerLostError when the connection is lost."""
        await self._lost.wait()
        raise BrokerLostError

    @property
    def goodbye(self) -> ConnectionEnd:
        """The message that makes the publisher process say goodbye to the broker and exit."""
        return ConnectionEnd(self.number, None)

    def give_up(self, why: str) -> None:
        """Make the publisher process drop this connection for the reason ``why`` and connect again."""
        self._send(ConnectionEnd(self.number, why))

    def lose(self) -> None:
        self._lost.set()

    def handle(self, report: BatchWritten | Delivered) -> None:
        if report.connection != self.number:
            return
        match report:
            case BatchWritten():
                self.written = report.number
            case Delivered():
                answer = self._answers.get(report.number)
                if answer is not None and not answer.done():
                    answer.set_result(report.accepted)
