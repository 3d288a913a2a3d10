"""Events as they happen, at QoS 0: published if the broker keeps up, dropped if it does not."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Final, Protocol

from structlog.stdlib import BoundLogger

from evilpegs_protocol.feed_topics import FeedTopics
from evilpegs_server.record.event_log import LogEntry

QUEUE_BYTES: Final = 4 << 20
"""The bytes of events that may wait for the broker, a second or two of a busy server."""
MESSAGES_PER_STEP: Final = 8
"""Messages that are queued before the event loop serves others again, about half a millisecond of work."""


class SentMessage(Protocol):
    """The handle of a queued message."""

    def is_published(self) -> bool:
        """Return True once the message was written to the socket."""
        ...


class MessageQueue(Protocol):
    """A client that queues messages without waiting."""

    def send(self, topic: str, payload: str) -> SentMessage:
        """Queue a message of QoS 0."""
        ...


class LiveEvents:
    """The events of live matches on their way to the broker, bounded by bytes.

    `add` is called after the player was sent the events, and only appends; everything else happens in later iterations
    of the event loop, a few messages at a time. Without a client, events are dropped at once.
    """

    def __init__(
        self,
        topics: FeedTopics,
        call_soon: Callable[[Callable[[], None]], object],
        log: BoundLogger,
        queue_bytes: int,
    ) -> None:
        self.dropped = 0
        """The number of events that were dropped because the broker was too slow, on this connection."""
        self._topics = topics
        self._call_soon = call_soon
        self._log = log
        self._queue_bytes = queue_bytes
        self._client: MessageQueue | None = None
        self._waiting: deque[tuple[str, str]] = deque()
        self._queued: deque[tuple[SentMessage, int]] = deque()
        self._bytes = 0

    def start(self, client: MessageQueue) -> None:
        """Publish events with ``client`` from now on."""
        self._client = client
        self.dropped = 0

    def stop(self) -> None:
        """Drop events from now on, and those that wait."""
        self._client = None
        self._waiting.clear()
        self._queued.clear()
        self._bytes = 0

    def add(self, match: str, entries: Iterable[LogEntry]) -> None:
        """Publish durable events of a match soon, or drop those for which the queue has no space."""
        if self._client is None:
            return
        self._forget_published()
        topic = self._topics.event(match)
        if not self._waiting:
            self._call_soon(self._step)
        for entry in entries:
            self._add(topic, entry.text)

    def _add(self, topic: str, text: str) -> None:
        if self._bytes + len(text) > self._queue_bytes:
            if not self.dropped:
                self._log.warning("the MQTT broker is slow; events of live matches are dropped, results are not")
            self.dropped += 1
        else:
            self._bytes += len(text)
            self._waiting.append((topic, text))

    def _step(self) -> None:
        if self._client is None:
            return
        for _ in range(min(MESSAGES_PER_STEP, len(self._waiting))):
            topic, text = self._waiting.popleft()
            self._queued.append((self._client.send(topic, text), len(text)))
        if self._waiting:
            self._call_soon(self._step)

    def _forget_published(self) -> None:
        while self._queued and self._queued[0][0].is_published():
            _, size = self._queued.popleft()
            self._bytes -= size
