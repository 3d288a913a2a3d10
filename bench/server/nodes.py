"""Measure servers on one PostgreSQL database, which waits for its disk, beside one server on SQLite.

What limits a node is the thread of its event loop, so the capacity of nodes is what one second of their threads
answers, all nodes playing at once; the rate in the same run is also that of the clients and PostgreSQL, which are on
the same processors here. Then a player moves between two nodes in every turn, and each of them is killed in turn.

    python -m bench.server.nodes [--connections 100] [--seconds 5] [--rounds 2] [--moves 40] [--kills 3]
"""

import argparse
import asyncio
import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import uvloop

from bench.command import TESTS, MissingProgramError, Option, run_alone
from bench.figures import Figure
from bench.server.load import Load, run
from bench.server.processes import child, evilpegs
from bench.server.throughput import measure_speed
from bench.timing import alternating, percentiles
from evilpegs_server.storage.engines.postgres import PostgresDatabase

sys.path.insert(0, str(TESTS))

from support.postgres import PROGRAMS, Cluster
from support.servers import dial

CALM_RATE = 200
"""Guesses per second at which latencies are measured."""
WANTED_OF_SQLITE, WANTED_OF_TWO = 0.5, 1.5
WANTED_MOVE_SECONDS, WANTED_TAKEOVER_SECONDS = 0.3, 2
"""A takeover takes the lease and this."""
OPTIONS = (
    Option("connections", 100, 4),
    Option("seconds", 5.0, 0.2, "seconds of a turn of one kind of server"),
    Option("rounds", 2, 1),
    Option("moves", 40, 2),
    Option("kills", 3, 1),
    Option("lease", 5, 2, "seconds of a lease"),
)


@contextlib.contextmanager
def postgres():
    if not (list(PROGRAMS.glob("*/bin/initdb")) or shutil.which("initdb")):
        raise MissingProgramError("this needs PostgreSQL; on Debian: apt install postgresql")
    with tempfile.TemporaryDirectory(prefix="evilpegs-bench-") as folder:
        Path(folder).chmod(0o755)  # PostgreSQL runs as another user than root
        cluster = Cluster(f"{folder}/postgres", fsync="on")
        try:
            yield cluster
        finally:
            cluster.stop("immediate")


@contextlib.contextmanager
def on_sqlite():
    with evilpegs() as process:
        yield [process]


@contextlib.contextmanager
def on_postgres(cluster, lease, *names):
    """Run nodes on a new database with a lease in seconds, and yield their processes."""
    url = cluster.create()
    PostgresDatabase.upgrade(url)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        yield [stack.enter_context(node(url, name, folder, lease)) for name in names]


def node(url, name, folder, lease):
    settings = [f"XDG_DATA_HOME={folder}", f"EVILPEGS_LEASE_SECONDS={lease}"]
    command = ["serve", "--no-site", "--port", "0", "--database", url, "--node", name]
    return child(["env", *settings, sys.executable, "-m", "evilpegs", *command])


async def measure_together(processes, connections, seconds):
    """Return guesses per second, and those per second of the threads of the event loops, of all servers together."""
    share = connections // len(processes)
    runs = [measure_speed(each, share, seconds, f"load{number}x") for number, each in enumerate(processes)]
    speeds = await asyncio.gather(*runs)
    return sum(rate for rate, _, _ in speeds), sum(1e6 / loop_us for _, loop_us, _ in speeds)


def measure_rates(servers, options):
    """Print and return the medians of the results of `measure_together`, by the names of ``servers``."""
    found = {name: [] for name in servers}
    for name in alternating(list(servers), options.rounds):
        with servers[name]() as processes:
            found[name].append(uvloop.run(measure_together(processes, options.connections, options.seconds)))
    medians = {name: tuple(map(median, zip(*each, strict=True))) for name, each in found.items()}
    for name, (rate, capacity) in medians.items():
        print(f"{name:<20} {rate:8,.0f} guesses/s   capacity of the event loops {capacity:8,.0f} guesses/s")
    return medians


def measure_latencies(servers, options):
    """Print and return the latencies of a guess in ms at a rate that all can answer, p50 and p99 by name."""
    found = {}
    for name, server in servers.items():
        with server() as processes:
            load = Load(processes[0].url, options.connections, options.connections / CALM_RATE)
            _, latencies = uvloop.run(run(load, options.seconds))
        found[name] = p50, p99 = percentiles(latencies, 50, 99)
        print(f"{name:<20} at {CALM_RATE} guesses/s: p50 {p50:.2f} ms, p99 {p99:.2f} ms")
    return found


async def resume(url, token, match):
    """Return the seconds until a match has been resumed at a server."""
    async with dial(url) as raw:
        await raw.hello(token=token)
        began = time.perf_counter()
        resumed = await raw.ask("resumed", "error", type="resume", match=match, seq=0)
        assert resumed["type"] == "resumed", resumed
        return time.perf_counter() - began


async def begin(url):
    async with dial(url) as raw:
        await raw.hello()
        return raw.token, await raw.play("classic-evil")


async def measure_moves(urls, moves):
    """Return the seconds of each move of a match between two servers."""
    token, match = await begin(urls[0])
    return [await resume(urls[turn % 2], token, match) for turn in range(1, moves + 1)]


async def measure_takeover(doomed, other):
    """Return the seconds from the end of a server until a match of it has been resumed at another."""
    token, match = await begin(doomed.url)
    killed_at = time.perf_counter()
    os.kill(doomed.pid, signal.SIGKILL)
    await resume(other.url, token, match)
    return time.perf_counter() - killed_at


def measure(options: argparse.Namespace) -> list[Figure]:
    with postgres() as cluster:
        servers = {
            "SQLite": on_sqlite,
            "PostgreSQL": lambda: on_postgres(cluster, options.lease, "one"),
            "PostgreSQL, two": lambda: on_postgres(cluster, options.lease, "one", "two"),
        }
        rates = measure_rates(servers, options)
        latencies = measure_latencies(dict(list(servers.items())[:2]), options)
        with on_postgres(cluster, options.lease, "one", "two") as nodes:
            moves = uvloop.run(measure_moves([each.url for each in nodes], options.moves))
        takeovers = []
        for _ in range(options.kills):
            with on_postgres(cluster, options.lease, "one", "two") as (one, two):
                takeovers.append(uvloop.run(measure_takeover(one, two)))
    print(f"a match moves in {median(moves):.3f} s, at most {max(moves):.3f} s")
    print(f"a match of a killed node goes on after {max(takeovers):.2f} s at most, with a lease of {options.lease} s")
    (sqlite, _), (one, capacity_of_one), (_, capacity_of_two) = rates.values()
    return [
        Figure("guesses per second, PostgreSQL / SQLite", one / sqlite, "", WANTED_OF_SQLITE, "at least"),
        Figure("capacity, two nodes / one", capacity_of_two / capacity_of_one, "", WANTED_OF_TWO, "at least"),
        Figure("latency of a guess on PostgreSQL, p99", latencies["PostgreSQL"][1], "ms", 20.0),
        Figure("longest move of a match", max(moves), "s", WANTED_MOVE_SECONDS),
        Figure("longest takeover of a killed node", max(takeovers), "s", options.lease + WANTED_TAKEOVER_SECONDS),
    ]


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
