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
        yield from self._collect_storage()
        times = self._matches.counts.guess_times
        stages = {"reply": times.reply, "commit": times.commit, "send": times.send}
        yield _histogram("evilpegs_guess_stage_seconds", "Duration of a stage of a guess", stages, "stage")
        lag = {"": self._loop_lag}
        yield _histogram("evilpegs_loop_lag_seconds", "Lateness of the event loop's ticks", lag)
        yield from self._collect_work()

    def _collect_matches(self) -> Iterator[Metric]:
        registry = self._matches
        events = registry.counts.events
        in_play = Counter(runner.key.ladder.id for runner in registry.runners)
        ladders = {ladder: in_play[ladder] for ladder in registry.ladders}
        yield _gauge("evilpegs_open_matches", "Matches in play", "ladder", ladders)
        yield CounterMetricFamily("evilpegs_matches", "Matches started", events["match_started"])
        yield CounterMetricFamily("evilpegs_games", "Games finished", events["game_over"])
        yield CounterMetricFamily("evilpegs_guesses", "Guesses answered", events["feedback"])

    def _collect_connections(self) -> Iterator[Metric]:
        counts, seats = self._matches.counts, self._seats()
        kinds = {kind: counts.connections[kind] for kind in _KINDS}
        yield _gauge("evilpegs_connections", "Open connections by kind of player", "kind", kinds)
        yield _counter("evilpegs_refusals", "Messages refused by error code", "reason", counts.refusals)
        http = counts.http
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
        there = {"ordinary": seats.ordinary, "reserve": seats.reserve, "guest": seats.guests}
        yield _gauge("evilpegs_seats", "Seats of the game port by kind", "kind", there)
        taken = {"ordinary": seats.ordinary_taken, "reserve": seats.reserve_taken, "guest": seats.guests_taken}
        yield _gauge("evilpegs_seats_taken", "Taken seats of the game port by kind", "kind", taken)
        met = {**seats.met, **{name: counts.limits[name] for name in (RATE_LIMIT, PRACTICE_LIMIT)}}
        yield _counter("evilpegs_limits_met", "Times that a limit was reached by setting", "limit", met)
        ended = {reason.value: counts.ended[reason] for reason in EndReason}
        yield _counter("evilpegs_connections_ended", "Connections that the server ended by reason", "reason", ended)

    def _collect_storage(self) -> Iterator[Metric]:
        commits, health = {"": self._writer.commits}, self._writer.health
        yield _histogram("evilpegs_commit_seconds", "Duration of a commit to the event log", commits)
        is_failing = health.failed or health.stuck or health.obstacle is not None
        yield GaugeMetricFamily("evilpegs_storage_failing", "1 if nothing can be stored now, else 0", int(is_failing))
        yield _counter("evilpegs_storage_faults", "Storage failures by error", "error", self._matches.counts.faults)

    def _collect_work(self) -> Iterator[Metric]:
        pools = {name: pool.metrics() for name, pool in self._pools.items()}
        waiting = {pool: each.waiting for pool, each in pools.items()}
        yield _gauge("evilpegs_tasks_waiting", "Tasks waiting for the worker", "pool", waiting)
        running = {pool: each.running for pool, each in pools.items()}
        yield _gauge("evilpegs_tasks_running", "Tasks running in the worker", "pool", running)
        oldest = {pool: each.oldest_wait for pool, each in pools.items()}
        yield _gauge("evilpegs_oldest_task_seconds", "Age of the oldest waiting task", "pool", oldest)
        longest = {pool: each.oldest_running for pool, each in pools.items()}
        text = "Age of the oldest running task, including its wait"
        yield _gauge("evilpegs_oldest_running_task_seconds", text, "pool", longest)
        done = {pool: each.done for pool, each in pools.items()}
        yield _counter("evilpegs_tasks", "Tasks finished by the worker", "pool", done)
        # tables with entries per player: endless growth would show a leak
        sizes = {**self._table_sizes(), **{f"charged_for_{pool}": each.charged_players for pool, each in pools.items()}}
        yield _gauge("evilpegs_table_entries", "Entries of an in-memory table about players", "table", sizes)
        caches = {name: read() for name, read in self._caches.items()}
        used = {name: each.bytes_used for name, each in caches.items()}
        yield _gauge("evilpegs_cache_bytes", "Bytes held by a cache", "cache", used)
        hits = {name: each.hits for name, each in caches.items()}
        yield _counter("evilpegs_cache_hits", "Look-ups that found a value", "cache", hits)
        misses = {name: each.misses for name, each in caches.items()}
        yield _counter("evilpegs_cache_misses", "Look-ups that found none", "cache", misses)


def _gauge(name: str, text: str, label: str, numbers: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[label])
    for value, number in numbers.items():
        family.add_metric([value], number)
    return family


def _counter(name: str, text: str, label: str, numbers: Mapping[str, float]) -> Metric:
    family = CounterMetricFamily(name, text, labels=[label])
    for value, number in numbers.items():
        family.add_metric([value], number)
    return family


def _histogram(name: str, text: str, durations: Mapping[str, Durations], label: str | None = None) -> Metric:
    family = HistogramMetricFamily(name, text, labels=[label] if label else [])
    bounds = [*map(str, BOUNDS), "+Inf"]
    for value, each in durations.items():
        buckets = list(zip(bounds, map(float, accumulate(each.counts)), strict=True))
        family.add_metric([value] if label else [], buckets, each.seconds)
    return family
