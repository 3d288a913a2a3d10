"""The audience of the matches: everybody who learns of durable events after the player has received them.

Watchers are connections. Listeners, the leaderboards and the measurement of luck, are called without the events and
read these from the database. Followers, such as the live feed, are called with the log entries.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from structlog.stdlib import BoundLogger

from evilpegs_server.play.messages import ClientChannel
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.replies.game_secrets import MatchKey

MAX_TOPICS: Final = 64
"""Per connection."""


class Watchers:
    """The connections that watch matches, by topic: the id of a match or of a ladder."""

    def __init__(self, log: BoundLogger) -> None:
        self._channels: defaultdict[str, set[ClientChannel]] = defaultdict(set)
        self._topics: defaultdict[ClientChannel, set[str]] = defaultdict(set)
        self._log = log

    def watch(self, channel: ClientChannel, topic: str) -> bool:
        """Send the events of ``topic`` from now on; return False if the connection watches `MAX_TOPICS` others."""
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
        return len(self._watching(key))

    def publish(self, key: MatchKey, entries: list[LogEntry], player: ClientChannel | None = None) -> None:
        """Send durable entries to the watchers of a match or its ladder, except to its player."""
        if not self._channels:
            return
        channels = self._watching(key)
        texts = [entry.text for entry in entries]
        for channel in channels - {player}:
            try:
                channel.send(texts)
            except Exception:  # noqa: BLE001 - a watcher must never fail a match
                self._log.exception("an event could not be sent to a watcher")
        if channels and entries[-1].type == "match_over":
            for channel in list(self._channels.get(key.id, ())):
                self.unwatch(channel, key.id)

    def _watching(self, key: MatchKey) -> set[ClientChannel]:
        return self._channels.get(key.id, set()) | self._channels.get(key.ladder.id, set())

    def _drop(self, channel: ClientChannel, topic: str) -> None:
        channels = self._channels.get(topic, set())
        channels.discard(channel)
        if not channels:
            self._channels.pop(topic, None)


class Audience:
    def __init__(self, counts: Counter[str], watchers: Watchers, log: BoundLogger) -> None:
        self._counts = counts
        self._watchers = watchers
        self._listeners: list[Callable[[], None]] = []
        self._followers: list[Callable[[str, Sequence[LogEntry]], None]] = []
        self._log = log

    def listen(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` whenever new events are durable and were sent; it must not wait."""
        self._listeners.append(listener)

    def follow(self, follower: Callable[[str, Sequence[LogEntry]], None]) -> None:
        """Call ``follower`` with the id and the new entries of a match once they were sent; it must not wait."""
        self._followers.append(follower)

    def publish(self, key: MatchKey, entries: list[LogEntry], player: ClientChannel | None) -> None:
        for entry in entries:
            self._counts[entry.type] += 1
        self._watchers.publish(key, entries, player)
        for listener in self._listeners:
            try:
                listener()
            except Exception:  # noqa: BLE001 - a listener must never fail a match
                self._log.exception("could not notify a listener of events")
        for follower in self._followers:
            try:
                follower(key.id, entries)
            except Exception:  # noqa: BLE001 - a follower must never fail a match
                self._log.exception("could not hand events to a follower")
