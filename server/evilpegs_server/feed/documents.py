"""The documents of the feed: the state of the server, and the open matches and the leaderboard of each ladder.

A document is published as a retained message, so a new subscriber receives the latest version at once: on each
connection to the broker, and then when it has changed, at most once per second. ``published`` is what the broker
has, by ladder.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal

import orjson

from evilpegs_protocol.topics import FeedTopics
from evilpegs_server.feed.broker_connection import BrokerConnection
from evilpegs_server.feed.publisher_messages import Delivery
from evilpegs_server.leaderboard.live_leaderboards import LiveLeaderboards
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.play.runner import MatchRunner

PERIOD_SECONDS: Final = 1.0
MAX_LISTED: Final = 100
"""The most open matches that a document lists; its count includes all."""

ServerState = Literal["online", "stopped", "lost"]


def state_payload(state: ServerState, server: str, version: str) -> bytes:
    # without a time, because the broker gets the state `lost`, the last will, long before it publishes it
    return orjson.dumps({"state": state, "server": server, "version": version})


async def deliver_document(connection: BrokerConnection, topic: str, payload: bytes) -> None:
    """Publish a retained message, which the broker may refuse; raises TimeoutError if the publisher does not answer."""
    await connection.deliver([Delivery(topic, payload, is_retained=True)])


class OpenMatches:
    def __init__(self, ladders: Iterable[str], runners: Callable[[], Sequence[MatchRunner]]) -> None:
        self._ladders = tuple(ladders)
        self._runners = runners
        self._listed: dict[str, dict[str, Any]] = {}

    def changes(self, published: dict[str, object]) -> dict[str, bytes]:
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
        if runner.key.id not in self._listed and (entries := runner.sent_entries):
            started = orjson.loads(entries[0].text)
            self._listed[runner.key.id] = {name: started[name] for name in ("match", "player", "client", "at")}
        return runner.key.id in self._listed

    def _document(self, ladder: str, matches: Sequence[str]) -> dict[str, Any]:
        newest = [self._listed[match] for match in reversed(matches[-MAX_LISTED:])]
        return {"ladder": ladder, "open": len(matches), "matches": newest}


class LadderStandings:
    def __init__(self, ladders: Iterable[Ladder], texts: LiveLeaderboards) -> None:
        # empty leaderboards too: they replace those of an earlier database that the broker may still retain
        self._infos = [ladder.info() for ladder in ladders if ladder.rated]
        self._texts = texts

    async def changes(self, published: dict[str, object]) -> dict[str, bytes]:
        if not self._texts.filled:
            return {}
        changed = {}
        for info in self._infos:
            version = self._texts.version(info.id)
            if published.get(info.id) != version:
                published[info.id] = version
                changed[info.id] = await self._texts.body(info)
        return changed


async def publish_documents(
    connection: BrokerConnection, topics: FeedTopics, open_matches: OpenMatches, standings: LadderStandings
) -> None:
    """Publish all documents, then every second the changed ones, until cancelled; raises TimeoutError."""
    published_matches: dict[str, object] = {}
    published_rows: dict[str, object] = {}
    while True:
        for ladder, payload in open_matches.changes(published_matches).items():
            await deliver_document(connection, topics.live(ladder), payload)
        for ladder, payload in (await standings.changes(published_rows)).items():
            await deliver_document(connection, topics.leaderboard(ladder), payload)
        await asyncio.sleep(PERIOD_SECONDS)
