"""The events and results of matches, published in the order of the log."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import orjson

from evilpegs_protocol.backoff import Backoff
from evilpegs_protocol.topics import FeedTopics
from evilpegs_server.feed.broker_log import RefusalLog
from evilpegs_server.feed.cursor import FeedCursor
from evilpegs_server.feed.mqtt_client import Delivery, FeedClient
from evilpegs_server.show.follower import FollowedEvent, Follower, read_events
from evilpegs_server.storage.log.archive import load_starts
from evilpegs_server.storage.queries import Reader

# of connections and of refused results
BACKOFF: Final = Backoff(first=0.25, longest=30.0)
BATCH: Final = 500
"""The most events on their way to the broker."""
# events gather, so that a busy server reads many of them with one query
GATHER_SECONDS: Final = 0.02


@dataclass(frozen=True, slots=True)
class EventFeed:
    """The loop that publishes what follows the cursor, and moves it over what the broker has taken.

    Results go out at QoS 1, and events at QoS 0 with one confirmation for a batch. With events at QoS 1 too, a busy
    server on this machine (bench.server.feed, 1,800 guesses per second) used 30 us more for each, and the p99 from
    event to subscriber was 240 ms instead of 34 ms: 20 messages at a time wait for the broker.
    """

    engine: Reader
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
            if not await self.publish_next(client, last, to_first_result=failures > 0):
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

    async def publish_next(self, client: FeedClient, last: int, *, to_first_result: bool) -> bool:
        """Publish events up to the one with the id ``last``, at most a batch; False if a result is refused.

        Before `run`, and while no document is on its way, publish up to the first result on each connection. Some
        brokers cut the connection after a refusal. If another message were written at that moment, its write would
        fail, the refusal would never be read, and the log could not say why the connection was lost.
        """
        events = await read_events(self.engine, self.cursor.position, last, BATCH)
        is_rest = len(events) < BATCH
        ends = [index for index, event in enumerate(events) if event.type == "match_over"]
        if to_first_result and ends:
            events, is_rest = events[: ends[0] + 1], False
        if not await self._publish(client, events):
            return False
        if is_rest:
            self.cursor.position = max(self.cursor.position, last)
        return True

    async def _publish(self, client: FeedClient, events: list[FollowedEvent]) -> bool:
        ended = [event for event in events if event.type == "match_over"]
        newest = {event.ladder: event.id for event in ended}
        starts = await asyncio.to_thread(load_starts, self.engine, [event.match for event in ended]) if ended else {}
        results = []
        for event in events:
            client.send(self.topics.event(event.match), event.text.encode())
            if event.type == "match_over":
                results.append((event, client.post(self._result(event, starts[event.match]))))
        for event, result in results:
            if not await client.answer_of(result):
                self.cursor.position = event.id - 1
                return False
            self.refusals.accepted(self.topics.result(event.match))
            if newest[event.ladder] == event.id:
                await client.deliver(self._newest(event, starts[event.match]))
            self.cursor.position = event.id
        if events and events[-1].type != "match_over":
            await client.confirm()
            self.cursor.position = events[-1].id
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
