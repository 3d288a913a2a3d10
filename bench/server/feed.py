"""Measure the latency of the live feed from commit to subscriber, and its cost for the bots and the server.

    python -m bench.server.feed [--connections 100] [--rate 2000] [--seconds 10] [--rounds 3]

A server, mosquitto and a subscriber run as child processes on loopback; bots guess in open loop. A feedback event has
the wall time at which it was made, in milliseconds, before its commit: what is measured includes the commit, and is
exact to a millisecond.

Rounds with and without the feed take turns, and each pair begins with the other one. mosquitto and the subscriber stand
for other machines: they are niced, and they run, idle, in the rounds without the feed too. The ratio is of the medians
of the bots' p99. On a machine that others use at the same time it says little; the processor time of the server process
per 1,000 events, from /proc, says more.
"""

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import uvloop

from bench.command import MissingProgramError, Option, run_alone
from bench.figures import Figure
from bench.server.load import Load, run
from bench.server.processes import NICENESS, evilpegs
from bench.timing import alternating, percentiles

WANTED_MS = 50.0
WANTED_RATIO = 1.2
OPTIONS = (
    Option("connections", 100, 5),
    Option("rate", 2000.0, 100.0, "guesses per second of all bots"),
    Option("seconds", 10.0, 0.3, "seconds of a round"),
    Option("rounds", 3, 1, "rounds with the feed, and as many without"),
)
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Round:
    """The figures of one round: rate, p99 in milliseconds, and processor seconds per 1,000 events and per second."""

    rate: float
    p99: float
    per_1000: float
    share: float


@contextlib.contextmanager
def niced(command, **options):
    """Run a program with a low priority."""
    process = subprocess.Popen(["nice", "-n", str(NICENESS), *command], stderr=subprocess.DEVNULL, **options)
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)


@contextlib.contextmanager
def broker():
    """Run mosquitto on a free port; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "mosquitto.conf"
        config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n")
        with niced(["mosquitto", "-c", config]):
            for _ in range(100):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            yield port


@contextlib.contextmanager
def subscriber(port, late):
    """Collect the delays of feedback events in milliseconds in ``late``."""
    topic = ["-t", "evilpegs/v1/+/match/+/event"]
    with tempfile.TemporaryFile() as received:
        with niced(["mosquitto_sub", "-p", str(port), "-V", "5", *topic, "-F", "%U %p"], stdout=received):
            yield
        received.seek(0)
        late += [delay for line in received if (delay := delay_ms(line)) is not None]


def delay_ms(line):
    """Return the delay of a feedback event, given as the time of its arrival in seconds and its JSON."""
    arrived, _, payload = line.partition(b" ")
    if b'"type":"feedback"' not in payload or not line.endswith(b"}\n"):
        return None
    return 1000 * float(arrived) - json.loads(payload)["at"]


def processor_seconds(pid):
    """Return the processor time that a process, with all its threads, has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def play(url, pid, arguments):
    """Play, and return what was measured while the bots' guesses counted."""
    load = Load(url, arguments.connections, arguments.connections / arguments.rate)
    playing = asyncio.create_task(run(load, arguments.seconds))
    while not load.counting:  # noqa: ASYNC110 - a load has no events
        await asyncio.sleep(0.01)
    began, before = time.perf_counter(), processor_seconds(pid)
    while load.counting:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    used, seconds = processor_seconds(pid) - before, time.perf_counter() - began
    rate, latencies = await playing
    return Round(rate, percentiles(latencies, 99)[0], used / load.answered * 1000, used / seconds)


def one_round(arguments, late, fed):
    """Play one round, with the feed if ``fed``. The broker and its subscriber run in any case."""
    with broker() as port, subscriber(port, late):
        options = ("--mqtt", f"mqtt://127.0.0.1:{port}") if fed else ()
        with evilpegs(*options) as server:
            return uvloop.run(play(server.url, server.pid, arguments))


def show(fed, done):
    """Print the figures of a round."""
    print(
        f"{'with' if fed else 'without'} feed: {done.rate:,.0f} guesses/s, p99 {done.p99:.2f} ms, "
        f"server {done.share:.2f} cores, {1000 * done.per_1000:.0f} ms per 1,000 guesses",
        flush=True,
    )


def measure(options: argparse.Namespace) -> list[Figure]:
    """Play rounds with and without the feed in turn."""
    if not (shutil.which("mosquitto") and shutil.which("mosquitto_sub")):
        raise MissingProgramError("this needs mosquitto; on Debian: apt install mosquitto mosquitto-clients")
    late, rounds = [], {False: [], True: []}
    for fed in alternating((False, True), options.rounds):
        rounds[fed].append(one_round(options, late, fed))
        show(fed, rounds[fed][-1])
    p50, p99 = percentiles(late, 50, 99)
    print(f"event to subscriber: {len(late):,} events, p50 {p50:.1f} ms, p99 {p99:.1f} ms")
    bare, fed = (median(1000 * each.per_1000 for each in rounds[fed]) for fed in (False, True))
    print(f"server process per 1,000 guesses: {bare:.0f} ms without the feed, {fed:.0f} ms with it")
    without, with_feed = (median(each.p99 for each in rounds[fed]) for fed in (False, True))
    return [
        Figure("feed, event to subscriber, p99", p99, "ms", WANTED_MS),
        Figure("bots' p99, with the feed / without", with_feed / without, "", WANTED_RATIO),
    ]


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
