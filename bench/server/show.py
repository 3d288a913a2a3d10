"""Measure what everything that reads costs the bots that play, and how soon readers have what was played.

    python -m bench.server.show [--rate 500] [--streams 250] [--requests 100] [--seconds 10] [--rounds 3]

Bots guess in open loop. In turn they play a bare echo, a server that shows nothing, and one that is read in every way
at once: requests for a leaderboard, streams of the matches that are played, and the feed by mosquitto to a subscriber.
Readers and broker stand for other machines: they are niced. With twice as much, bots, readers, broker and server need
more than two processors, and latencies say more about the machine: see bench.server.costs.

An event has the wall time at which it was made, in milliseconds, before its commit: what is measured until a reader
has it includes the commit, and is exact to a millisecond. How late an idle process wakes up is measured too: times
near it say more about the machine than about the server. The time of the game's event loop per guess, from /proc, says
more than latencies on a machine that others use.
"""

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from statistics import median

import uvloop

from bench.command import MissingProgramError, Option, run_alone
from bench.figures import Figure
from bench.server.load import Load, run
from bench.server.processes import broker, echo, evilpegs, idle_seconds, niced
from bench.server.readers import WARM_UP_SECONDS, start_readers
from bench.timing import alternating, percentiles

PATH = "/api/v1/ladders/classic/leaderboard"
ALONE, READ = "alone", "read"
BUSY_SHARE = 0.05
"""With less of the processors idle, the machine is the limit."""
PERCENTS = (50, 90, 99)
MORE_ROUNDS = 3
"""At most, each twice as long, while a short round on a busy machine has shown nothing to some reader."""
OPTIONS = (
    Option("connections", 100, 5, "bots"),
    Option("rate", 500.0, 100.0, "guesses per second of all bots"),
    Option("streams", 250, 10, "streams of matches"),
    Option("requests", 100, 20, "requests per second"),
    Option("path", PATH, help="the path of the requests"),
    Option("seconds", 10.0, 1.5, "seconds of a round"),
    Option("rounds", 3, 1, "rounds of each kind"),
)


@dataclass
class Round:
    """Latencies of guesses in milliseconds, the microseconds of the event loop per guess, and the idle share."""

    guesses: list[float]
    loop_us: float
    idle: float


def get(site, path):
    """Return the body of an answer."""
    with urllib.request.urlopen(site.rstrip("/") + path) as response:
        return response.read().decode()


@contextlib.contextmanager
def subscriber(port, late):
    """Collect the delays of feedback events in milliseconds in ``late``, but for those of the warm-up."""
    topic = ["-t", "evilpegs/v1/+/match/+/event"]
    with tempfile.TemporaryFile() as received:
        with niced(["mosquitto_sub", "-p", str(port), "-V", "5", *topic, "-F", "%U %p"], stdout=received):
            yield
        received.seek(0)
        delays = [delay for line in received if (delay := delay_ms(line)) is not None]
        late += [delay for at, delay in delays if at - delays[0][0] >= 1000 * WARM_UP_SECONDS]


def delay_ms(line):
    """Return the time and the delay of a feedback event, given as the time of its arrival in seconds and its JSON."""
    arrived, _, payload = line.partition(b" ")
    if b'"type":"feedback"' not in payload or not line.endswith(b"}\n"):
        return None
    at = json.loads(payload)["at"]
    return at, 1000 * float(arrived) - at


async def play(server, options):
    """Play, and return what was measured while the bots' guesses counted."""
    load = Load(server.url, options.connections, options.connections / options.rate)
    playing = asyncio.create_task(run(load, options.seconds))
    await load.until(lambda: load.counting)
    before, idle, began = server.loop_seconds(), idle_seconds(), time.perf_counter()
    await load.until(lambda: not load.counting)
    used = server.loop_seconds() - before
    idle = (idle_seconds() - idle) / (time.perf_counter() - began) / os.cpu_count()
    _, latencies = await playing
    return Round(latencies, 1e6 * used / load.answered, idle)


def machine_lateness(seconds):
    """Return how late the wake-ups of an idle process are in milliseconds: what the machine adds by itself."""
    late, end = [], time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        time.sleep(0.001)
        late.append((time.perf_counter() - began - 0.001) * 1000)
    return late


class Shows:
    """Rounds on servers that are read in every way, and what their readers noticed."""

    def __init__(self, options):
        self.options = options
        self.requests, self.openings, self.streams, self.feed = [], [], [], []
        self.mebibytes, self.pauses = [], 0
        """The memory of each fresh show process, and how often their event loops stood still for 50 ms."""

    def round(self):
        """Play one round on a fresh server."""
        with (
            broker() as port,
            subscriber(port, self.feed),
            evilpegs("--mqtt", f"mqtt://127.0.0.1:{port}", site=True) as server,
            tempfile.TemporaryFile() as output,
        ):
            site = server.site()
            get(site, self.options.path)
            self.mebibytes.append(server.show_mebibytes())
            seconds = self.options.seconds + WARM_UP_SECONDS  # they begin and end with the bots
            given = self.options.streams, self.options.path, output, self.options.requests
            with start_readers(site, seconds, *given):
                done = uvloop.run(play(server, self.options))
            self.pauses += pauses(get(site, "/metrics"))
            output.seek(0)
            noticed = json.load(output)
        self.requests += noticed["requests"]
        self.openings += noticed["openings"]
        self.streams += noticed["streams"]
        return done


def pauses(metrics):
    """Return how many ticks of the show's event loop were more than 50 ms late."""
    name = "evilpegs_show_lag_seconds_bucket"
    counts = dict(line.split() for line in metrics.splitlines() if line.startswith(name))
    return round(float(counts[name + '{le="+Inf"}']) - float(counts[name + '{le="0.05"}']))


def without_readers(run_server, options):
    """Play one round on a server that nobody reads."""
    with run_server() as server:
        return uvloop.run(play(server, options))


def show(name, values):
    """Print three percentiles, and return them."""
    found = percentiles(values, *PERCENTS) if values else [float("nan")] * len(PERCENTS)
    texts = (f"p{percent} {value:.2f}" for percent, value in zip(PERCENTS, found, strict=True))
    print(f"{name:<42}{len(values):>9,}   {', '.join(texts)} ms", flush=True)
    return dict(zip(PERCENTS, found, strict=True))


def measure(options: argparse.Namespace) -> list[Figure]:
    """Play the rounds in turn."""
    if not (shutil.which("mosquitto") and shutil.which("mosquitto_sub")):
        raise MissingProgramError("this needs mosquitto; on Debian: apt install mosquitto mosquitto-clients")
    shows, late, rounds = Shows(options), [], {"echo": [], ALONE: [], READ: []}
    kinds = {
        "echo": lambda: without_readers(echo, options),
        ALONE: lambda: without_readers(evilpegs, options),
        READ: shows.round,
    }
    for kind in alternating(list(kinds), options.rounds):
        rounds[kind].append(done := kinds[kind]())
        show(f"guesses, {kind}, {done.loop_us:.0f} us of the loop each", done.guesses)
        late += machine_lateness(options.seconds / 10)
    for _ in range(MORE_ROUNDS):
        if not (shows.requests and shows.streams and shows.feed):
            shows.options = argparse.Namespace(**vars(shows.options) | {"seconds": 2 * shows.options.seconds})
            rounds[READ].append(shows.round())
    show("an idle process wakes up late by", late)
    asked = show(f"{options.requests} requests/s for {options.path}", shows.requests)
    show("request for a stream to its begin", shows.openings)
    streamed, fed = show("event to stream", shows.streams), show("event to subscriber of the feed", shows.feed)
    ratios = {
        percent: median(percentiles(each.guesses, percent)[0] for each in rounds[READ])
        / median(percentiles(each.guesses, percent)[0] for each in rounds[ALONE])
        for percent in (50, 99)
    }
    loops = {kind: median(each.loop_us for each in done) for kind, done in rounds.items()}
    print("time of the event loop per guess: " + ", ".join(f"{kind} {used:.0f} us" for kind, used in loops.items()))
    if (least := min(each.idle for each in rounds[READ])) < BUSY_SHARE:
        print(f"the machine was the limit, not the server: {least:.0%} of its processors was idle")
    return [
        Figure("bots' median, read in every way / alone", ratios[50], "", 1.1),
        Figure("bots' p99, read in every way / alone", ratios[99], "", 1.2),
        Figure("time of the event loop per guess, read / alone", loops[READ] / loops[ALONE], "", 1.1),
        Figure("event to stream, p50", streamed[50], "ms", 10.0),
        Figure("event to stream, p99", streamed[99], "ms", 50.0),
        Figure("event to subscriber of the feed, p99", fed[99], "ms", 50.0),
        Figure(f"requests for {options.path}, p50", asked[50], "ms", 3.0),
        Figure(f"requests for {options.path}, p99", asked[99], "ms", 20.0),
        Figure("pauses of the show's event loop of more than 50 ms", shows.pauses, "", 0.0),
        Figure("memory of the show process of a fresh server", median(shows.mebibytes), "MiB", 150.0),
    ]


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
