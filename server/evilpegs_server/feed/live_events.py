"""The events of matches on their way to the broker, dropped if it is too slow."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final, Protocol

from structlog.stdlib import BoundLogger

from evilpegs_protocol.topics import FeedTopics
from evilpegs_server.record.event_log import LogEntry

# one or two seconds of a busy server
QUEUE_BYTES: Final = 4 << 20
# events gather, so that one write sends a whole batch to the publisher process
BATCH_SECONDS: Final = 0.01


class EventSink(Protocol):
    @property
    def written(self) -> int:
        """The number of the last batch written to the broker's socket, 0 at first."""
        ...

    def send_events(self, events: list[tuple[str, str]]) -> int:
        """Publish (topic, payload) pairs without waiting, and return the number of the batch."""
        ...


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
        self._connection: EventSink | None = None
        self._batch: list[tuple[str, str]] = []
        self._batch_bytes = 0
        self._unwritten: deque[tuple[int, int]] = deque()
        self._unwritten_bytes = 0

    def start(self, connection: EventSink) -> None:
        self._connection = connection
        self.dropped = 0

    def stop(self) -> None:
        self._connection = None
        self._batch, self._batch_bytes = [], 0
        self._unwritten.clear()
        self._unwritten_bytes = 0

    def add(self, match: str, entries: Iterable[LogEntry]) -> None:
        """Publish durable events soon; never wait, so no match is delayed."""
        if self._connection is None:
            return
        if not self._batch:
            self._forget_written(self._connection)
            self._call_later(BATCH_SECONDS, self._send_batch)
        topic = self._topics.event(match)
        for entry in entries:
            self._add(topic, entry.text)

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

    def _forget_written(self, connection: EventSink) -> None:
        while self._unwritten and self._unwritten[0][0] <= connection.written:
            _, size = self._unwritten.popleft()
            self._unwritten_bytes -= size
