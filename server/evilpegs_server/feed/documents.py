"""The documents of the feed: the state of the server, and the open matches and the leaderboard of each ladder.

A document is a JSON text that is published as a retained MQTT message, so a new subscriber receives the latest version
at once. Each document is published when the feed connects to the broker, and again when it has changed, at most once
per second.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final, Literal, Protocol

import orjson

from evilpegs_protocol.feed_topics import FeedTopics
from evilpegs_protocol.server_messages import LadderInfo
from evilpegs_server.feed.broker_connection import BrokerConnection
from evilpegs_server.feed.publisher_messages import Delivery
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.matches.runner import MatchRunner

PERIOD_SECONDS: Final = 1.0
"""The shortest time between two versions of a document, in seconds."""
MAX_LISTED: Final = 100
"""The largest number of open matches that a document lists. The count in the document includes all open matches."""

ServerState = Literal["online", "stopped", "lost"]


class StandingsTexts(Protocol):
    """The interface of an object that has the leaderboards of all rated ladders as JSON text."""

    @property
    def filled(self) -> bool:
        """True once all stored games are counted. Until then, `body` waits."""
        ...

    def version(self, ladder: str) -> int:
        """Return the version of the leaderboard of the ladder with the id ``ladder``.

        The version is a number that begins at 0 and grows when rows of the leaderboard change.
        """
        ...

    async def body(self, info: LadderInfo) -> bytes:
        """Return the JSON text of the leaderboard of the ladder that ``info`` describes.

        The call waits until all stored games are counted.
        """
        ...


def state_payload(state: ServerState, server: str, version: str) -> bytes:
    """Return the JSON text of a document with the state of a server.

    ``server`` is the id of the server in topics, and ``version`` the version of its program. The document contains no
    time, because the state `lost` is handed to the broker, as the last will, long before it is published.
    """
    return orjson.dumps({"state": state, "server": server, "version": version})


async def deliver_document(connection: BrokerConnection, topic: str, payload: bytes) -> None:
    """Publish ``payload`` as a retained message on ``topic``; do nothing more if the broker refuses the message.

    Raises:
        TimeoutError: the publisher process does not answer.
    """
    await connection.deliver([Delivery(topic, payload, is_retained=True)])


class OpenMatches:
    """The source of the documents that list the open matches, one per ladder.

    ``ladders`` are the ids of the ladders. ``runners`` returns the runners of all open matches, in the order in which
    the matches were opened.
    """

    def __init__(self, ladders: Iterable[str], runners: Callable[[], Sequence[MatchRunner]]) -> None:
        self._ladders = tuple(ladders)
        self._runners = runners
        self._listed: dict[str, dict[str, Any]] = {}

    async def changes(self, published: dict[str, object]) -> dict[str, bytes]:
        """Return the JSON texts of the documents whose open matches have changed, by the id of the ladder.

        ``published`` holds, by the id of the ladder, the ids of the open matches in the document that was returned
        last; this method updates it. If ``published`` is empty, the documents of all ladders are returned.
        """
        by_ladder: dict[str, list[MatchRunner]] = {ladder: [] for ladder in self._ladders}
        for runner in self._runners():
            if runner.key.ladder.id in by_ladder and self._is_listed(runner):
                by_ladder[runner.key.ladder.id].append(runner)
        changed = {}
        for ladder, runners in by_ladder.items():
            ids = tuple(runner.key.id for runner in runners)
            if published.get(ladder) != ids:
                published[ladder] = ids
                changed[ladder] = orjson.dumps(self._document(ladder, ids))
        open_ids = {runner.key.id for runners in by_ladder.values() for runner in runners}
        self._listed = {match: self._listed[match] for match in open_ids}
        return changed

    def _is_listed(self, runner: MatchRunner) -> bool:
        """Return True if the first event of the match of ``runner`` is durable, so that a document may list the match.

        The first call that returns True keeps the fields of this event that the document shows.
        """
        if runner.key.id not in self._listed and (entries := runner.sent_entries):
            started = orjson.loads(entries[0].text)
            self._listed[runner.key.id] = {name: started[name] for name in ("match", "player", "client", "at")}
        return runner.key.id in self._listed

    def _document(self, ladder: str, matches: Sequence[str]) -> dict[str, Any]:
        newest = [self._listed[match] for match in reversed(matches[-MAX_LISTED:])]
        return {"ladder": ladder, "open": len(matches), "matches": newest}


class LadderStandings:
    """The source of the documents of leaderboards, one per rated ladder in ``ladders``.

    Empty leaderboards are included, because they replace leaderboards of an earlier database that the broker may still
    retain.
    """

    def __init__(self, ladders: Iterable[Ladder], texts: StandingsTexts) -> None:
        self._infos = [ladder.info() for ladder in ladders if ladder.rated]
        self._texts = texts

    async def changes(self, published: dict[str, object]) -> dict[str, bytes]:
        """Return the JSON texts of the leaderboards that have changed, by the id of the ladder.

        ``published`` holds, by the id of the ladder, the version of the leaderboard that was returned last; this method
        updates it. If ``published`` is empty, all leaderboards are returned. Until the stored games are counted,
        nothing is returned.
        """
        if not self._texts.filled:
            return {}
        changed = {}
        for info in self._infos:
            version = self._texts.version(info.id)
            if published.get(info.id) != version:
                published[info.id] = version
                changed[info.id] = await self._texts.body(info)
        return changed


class ChangingDocuments(Protocol):
    """The interface of a source of documents, one per ladder, that change with time."""

    async def changes(self, published: dict[str, object]) -> dict[str, bytes]:
        """Return the JSON texts of the documents that have changed since they were returned, by the id of the ladder.

        ``published`` maps the id of a ladder to a value that stands for the version of its document that was returned
        last. Each source chooses its own kind of value, and this method updates ``published``. The caller passes an
        empty dict at first, and the same dict each time.
        """
        ...


class RetainedFeed:
    """The loop that publishes the documents of all ladders whenever they have changed.

    ``topics`` names the MQTT topics, and ``sleep`` waits for a number of seconds.
    """

    def __init__(
        self,
        topics: FeedTopics,
        open_matches: OpenMatches,
        standings: LadderStandings,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._topics = topics
        self._sources: list[tuple[Callable[[str], str], ChangingDocuments]] = [
            (topics.live, open_matches),
            (topics.leaderboard, standings),
        ]
        self._sleep = sleep

    async def run(self, connection: BrokerConnection) -> None:
        """Publish every document once, and then every second the documents that have changed, until cancelled.

        A document is a JSON text that is published as a retained MQTT message.

        Raises:
            TimeoutError: the publisher process does not answer.
        """
        published: list[dict[str, object]] = [{} for _ in self._sources]
        while True:
            for (topic, source), known in zip(self._sources, published, strict=True):
                for ladder, payload in (await source.changes(known)).items():
                    await deliver_document(connection, topic(ladder), payload)
            await self._sleep(PERIOD_SECONDS)
