"""The metrics of a running server in the text format of Prometheus.

The server keeps plain numbers; the text is built at each request for it. Labels never name a player, a match, an
address, a token or a secret.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from types import MappingProxyType
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from evilpegs_game.live.cache import CacheState
from evilpegs_server.play.counts import NO_HELLO, PRACTICE_LIMIT, RATE_LIMIT, EndReason, Seats
from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.storage.durations import BOUNDS, Durations
from evilpegs_server.storage.writer import Writer
from evilpegs_server.work.pool import TaskPool

_KINDS: Final = ("bot", "human", "guest", NO_HELLO)


class Metrics(Collector):
    def __init__(
        self,
        registry: MatchRegistry,
        writer: Writer,
        loop_lag: Durations,
        seats: Callable[[], Seats],
        table_sizes: Callable[[], Mapping[str, int]],
        pools: Mapping[str, TaskPool] = MappingProxyType({}),
        caches: Mapping[str, Callable[[], CacheState]] = MappingProxyType({}),
    ) -> None:
        self._matches, self._writer, self._loop_lag = registry, writer, loop_lag
        self._seats, self._table_sizes, self._pools, self._caches = seats, table_sizes, pools, caches
        self._collectors = CollectorRegistry()
        self._collectors.register(self)
        ProcessCollector(registry=self._collectors)

    def text(self) -> bytes:
        # takes about a millisecond
        return generate_latest(self._collectors)

    def collect(self) -> Iterator[Metric]:
        yield from self._collect_matches()
        yield from self._collect_connections()
        yield from self._collect_limits()
        yield from self._collect_storage()
        times = self._matches.counts.guess_times
        stages = {"reply": times.reply, "commit": times.commit, "send": times.send}
        yield _histogram("evilpegs_guess_stage_seconds", "Duration of a stage of a guess", stages, "stage")
        lag = {"": self._loop_lag}
        yield _histogram("evilpegs_loop_lag_seconds", "Lateness of the event loop's ticks", lag)
        yield from self._collect_pools()
        yield self._collect_tables()
        yield from self._collect_caches()

    def _collect_matches(self) -> Iterator[Metric]:
        registry = self._matches
        events = registry.counts.events
        open_matches = GaugeMetricFamily("evilpegs_open_matches", "Matches in play", labels=["ladder"])
        in_play = Counter(runner.key.ladder.id for runner in registry.runners)
        for ladder in registry.ladders:
            open_matches.add_metric([ladder], in_play[ladder])
        yield open_matches
        yield CounterMetricFamily("evilpegs_matches", "Matches started", events["match_started"])
        yield CounterMetricFamily("evilpegs_games", "Games finished", events["game_over"])
        yield CounterMetricFamily("evilpegs_guesses", "Guesses answered", events["feedback"])

    def _collect_connections(self) -> Iterator[Metric]:
        counts = self._matches.counts
        connections = GaugeMetricFamily("evilpegs_connections", "Open connections by kind of player", labels=["kind"])
        for kind in _KINDS:
            connections.add_metric([kind], counts.connections[kind])
        yield connections
        refusals = CounterMetricFamily("evilpegs_refusals", "Messages refused by error code", labels=["reason"])
        for reason, number in sorted(counts.refusals.items()):
            refusals.add_metric([reason], number)
        yield refusals
        yield from self._collect_http()

    def _collect_limits(self) -> Iterator[Metric]:
        counts, seats = self._matches.counts, self._seats()
        there = GaugeMetricFamily("evilpegs_seats", "Seats of the game port by kind", labels=["kind"])
        taken = GaugeMetricFamily("evilpegs_seats_taken", "Taken seats of the game port by kind", labels=["kind"])
        for kind, number, used in (
            ("ordinary", seats.ordinary, seats.ordinary_taken),
            ("reserve", seats.reserve, seats.reserve_taken),
            ("guest", seats.guests, seats.guests_taken),
        ):
            there.add_metric([kind], number)
            taken.add_metric([kind], used)
        met = CounterMetricFamily("evilpegs_limits_met", "Times that a limit was reached by setting", labels=["limit"])
        numbers = dict(seats.met) | {name: counts.limits[name] for name in (RATE_LIMIT, PRACTICE_LIMIT)}
        for limit, number in numbers.items():
            met.add_metric([limit], number)
        ended = CounterMetricFamily(
            "evilpegs_connections_ended", "Connections that the server ended by reason", labels=["reason"]
        )
        for reason in EndReason:
            ended.add_metric([reason.value], counts.ended[reason])
        return iter((there, taken, met, ended))

    def _collect_storage(self) -> Iterator[Metric]:
        writer = self._writer
        commits = {"": writer.commits}
        yield _histogram("evilpegs_commit_seconds", "Duration of a commit to the event log", commits)
        health = writer.health
        is_failing = health.failed or health.stuck or health.obstacle is not None
        yield GaugeMetricFamily("evilpegs_storage_failing", "1 if nothing can be stored now, else 0", int(is_failing))
        faults = CounterMetricFamily("evilpegs_storage_faults", "Storage failures by error", labels=["error"])
        for error, number in sorted(self._matches.counts.faults.items()):
            faults.add_metric([error], number)
        yield faults

    def _collect_http(self) -> Iterator[Metric]:
        http = self._matches.counts.http
        yield GaugeMetricFamily("evilpegs_site_connections", "Open connections to the site", http.connections)
        refused = "Connections to the site that were closed because too many were open"
        yield CounterMetricFamily("evilpegs_site_connections_refused", refused, http.refused_connections)
        waits = "Requests that waited because the site had used its share of the time"
        yield CounterMetricFamily("evilpegs_site_waits", waits, http.waits)
        refusals = CounterMetricFamily(
            "evilpegs_http_refusals", "HTTP requests refused by port and status", labels=["port", "status"]
        )
        for (port, status), number in sorted(http.refusals.items()):
            refusals.add_metric([port, str(status)], number)
        yield refusals

    def _collect_pools(self) -> Iterator[Metric]:
        waiting = GaugeMetricFamily("evilpegs_tasks_waiting", "Tasks waiting for the worker", labels=["pool"])
        running = GaugeMetricFamily("evilpegs_tasks_running", "Tasks running in the worker", labels=["pool"])
        oldest = GaugeMetricFamily("evilpegs_oldest_task_seconds", "Age of the oldest waiting task", labels=["pool"])
        longest = GaugeMetricFamily(
            "evilpegs_oldest_running_task_seconds",
            "Age of the oldest running task, including its wait",
            labels=["pool"],
        )
        done = CounterMetricFamily("evilpegs_tasks", "Tasks finished by the worker", labels=["pool"])
        for name, pool in self._pools.items():
            state = pool.metrics()
            waiting.add_metric([name], state.waiting)
            running.add_metric([name], state.running)
            oldest.add_metric([name], state.oldest_wait)
            longest.add_metric([name], state.oldest_running)
            done.add_metric([name], state.done)
        return iter((waiting, running, oldest, longest, done))

    def _collect_tables(self) -> Metric:
        # tables with entries per player: endless growth would show a leak
        entries = GaugeMetricFamily(
            "evilpegs_table_entries", "Entries of an in-memory table about players", labels=["table"]
        )
        sizes = dict(self._table_sizes())
        sizes |= {f"charged_for_{name}": pool.metrics().charged_players for name, pool in self._pools.items()}
        for table, number in sizes.items():
            entries.add_metric([table], number)
        return entries

    def _collect_caches(self) -> Iterator[Metric]:
        used = GaugeMetricFamily("evilpegs_cache_bytes", "Bytes held by a cache", labels=["cache"])
        hits = CounterMetricFamily("evilpegs_cache_hits", "Look-ups that found a value", labels=["cache"])
        misses = CounterMetricFamily("evilpegs_cache_misses", "Look-ups that found none", labels=["cache"])
        for cache, read in self._caches.items():
            state = read()
            used.add_metric([cache], state.bytes_used)
            hits.add_metric([cache], state.hits)
            misses.add_metric([cache], state.misses)
        return iter((used, hits, misses))


def _histogram(name: str, help_text: str, durations: Mapping[str, Durations], label: str | None = None) -> Metric:
    family = HistogramMetricFamily(name, help_text, labels=[label] if label else [])
    bounds = [*map(str, BOUNDS), "+Inf"]
    for value, each in durations.items():
        buckets = list(zip(bounds, map(float, accumulate(each.counts)), strict=True))
        family.add_metric([value] if label else [], buckets, each.seconds)
    return family
