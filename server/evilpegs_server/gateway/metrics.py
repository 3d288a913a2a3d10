"""The metrics of the process that plays."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from evilpegs_game.live.cache import CacheState
from evilpegs_server.gateway.admission import Limit
from evilpegs_server.gateway.login import SessionServices
from evilpegs_server.metric_families import ProcessMetrics, collect, counter, gauge, histogram
from evilpegs_server.play.counts import NO_HELLO, PRACTICE_LIMIT, RATE_LIMIT, EndReason
from evilpegs_server.sealing import is_counted
from evilpegs_server.storage.durations import Durations
from evilpegs_server.work.pool import TaskPool

_KINDS: Final = ("bot", "human", "guest", NO_HELLO)


@dataclass(eq=False)
class GameMetrics(ProcessMetrics):
    services: SessionServices
    loop_lag: Durations
    pools: Mapping[str, TaskPool]
    caches: Callable[[], Mapping[str, CacheState]]

    def collect(self) -> Iterator[Metric]:
        registry, seats = self.services.registry, self.services.admission
        counts = registry.counts
        events = counts.events
        in_play = Counter(runner.key.ladder.id for runner in registry.open.runners)
        ladders = {name: in_play[name] for name, ladder in registry.ladders.known.items() if is_counted(ladder)}
        yield gauge("evilpegs_open_matches", "Matches in play", "ladder", ladders)
        yield CounterMetricFamily("evilpegs_matches", "Matches started", events["match_started"])
        yield CounterMetricFamily("evilpegs_games", "Games finished", events["game_over"])
        yield CounterMetricFamily("evilpegs_guesses", "Guesses answered", events["feedback"])
        kinds = {kind: counts.connections[kind] for kind in _KINDS}
        yield gauge("evilpegs_connections", "Open connections by kind of player", "kind", kinds)
        yield counter("evilpegs_refusals", "Messages refused by error code", "reason", counts.refusals)
        refused = {str(status): number for status, number in sorted(counts.http_refusals.items())}
        yield counter("evilpegs_http_refusals", "HTTP requests refused by status", "status", refused)
        there = {"ordinary": seats.ordinary_seats, "reserve": seats.reserve_seats, "guest": seats.guest_seats}
        yield gauge("evilpegs_seats", "Seats of the game port by kind", "kind", there)
        ordinary = min(seats.taken, seats.ordinary_seats)
        taken = {"ordinary": ordinary, "reserve": seats.taken - ordinary, "guest": seats.guests}
        yield gauge("evilpegs_seats_taken", "Taken seats of the game port by kind", "kind", taken)
        met = {limit.value: seats.met[limit.value] for limit in Limit}
        met |= {name: counts.limits[name] for name in (RATE_LIMIT, PRACTICE_LIMIT)}
        yield counter("evilpegs_limits_met", "Times that a limit was reached by setting", "limit", met)
        ended = {reason.value: counts.ended[reason] for reason in EndReason}
        yield counter("evilpegs_connections_ended", "Connections that the server ended by reason", "reason", ended)
        writer = self.services.writer
        commits, health = {"": writer.commits}, writer.health
        yield histogram("evilpegs_commit_seconds", "Duration of a commit to the event log", commits)
        is_failing = health.failed or health.stuck or health.obstacle is not None
        yield GaugeMetricFamily("evilpegs_storage_failing", "1 if nothing can be stored now, else 0", int(is_failing))
        yield counter("evilpegs_storage_faults", "Storage failures by error", "error", counts.faults)
        stages = counts.guess_times
        yield histogram("evilpegs_guess_stage_seconds", "Duration of a stage of a guess", stages, "stage")
        lag = {"": self.loop_lag}
        yield histogram("evilpegs_loop_lag_seconds", "Lateness of the event loop's ticks", lag)
        pools = {name: pool.metrics() for name, pool in self.pools.items()}
        yield from collect("evilpegs", "pool", pools)
        # tables with entries per player: endless growth would show a leak
        sizes = {"players": len(self.services.players), **self.services.admission.table_sizes()}
        sizes |= self.services.presence.table_sizes()
        sizes |= {f"charged_for_{pool}": each.charged_players for pool, each in pools.items()}
        yield gauge("evilpegs_table_entries", "Entries of an in-memory table about players", "table", sizes)
        yield from collect("evilpegs", "cache", self.caches())
