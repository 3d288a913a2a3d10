"""The audience of the matches: everybody who learns of durable events after the player has received them.

Watchers are connections. Listeners, the leaderboards and the measurement of luck, are called without the events and
read these from the database. Followers, such as the live feed, are called with the log entries.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from structlog.stdlib import BoundLogger

from evilpegs_server.play.requests import ClientChannel
from evilpegs_server.play.watchers import Watchers
from evilpegs_server.record.encoding import MatchKey
from evilpegs_server.record.event_log import LogEntry


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
