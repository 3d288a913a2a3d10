"""The connections that watch matches and ladders."""

from collections import defaultdict
from typing import Final

from structlog.stdlib import BoundLogger

from evilpegs_server.play.requests import ClientChannel
from evilpegs_server.record.encoding import MatchKey
from evilpegs_server.record.event_log import LogEntry

MAX_TOPICS: Final = 64
"""Per connection."""


class Watchers:
    """The connections that watch matches, by topic: the id of a match or of a ladder."""

    def __init__(self, log: BoundLogger) -> None:
        self._channels: defaultdict[str, set[ClientChannel]] = defaultdict(set)
        self._topics: defaultdict[ClientChannel, set[str]] = defaultdict(set)
        self._log = log

    def watch(self, channel: ClientChannel, topic: str) -> bool:
        """Begin to send the events of ``topic``; return False if the connection watches `MAX_TOPICS` others."""
        topics = self._topics[channel]
        if topic not in topics and len(topics) >= MAX_TOPICS:
            return False
        topics.add(topic)
        self._channels[topic].add(channel)
        return True

    def unwatch(self, channel: ClientChannel, topic: str) -> None:
        self._topics[channel].discard(topic)
        self._drop(channel, topic)

    def leave(self, channel: ClientChannel) -> None:
        for topic in self._topics.pop(channel, set()):
            self._drop(channel, topic)

    def is_watching(self, channel: ClientChannel) -> bool:
        return bool(self._topics.get(channel))

    def count(self, key: MatchKey) -> int:
        return len(self._channels.get(key.id, set()) | self._channels.get(key.ladder.id, set()))

    def publish(self, key: MatchKey, entries: list[LogEntry], player: ClientChannel | None = None) -> None:
        """Send durable entries to the watchers of a match or its ladder, except to its player."""
        if not self._channels:
            return
        channels = self._channels.get(key.id, set()) | self._channels.get(key.ladder.id, set())
        if not channels:
            return
        texts = [entry.text for entry in entries]
        for channel in channels - {player}:
            try:
                channel.send(texts)
            except Exception:  # noqa: BLE001 - a watcher must never fail a match
                self._log.exception("an event could not be sent to a watcher")
        if entries[-1].type == "match_over":
            for channel in list(self._channels.get(key.id, ())):
                self.unwatch(channel, key.id)

    def _drop(self, channel: ClientChannel, topic: str) -> None:
        channels = self._channels.get(topic, set())
        channels.discard(channel)
        if not channels:
            self._channels.pop(topic, None)
