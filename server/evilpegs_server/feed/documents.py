import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

import orjson

from evilpegs_protocol.topics import FeedTopics
from evilpegs_server.feed.mqtt_client import Delivery, FeedClient
from evilpegs_server.leaderboard.live_leaderboards import LiveLeaderboards
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.show.follower import Follower
from evilpegs_server.storage.derived.browse import MatchFilter, OpenMatchRow, list_matches, list_open_matches
from evilpegs_server.storage.log.acts import load_last_hiding
from evilpegs_server.storage.log.rounds import load_rounds
from evilpegs_server.storage.queries import Reader

MAX_LISTED: Final = 100
"""The most open matches that a document lists; its count includes all."""


@dataclass(frozen=True, slots=True)
class Documents:
    """The open matches and the leaderboard of each ladder, in retained messages, so that a new subscriber has them."""

    topics: FeedTopics
    ladders: Mapping[str, Ladder]
    offered: Collection[str]
    engine: Reader
    follower: Follower
    leaderboards: LiveLeaderboards
    period_seconds: float

    async def publish(self, client: FeedClient) -> None:
        """Publish all documents, then after each period the changed ones. Raises aiomqtt.MqttError or TimeoutError."""
        published: dict[str, bytes] = {}
        hiding = 0
        while True:
            last, at = await asyncio.to_thread(load_last_hiding, self.engine)
            if last != hiding:
                for topic in await asyncio.to_thread(self._old_results, at):
                    await client.deliver(Delivery(topic, b"", is_retained=True))  # which clears it
                hiding = last
            for topic, payload in (await self._live() | await self._standings()).items():
                if published.get(topic) != payload:
                    published[topic] = payload
                    await client.deliver(Delivery(topic, payload, is_retained=True))
            await asyncio.sleep(self.period_seconds)

    async def _live(self) -> dict[str, bytes]:
        by_ladder: dict[str, list[OpenMatchRow]] = {ladder: [] for ladder in self.offered}
        for match in await asyncio.to_thread(list_open_matches, self.engine, self.follower.sent):
            if match.ladder in by_ladder:
                by_ladder[match.ladder].append(match)
        return {self.topics.live(ladder): _live_payload(ladder, matches) for ladder, matches in by_ladder.items()}

    def _old_results(self, at: int) -> list[str]:
        # they may be of the player who was hidden or forgotten, unless a later match has replaced them
        ladders = [*self.ladders, *(each.id for each in load_rounds(self.engine))]
        later = {each: MatchFilter(ladders=(each,), since=at, over=True) for each in ladders}
        return [self.topics.ladder_result(each) for each in ladders if not list_matches(self.engine, later[each], 1)]

    async def _standings(self) -> dict[str, bytes]:
        if not self.leaderboards.filled:
            return {}
        # empty leaderboards too: they replace those of an earlier database that the broker may still retain
        infos = [ladder.info() for ladder in self.ladders.values() if ladder.rated]
        return {self.topics.leaderboard(info.id): (await self.leaderboards.shown(info)).body for info in infos}


def _live_payload(ladder: str, matches: list[OpenMatchRow]) -> bytes:
    newest = [
        {"match": each.match, "player": each.player, "client": each.client, "at": each.started_at}
        for each in reversed(matches[-MAX_LISTED:])
    ]
    return orjson.dumps({"ladder": ladder, "open": len(matches), "matches": newest})
