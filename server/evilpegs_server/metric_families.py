"""The parts from which both processes build their metrics in the text format of Prometheus.

The processes keep plain numbers; the text is built at each request for it. Labels never name a player, a match, an
address, a token or a secret.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property, partial
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

    @cached_property
    def _collectors(self) -> CollectorRegistry:
        collectors = CollectorRegistry()
        collectors.register(self)
        ProcessCollector(registry=collectors)
        return collectors

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


_FIGURES: Final = {
    "pool": (
        (gauge, "tasks_waiting", "Tasks waiting for the worker", "waiting"),
        (gauge, "tasks_running", "Tasks running in the worker", "running"),
        (gauge, "oldest_task_seconds", "Age of the oldest waiting task", "oldest_wait"),
        (gauge, "oldest_running_task_seconds", "Age of the oldest running task, including its wait", "oldest_running"),
        (counter, "tasks", "Tasks finished by the worker", "done"),
    ),
    "cache": (
        (gauge, "cache_bytes", "Bytes held by a cache", "bytes_used"),
        (counter, "cache_hits", "Look-ups that found a value", "hits"),
        (counter, "cache_misses", "Look-ups that found none", "misses"),
    ),
}


def collect(prefix: str, label: str, parts: Mapping[str, PoolMetrics] | Mapping[str, CacheState]) -> Iterator[Metric]:
    """Yield the metrics of all pools, for the label ``pool``, or of all caches, for ``cache``."""
    for family, name, text, figure in _FIGURES[label]:
        yield family(f"{prefix}_{name}", text, label, {part: getattr(each, figure) for part, each in parts.items()})
