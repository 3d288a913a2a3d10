"""The parts from which both processes build their metrics in the text format of Prometheus.

The processes keep plain numbers; the text is built at each request for it. Labels never name a player, a match, an
address, a token or a secret.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import accumulate
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from evilpegs_game.live.cache import CacheState
from evilpegs_server.storage.durations import BOUNDS, Durations
from evilpegs_server.work.scheduler import PoolMetrics

# some scrapers refuse the newer version 1.0.0, which differs for names that this server does not have
METRICS_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
NOT_LOCAL: Final = "metrics are for this machine only; see the setting public_metrics, which a sealed round suspends"


class ProcessMetrics(Collector):
    """The metrics of one process: those that a subclass collects, and those of Prometheus' own client."""

    def __init__(self) -> None:
        self._collectors = CollectorRegistry()
        self._collectors.register(self)
        ProcessCollector(registry=self._collectors)

    def text(self) -> bytes:
        # takes about a millisecond
        return generate_latest(self._collectors)


def _family(
    kind: type[GaugeMetricFamily | CounterMetricFamily], name: str, text: str, label: str, numbers: Mapping[str, float]
) -> Metric:
    family = kind(name, text, labels=[label])
    for value, number in numbers.items():
        family.add_metric([value], number)
    return family


gauge, counter = partial(_family, GaugeMetricFamily), partial(_family, CounterMetricFamily)


def histogram(name: str, text: str, durations: Mapping[str, Durations], label: str | None = None) -> Metric:
    family = HistogramMetricFamily(name, text, labels=[label] if label else [])
    bounds = [*map(str, BOUNDS), "+Inf"]
    for value, each in durations.items():
        buckets = list(zip(bounds, map(float, accumulate(each.counts)), strict=True))
        family.add_metric([value] if label else [], buckets, each.seconds)
    return family


def collect_pools(prefix: str, pools: Mapping[str, PoolMetrics]) -> Iterator[Metric]:
    waiting = {pool: each.waiting for pool, each in pools.items()}
    yield gauge(f"{prefix}_tasks_waiting", "Tasks waiting for the worker", "pool", waiting)
    running = {pool: each.running for pool, each in pools.items()}
    yield gauge(f"{prefix}_tasks_running", "Tasks running in the worker", "pool", running)
    oldest = {pool: each.oldest_wait for pool, each in pools.items()}
    yield gauge(f"{prefix}_oldest_task_seconds", "Age of the oldest waiting task", "pool", oldest)
    longest = {pool: each.oldest_running for pool, each in pools.items()}
    text = "Age of the oldest running task, including its wait"
    yield gauge(f"{prefix}_oldest_running_task_seconds", text, "pool", longest)
    done = {pool: each.done for pool, each in pools.items()}
    yield counter(f"{prefix}_tasks", "Tasks finished by the worker", "pool", done)


def collect_caches(prefix: str, caches: Mapping[str, CacheState]) -> Iterator[Metric]:
    used = {name: each.bytes_used for name, each in caches.items()}
    yield gauge(f"{prefix}_cache_bytes", "Bytes held by a cache", "cache", used)
    hits = {name: each.hits for name, each in caches.items()}
    yield counter(f"{prefix}_cache_hits", "Look-ups that found a value", "cache", hits)
    misses = {name: each.misses for name, each in caches.items()}
    yield counter(f"{prefix}_cache_misses", "Look-ups that found none", "cache", misses)
