"""The events of matches on their way to the MQTT broker, which are dropped if the broker is too slow."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final, Protocol

from structlog.stdlib import BoundLogger

from evilpegs_protocol.feed_topics import FeedTopics
from evilpegs_server.record.event_log import LogEntry

QUEUE_BYTES: Final = 4 << 20
"""The largest size in bytes of the events that wait for the broker: those of one or two seconds of a busy server."""
BATCH_SECONDS: Final = 0.01
"""The seconds in which events gather, so that one write sends a whole batch of them to the publisher process."""


class EventSink(Protocol):
    """The interface of a connection that publishes batches of events without waiting."""

    @property
    def written(self) -> int:
        """The number of the last batch of events that was written to the broker's socket; 0 before the first batch."""
        ...

    def send_events(self, events: list[tuple[str, str]]) -> int:
        """Publish a batch of events, pairs of a topic and a payload, and return the number of the batch, from 1."""
        ...


class LiveEvents:
    """The events of live matches on their way to the broker, with at most ``queue_bytes`` bytes.

    `add` never waits, so it delays no match. Without a connection, events are dropped at once. ``topics`` names the
    MQTT topics, ``log`` receives a warning if events are dropped because the broker is slow, and ``call_later`` calls a
    function after a number of seconds.
    """

    def __init__(
        self,
        topics: FeedTopics,
        call_later: Callable[[float, Callable[[], None]], object],
        log: BoundLogger,
        queue_bytes: int,
    ) -> None:
        self.dropped = 0
        """The number of events since the last `start` that were dropped because the broker was too slow."""
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
        """Publish events on ``connection`` from now on."""
        self._connection = connection
        self.dropped = 0

    def stop(self) -> None:
        """Drop the events that wait, and from now on every new event until the next `start`."""
        self._connection = None
        self._batch, self._batch_bytes = [], 0
        self._unwritten.clear()
        self._unwritten_bytes = 0

    def add(self, match: str, entries: Iterable[LogEntry]) -> None:
        """Publish events of the match with the id ``match`` soon; drop the events for which the queue has no space.

        The events must be durable already.
        """
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
