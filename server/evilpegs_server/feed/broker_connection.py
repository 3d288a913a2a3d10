"""The connection to the broker, which the publisher process owns, and the events of matches on their way to it."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from structlog.stdlib import BoundLogger

from evilpegs_protocol.topics import FeedTopics
from evilpegs_server.feed.publisher_messages import (
    BatchWritten,
    ConnectionEnd,
    Delivered,
    Delivery,
    DeliveryRequest,
    LiveBatch,
)
from evilpegs_server.show.follower import FollowedEvent

# the publisher process itself waits only half of this for the broker
SILENCE_SECONDS: Final = 60.0
# one or two seconds of a busy server
QUEUE_BYTES: Final = 4 << 20
# events gather, so that one write sends a whole batch to the publisher process
BATCH_SECONDS: Final = 0.01


class BrokerLostError(Exception):
    """The connection to the broker is lost; the publisher process reconnects by itself."""


class BrokerConnection:
    """One connection to the broker, through the publisher process."""

    def __init__(self, number: int, send: Callable[[object], object]) -> None:
        self.number = number
        self.written = 0  # the last batch that was written to the broker's socket
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


class LiveEvents:
    """The events that wait for the broker, at most ``queue_bytes``; without a connection they are dropped."""

    def __init__(
        self,
        topics: FeedTopics,
        call_later: Callable[[float, Callable[[], None]], object],
        log: BoundLogger,
        queue_bytes: int,
    ) -> None:
        self.dropped = 0
        """Events dropped since the last `start` because the broker was slow."""
        self._topics = topics
        self._call_later = call_later
        self._log = log
        self._queue_bytes = queue_bytes
        self._connection: BrokerConnection | None = None
        self._batch: list[tuple[str, str]] = []
        self._batch_bytes = 0
        self._unwritten: deque[tuple[int, int]] = deque()
        self._unwritten_bytes = 0

    def start(self, connection: BrokerConnection) -> None:
        self._connection = connection
        self.dropped = 0

    def stop(self) -> None:
        self._connection = None
        self._batch, self._batch_bytes = [], 0
        self._unwritten.clear()
        self._unwritten_bytes = 0

    def add(self, events: Iterable[FollowedEvent]) -> None:
        """Publish durable events soon; never wait, so no match is delayed."""
        if self._connection is None:
            return
        if not self._batch:
            self._forget_written(self._connection)
            self._call_later(BATCH_SECONDS, self._send_batch)
        for event in events:
            self._add(self._topics.event(event.match), event.text)

    def _add(self, topic: str, text: str) -> None:
        if self._batch_bytes + self._unwritten_bytes + len(text) > self._queue_bytes:
            if not self.dropped:
                self._log.warning("the MQTT broker is slow; events of live matches are dropped, results are not")
            self.dropped += 1
        else:
            self._batch_bytes += len(text)
            self._batch.append((topic, text))

    def _send_batch(self) -> None:
        if self._connection is not None and self._batch:
            number = self._connection.send_events(self._batch)
            self._unwritten.append((number, self._batch_bytes))
            self._unwritten_bytes += self._batch_bytes
            self._batch, self._batch_bytes = [], 0

    def _forget_written(self, connection: BrokerConnection) -> None:
        while self._unwritten and self._unwritten[0][0] <= connection.written:
            _, size = self._unwritten.popleft()
            self._unwritten_bytes -= size
