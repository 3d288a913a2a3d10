"""Latency of the live feed from commit to subscriber, and what the feed costs the bots.

    python bench/bench_feed.py [--connections 100] [--rate 2000] [--seconds 10] [--rounds 3]

A server, mosquitto and a subscriber run as child processes on loopback; bots guess in open loop. A feedback event has
the wall time at which it was made, in milliseconds, before its commit: what is measured includes the commit, and is
exact to a millisecond. Rounds with and without the feed take turns; the ratio is of the medians of the bots' p99.
"""

import argparse
import asyncio
import contextlib
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import uvloop
from bench_server import child
from load import Load, run

WANTED_MS = 50
WANTED_RATIO = 1.2


@contextlib.contextmanager
def broker():
    """Run mosquitto on a free port; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "mosquitto.conf"
        config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n")
        process = subprocess.Popen(["mosquitto", "-c", config], stderr=subprocess.DEVNULL)
        try:
            for _ in range(100):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            yield port
        finally:
            process.terminate()
            process.wait(10)


@contextlib.contextmanager
def evilpegs(port=None):
    """Run a server on a new database, with a feed to the broker on ``port`` if one is given."""
    feed = [] if port is None else ["--mqtt", f"mqtt://127.0.0.1:{port}"]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "evilpegs", "serve", "--no-site", "--port", "0", *feed]
        with child([*command, "--database", f"sqlite:///{folder}/bench.sqlite3"]) as url:
            yield url


@contextlib.contextmanager
def subscriber(port, late):
    """Collect the delays of feedback events in milliseconds in ``late``."""
    topic = ["-t", "evilpegs/v1/+/match/+/event"]
    with tempfile.TemporaryFile() as received:
        command = ["mosquitto_sub", "-p", str(port), "-V", "5", *topic, "-F", "%U %p"]
        process = subprocess.Popen(command, stdout=received)
        try:
            yield
        finally:
            process.terminate()
            process.wait(10)
        received.seek(0)
        late += [delay for line in received if (delay := delay_ms(line)) is not None]


def delay_ms(line):
    """Return the delay of a feedback event, given as the time of its arrival in seconds and its JSON."""
    arrived, _, payload = line.partition(b" ")
    if b'"type":"feedback"' not in payload or not line.endswith(b"}\n"):
        return None
    return 1000 * float(arrived) - json.loads(payload)["at"]


def play(url, arguments):
    """Return the guesses per second and the sorted latencies of the bots."""
    load = Load(url, arguments.connections, arguments.connections / arguments.rate)
    return uvloop.run(run(load, arguments.seconds))


def with_feed(arguments, late):
    """Play with a feed and a subscriber."""
    with broker() as port, evilpegs(port) as url, subscriber(port, late):
        return play(url, arguments)


def without_feed(arguments):
    """Play without a feed."""
    with evilpegs() as url:
        return play(url, arguments)


def percentile(values, share):
    """Return the value below which this share lies."""
    return sorted(values)[int(len(values) * share)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--connections", type=int, default=100)
    parser.add_argument("--rate", type=float, default=2000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    late, bare, fed = [], [], []
    for _ in range(arguments.rounds):
        for times, (rate, latencies) in ((bare, without_feed(arguments)), (fed, with_feed(arguments, late))):
            times.append(percentile(latencies, 0.99))
            print(f"{'with' if times is fed else 'without'} feed: {rate:,.0f} guesses/s, p99 {times[-1]:.2f} ms")
    ratio = statistics.median(fed) / statistics.median(bare)
    print(
        f"event to subscriber: {len(late):,} events, p50 {percentile(late, 0.5):.1f} ms, "
        f"p99 {percentile(late, 0.99):.1f} ms (wanted: at most {WANTED_MS})"
    )
    print(f"bots' p99 with the feed / without: {ratio:.2f} (wanted: at most {WANTED_RATIO})")


if __name__ == "__main__":
    asyncio.set_event_loop_policy(None)
    main()
