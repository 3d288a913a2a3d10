"""The metrics of the process that shows what is played."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from evilpegs_game.live.cache import ByteCache
from evilpegs_server.leaderboard.live_leaderboards import LiveLeaderboards
from evilpegs_server.metric_families import ProcessMetrics, collect, counter, histogram
from evilpegs_server.show.crowd import Crowd, Reading
from evilpegs_server.show.follower import Follower
from evilpegs_server.show.streams import Streams
from evilpegs_server.work.pool import TaskPool


@dataclass(slots=True)
class SiteCounts:
    connections: int = 0
    refused_connections: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    """The responses with a status of 400 or more."""

    def note_status(self, status: int) -> None:
        if status >= 400:
            self.statuses[status] += 1


@dataclass(eq=False)
class ShowMetrics(ProcessMetrics):
    counts: SiteCounts
    streams: Streams
    crowd: Crowd
    follower: Follower
    leaderboards: LiveLeaderboards
    pools: Mapping[str, TaskPool]
    caches: Mapping[str, ByteCache[Any]]

    def collect(self) -> Iterator[Metric]:
        counts, counting = self.counts, self.leaderboards.counting
        yield GaugeMetricFamily("evilpegs_site_connections", "Open connections to the site", counts.connections)
        refused = "Connections to the site that were closed because too many were open"
        yield CounterMetricFamily("evilpegs_site_connections_refused", refused, counts.refused_connections)
        statuses = {str(status): number for status, number in sorted(counts.statuses.items())}
        yield counter("evilpegs_site_refusals", "Requests to the site refused by status", "status", statuses)
        yield GaugeMetricFamily("evilpegs_streams", "Open streams", self.streams.open)
        yield histogram("evilpegs_show_lag_seconds", "Lateness of the show's event loop", {"": self.crowd.lag})
        late = {str(each): self.crowd.refused[each] for each in Reading}
        yield counter("evilpegs_show_refusals", "Readers refused because the show was late", "reading", late)
        unread = self.follower.sent - self.follower.position
        yield GaugeMetricFamily("evilpegs_unread_events", "Events not read from the log yet", unread)
        broken = "Matches that do not count, because their hashes are broken"
        yield GaugeMetricFamily("evilpegs_broken_matches", broken, len(counting.broken))
        unadjusted = "Games counted without their luck, because it is not known yet"
        yield GaugeMetricFamily("evilpegs_unadjusted_games", unadjusted, len(counting.awaited))
        yield from collect("evilpegs_show", "pool", {name: pool.metrics() for name, pool in self.pools.items()})
        yield from collect("evilpegs_show", "cache", {name: cache.state for name, cache in self.caches.items()})
