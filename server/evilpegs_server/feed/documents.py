"""The retained documents of the feed: the state of the server, the open matches, and the leaderboards of its ladders.

Each document is published when the feed connects to the broker, and again when it has changed, at most once per second.
A new subscriber receives the latest version at once.
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
"""The largest number of open matches that a document lists. Its count includes all of them."""

ServerState = Literal["online", "stopped", "lost"]


class StandingsTexts(Protocol):
    """The interface of an object that has the leaderboards of all rated ladders as JSON text."""

    @property
    def filled(self) -> bool:
        """True once all stored games are counted. Until then, `body` waits."""
        ...

    def version(self, ladder: str) -> int:
        """Return the version of a ladder's leaderboard, a number that begins at 0 and grows when its rows change."""
        ...

    async def body(self, info: LadderInfo) -> bytes:
        """Return the JSON text of the leaderboard of a ladder."""
        ...


def state_payload(state: ServerState, server: str, version: str) -> bytes:
    """Return the JSON document of the state of a server, given its id and its version.

    It contains no time, because the last will is written long before it is published.
    """
    return orjson.dumps({"state": state, "server": server, "version": version})


async def deliver_document(connection: BrokerConnection, topic: str, payload: bytes) -> None:
    """Publish a retained document; do nothing if the broker refuses it.

    Raises:
        TimeoutError: the publisher process does not answer.
    """
    await connection.deliver([Delivery(topic, payload, is_retained=True)])


class OpenMatches:
    """The source of the documents that list the open matches, one per ladder.

    ``runners`` returns the runners of all open matches, in the order in which the matches were opened.
    """

    def __init__(self, ladders: Iterable[str], runners: Callable[[], Sequence[MatchRunner]]) -> None:
        self._ladders = tuple(ladders)
        self._runners = runners
        self._listed: dict[str, dict[str, Any]] = {}

    async def changes(self, published: dict[str, object]) -> dict[str, bytes]:
        """Return the documents of the ladders whose open matches have changed, by the id of the ladder.

        ``published`` holds the ids of the open matches in the documents that were returned before, and is updated. If
        it is empty, all documents are returned.
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
        """Return True if the first event of the match is durable, and keep the fields of it that the document lists."""
        if runner.key.id not in self._listed and (entries := runner.sent_entries):
            started = orjson.loads(entries[0].text)
            self._listed[runner.key.id] = {name: started[name] for name in ("match", "player", "client", "at")}
        return runner.key.id in self._listed

    def _document(self, ladder: str, matches: Sequence[str]) -> dict[str, Any]:
        newest = [self._listed[match] for match in reversed(matches[-MAX_LISTED:])]
        return {"ladder": ladder, "open": len(matches), "matches": newest}


class LadderStandings:
    """The source of the documents of leaderboards, one per rated ladder.

    Empty leaderboards are published too, because they replace those that an earlier database left at the broker.
    """

    def __init__(self, ladders: Iterable[Ladder], texts: StandingsTexts) -> None:
        self._infos = [ladder.info() for ladder in ladders if ladder.rated]
        self._texts = texts

    async def changes(self, published: dict[str, object]) -> dict[str, bytes]:
        """Return the documents of the leaderboards that have changed, by the id of the ladder.

        ``published`` holds the versions that were returned before, and is updated. If it is empty, all documents are
        returned, as soon as the stored games are counted.
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
        """Return the documents that have changed, by the id of the ladder, and update ``published``.

        ``published`` holds what was returned before, in a form that the source chooses.
        """
        ...


class RetainedFeed:
    """The task that publishes the retained documents of all ladders. ``sleep`` waits for a number of seconds."""

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

        Raises:
            TimeoutError: the publisher process does not answer.
        """
        published: list[dict[str, object]] = [{} for _ in self._sources]
        while True:
            for (topic, source), known in zip(self._sources, published, strict=True):
                for ladder, payload in (await source.changes(known)).items():
                    await deliver_document(connection, topic(ladder), payload)
            await self._sleep(PERIOD_SECONDS)
