"""The events and results of matches, published in the order of the log."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import orjson
from sqlalchemy import Engine

from evilpegs_protocol.backoff import Backoff
from evilpegs_protocol.topics import FeedTopics
from evilpegs_server.feed.broker_log import RefusalLog
from evilpegs_server.feed.cursor import FeedCursor
from evilpegs_server.feed.mqtt_client import Delivery, FeedClient, answer
from evilpegs_server.show.follower import FollowedEvent, Follower, load_events
from evilpegs_server.storage.archive import load_starts

# of connections and of refused results
BACKOFF: Final = Backoff(first=0.25, longest=30.0)
BATCH: Final = 500
"""The most events on their way to the broker."""
# events gather, so that a busy server reads many of them with one query
GATHER_SECONDS: Final = 0.01


@dataclass(frozen=True, slots=True)
class EventFeed:
    """The loop that publishes what follows the cursor, and moves it over what the broker has acknowledged.

    Everything goes out at QoS 1, because that alone is kept for subscribers who are away. mosquitto on this machine
    acknowledges 15,000 events per second, and takes 35,000 at QoS 0 with a message at QoS 1 after each batch; a busy
    server has 2,000. 20 messages are on their way at a time, so a broker 10 ms away acknowledges 2,000.
    """

    engine: Engine
    cursor: FeedCursor
    topics: FeedTopics
    follower: Follower
    wake: asyncio.Event
    """Set when there may be new events, and when the feed stops."""
    stopping: asyncio.Event
    refusals: RefusalLog
    rng: Random

    async def run(self, client: FeedClient) -> None:
        """Publish until the feed stops, a refused result again before later events."""
        failures = 0
        while True:
            is_last, last = self.stopping.is_set(), self.follower.sent
            self.wake.clear()
            if not await self.publish_next(client, last, 1 if failures else BATCH):
                if is_last:
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(BACKOFF.delay(failures, self.rng)):
                        await self.stopping.wait()
                failures += 1
                continue
            failures = 0
            if self.cursor.position >= last:
                if is_last:
                    return
                await self.wake.wait()
                await asyncio.sleep(GATHER_SECONDS)

    async def publish_next(self, client: FeedClient, last: int, limit: int) -> bool:
        """Publish at most ``limit`` events up to the one with the id ``last``; False if a result is refused.

        Before `run`, and while no document is on its way, publish a single event on each connection. Some brokers cut
        the connection after a refusal. If another message were written at that moment, its write would fail, the
        refusal would never be read, and the log could not say why the connection was lost.
        """
        events = await asyncio.to_thread(load_events, self.engine, self.cursor.position, last, limit)
        ended = {event.match for event in events if event.type == "match_over"}
        starts = await asyncio.to_thread(load_starts, self.engine, ended) if ended else {}
        if not await self._publish(client, events, starts):
            return False
        if len(events) < limit:
            self.cursor.position = max(self.cursor.position, last)
        return True

    async def _publish(self, client: FeedClient, events: list[FollowedEvent], starts: Mapping[str, str]) -> bool:
        newest = {event.ladder: event.id for event in events if event.type == "match_over"}
        posted = [
            (
                event,
                client.post(Delivery(self.topics.event(event.match), event.text.encode())),
                client.post(self._result(event, starts[event.match])) if event.type == "match_over" else None,
            )
            for event in events
        ]
        for event, sent, result in posted:
            await answer(sent)  # a refused event is dropped
            if result is not None:
                if not await answer(result):
                    return False
                self.refusals.accepted(self.topics.result(event.match))
                if newest[event.ladder] == event.id:
                    await client.deliver(self._newest(event, starts[event.match]))
            self.cursor.position = event.id
        return True

    def _result(self, event: FollowedEvent, started: str) -> Delivery:
        about = _about(started)
        about["rated"] = str(about["rated"]).lower()
        return Delivery(self.topics.result(event.match), event.text.encode(), properties=tuple(about.items()))

    def _newest(self, event: FollowedEvent, started: str) -> Delivery:
        over = orjson.loads(event.text)
        shown = {name: over[name] for name in ("match", "at", "outcomes", "guesses", "elapsed_ms")}
        topic = self.topics.ladder_result(event.ladder)
        return Delivery(topic, orjson.dumps(_about(started) | shown), is_retained=True)


def _about(started: str) -> dict[str, Any]:
    # the data of the match that `match_over` lacks
    event = orjson.loads(started)
    client = f"{event['client']['name']} {event['client']['version']}"
    return {"player": event["player"], "client": client, "ladder": event["ladder"], "rated": event["rated"]}
