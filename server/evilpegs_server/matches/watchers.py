"""Who follows which match or ladder."""

from collections import defaultdict
from typing import Final

from structlog.stdlib import BoundLogger

from evilpegs_server.matches.responses import Link
from evilpegs_server.record.encoding import Identity
from evilpegs_server.record.event_log import Entry

MOST_WATCHED: Final = 64
"""Matches and ladders that one connection may follow."""


class Watchers:
    """Passes events on to connections that asked for them. A slow or broken one harms no match."""

    def __init__(self, log: BoundLogger) -> None:
        self._links: defaultdict[str, set[Link]] = defaultdict(set)
        self._topics: defaultdict[Link, set[str]] = defaultdict(set)
        self._log = log

    def watch(self, link: Link, topic: str) -> bool:
        """Follow a match or ladder id; False when the connection follows too many."""
        topics = self._topics[link]
        if topic not in topics and len(topics) >= MOST_WATCHED:
            return False
        topics.add(topic)
        self._links[topic].add(link)
        return True

    def unwatch(self, link: Link, topic: str) -> None:
        """Follow it no longer."""
        self._topics[link].discard(topic)
        self._drop(link, topic)

    def leave(self, link: Link) -> None:
        """The connection is gone."""
        for topic in self._topics.pop(link, set()):
            self._drop(link, topic)

    def publish(self, match: Identity, entries: list[Entry], player: Link | None = None) -> None:
        """Events of a match, durable and already told to its ``player``."""
        if not self._links:
            return
        links = self._links.get(match.id, set()) | self._links.get(match.ladder.id, set())
        if not links:
            return
        texts = [entry.text for entry in entries]
        for link in links - {player}:
            try:
                link.send(texts)
            except Exception:  # noqa: BLE001 - a watcher must never fail a match
                self._log.exception("could not tell a watcher")
        if entries[-1].type == "match_over":
            for link in list(self._links.get(match.id, ())):
                self.unwatch(link, match.id)

    def _drop(self, link: Link, topic: str) -> None:
        links = self._links.get(topic, set())
        links.discard(link)
        if not links:
            self._links.pop(topic, None)
