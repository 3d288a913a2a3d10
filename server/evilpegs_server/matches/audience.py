"""The audience of the matches: everybody who learns of durable events after the player has received them.

Watchers are connections that watch a match or a ladder. Listeners are the leaderboards and the measurement of luck;
they are called without the events and read these from the database. Followers, such as the live feed, are called with
the log entries of the events.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from structlog.stdlib import BoundLogger

from evilpegs_server.matches.requests import ClientChannel
from evilpegs_server.matches.watchers import Watchers
from evilpegs_server.record.encoding import MatchKey
from evilpegs_server.record.event_log import LogEntry


class Audience:
    """The parts of the server, and the connections, that learn of durable events after the player.

    First ``counts`` counts the events by type. Then the events are sent to ``watchers``, the connections that watch the
    match or its ladder. The listeners, functions without arguments, are called next, and the followers, functions that
    receive the id of the match and the log entries, last. Errors of listeners and followers are logged to ``log``; they
    never reach the match or other listeners and followers.
    """

    def __init__(self, counts: Counter[str], watchers: Watchers, log: BoundLogger) -> None:
        self._counts = counts
        self._watchers = watchers
        self._listeners: list[Callable[[], None]] = []
        self._followers: list[Callable[[str, Sequence[LogEntry]], None]] = []
        self._log = log

    def listen(self, listener: Callable[[], None]) -> None:
        """Register ``listener``, which is called without arguments whenever new events are durable and were sent.

        The listener must not wait, and its errors are logged. It can read the events from the database.
        """
        self._listeners.append(listener)

    def follow(self, follower: Callable[[str, Sequence[LogEntry]], None]) -> None:
        """Register ``follower``, which is called with the id of a match and its new log entries once these were sent.

        The entries are durable by then. The follower must not wait, and its errors are logged. Entries from before the
        registration are in the database.
        """
        self._followers.append(follower)

    def publish(self, key: MatchKey, entries: list[LogEntry], player: ClientChannel | None) -> None:
        """Pass new log ``entries`` of a match, which are durable, on to the audience.

        ``player`` is the channel of the match's player, who has received the entries, or None if the player has no
        connection.
        """
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
