"""Measure the time of requests to the site, and their cost for the bots that play meanwhile.

100 bots play 2,000 guesses per second. In turn there are no requests, and 200 per second in open loop, each for the
leaderboard of the ladder that the bots play. They accept gzip, as browsers do, and come from a process that stands for
other machines and is niced. Wanted: p99 of a leaderboard under 20 ms, and a p99 of the bots within 1.2 of that without
requests. `--path` asks for something else. How late an idle process wakes up is measured in the same run: percentiles
near it say more about the machine than about the server.

With `--stalls` it measures instead how late the ticks of the event loop are while a few bots play, and requests
for one path after the other arrive, among them the record of a match of 240 guesses. A tick comes every 20 ms and sees
the stalls between it and the tick before. Wanted: none over 20 ms that are not there without requests too. Other
programs on the machine delay ticks as well, so each path takes turns with no requests.

    python -m bench.server.site [--seconds 8] [--rounds 3] [--path /metrics] [--stalls]
"""

import argparse
import asyncio
import contextlib
import json
import re
import threading
import time
import urllib.request
from statistics import median

import uvloop

from bench.command import Option, run_alone
from bench.figures import Figure
from bench.server.load import Load, Player, run
from bench.server.processes import evilpegs
from bench.server.site_requests import REQUESTS_PER_SECOND, start_requests
from bench.timing import alternating, percentiles

BOTS = 100
GUESSES_PER_SECOND = 2_000
PATH = "/api/v1/ladders/classic/leaderboard"
QUIET_BOTS, QUIET_GUESSES = 20, 200
LONG_LADDER, LONG_GUESS = "huge", "11112222"
WANTED_MS, WANTED_RATIO = 20.0, 1.2
WANTED_STALL = 0.02
PERCENTS = (50, 90, 99)
OPTIONS = (
    Option("seconds", 8.0, 0.5, "seconds of each time with or without requests"),
    Option("rounds", 3, 1),
    Option("path", PATH, help="the path of the requests"),
    Option("stalls", False, help="measure stalls of the event loop instead"),
)


def get(site, path):
    """Return the body of an answer."""
    with urllib.request.urlopen(site.rstrip("/") + path) as response:
        return response.read().decode()


def play(game, name, seconds):
    """Return the latencies of bots that play for some time."""
    return uvloop.run(run(Load(game, BOTS, BOTS / GUESSES_PER_SECOND, name), seconds))[1]


def one_round(seconds, path):
    """Return latencies in milliseconds: bots alone, bots beside requests for ``path``, the first request, and the rest.

    All are measured on the same server, because servers differ by more than requests cost. The bots are alone first:
    once somebody has read a leaderboard, the server counts games for another minute. The first request waits until the
    games before it are counted, so it is no measure of the others.
    """
    with evilpegs(site=True) as server:
        alone = play(server.url, "alone", seconds)
        site = server.site()
        began = time.perf_counter()
        get(site, path)
        first = (time.perf_counter() - began) * 1000
        with start_requests(site, path, seconds + 1) as client:
            beside = play(server.url, "beside", seconds)
            latencies = json.loads(client.communicate()[0])
    return alone, beside, first, latencies


def machine_lateness(seconds=2.0):
    """Return how late the wake-ups of an idle process are in milliseconds: what the machine adds by itself."""
    late, end = [], time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        time.sleep(0.001)
        late.append((time.perf_counter() - began - 0.001) * 1000)
    return late


def describe(values):
    """Return three percentiles as text."""
    shown = zip(PERCENTS, percentiles(values, *PERCENTS), strict=True)
    return ", ".join(f"p{percent} {value:.2f}" for percent, value in shown) + " ms"


def measure_requests(options):
    """Measure requests beside bots."""
    alone, beside, firsts, latencies, late = [], [], [], [], []
    for _ in range(options.rounds):
        without, with_them, first, requested = one_round(options.seconds, options.path)
        alone.append(percentiles(without, *PERCENTS))
        beside.append(percentiles(with_them, *PERCENTS))
        firsts.append(first)
        latencies += requested
        late += machine_lateness()
    print(f"an idle process wakes late by {describe(late)}: the noise of this machine")
    print(f"the first request after {options.seconds:g} seconds without one: {median(firsts):.0f} ms")
    print(f"{REQUESTS_PER_SECOND} requests/s for {options.path}: {describe(latencies)}")
    ratios = []
    for percent, *runs in zip(PERCENTS, zip(*alone, strict=True), zip(*beside, strict=True), strict=True):
        without, with_them = map(median, runs)
        ratios.append(with_them / without)
        times = f"{without:.2f} ms alone, {with_them:.2f} ms with requests"
        print(f"p{percent} of the bots: {times}, ratio {ratios[-1]:.2f}")
    return [
        Figure(f"requests for {options.path}, p99", percentiles(latencies, 99)[0], "ms", WANTED_MS),
        Figure("bots' p99, with requests / alone", ratios[-1], "", WANTED_RATIO),
    ]


class LongPlayer(Player):
    """A player who uses up every guess of a ladder with many."""

    def code(self):
        return LONG_GUESS


def late_ticks(game):
    """Return the number of ticks up to each bound of lateness in seconds."""
    name = "evilpegs_loop_lag_seconds_bucket"
    lines = [line for line in get(game, "/metrics").splitlines() if line.startswith(name)]
    return {float(line.split('"')[1]): float(line.split()[-1]) for line in lines}


def stalls(site, game, path, seconds):
    """Return the bound of the latest tick in seconds, and the ticks over 20 ms, while requests for ``path`` arrive."""
    before = late_ticks(game)
    if path is None:
        time.sleep(seconds)
    else:
        with start_requests(site, path, seconds, niceness=0) as client:
            client.communicate()
        assert client.returncode == 0
    grown = {bound: count - before[bound] for bound, count in late_ticks(game).items()}
    longest = min(bound for bound, count in grown.items() if count == grown[float("inf")])
    return longest, grown[float("inf")] - grown[WANTED_STALL]


async def play_quietly(game, stop):
    """Let a few bots play until ``stop`` is set, so that leaderboards change."""
    load = Load(game, QUIET_BOTS, QUIET_BOTS / QUIET_GUESSES)
    playing = asyncio.create_task(run(load, 1e6))
    await asyncio.to_thread(stop.wait)
    playing.cancel()


@contextlib.contextmanager
def quiet_bots(game):
    """Let a few bots play in a thread within the block."""
    stop = threading.Event()
    playing = threading.Thread(target=lambda: asyncio.run(play_quietly(game, stop)))
    playing.start()
    try:
        yield
    finally:
        stop.set()
        playing.join()


def stalls_in_turn(site, game, path, options):
    """Print the longest stall without and with requests for a path; return the figure of stalls over 20 ms."""
    results = {None: [], path: []}
    for asked in alternating((None, path), options.rounds):
        results[asked].append(stalls(site, game, asked, options.seconds))
    for asked, measured in results.items():
        longest, late = max(each[0] for each in measured), sum(each[1] for each in measured)
        shown = f"{REQUESTS_PER_SECOND} requests/s for {asked}" if asked else "no requests"
        print(f"{shown}: longest stall under {1000 * longest:g} ms, {late:.0f} over 20 ms", flush=True)
    without, with_them = (sum(each[1] for each in results[asked]) for asked in (None, path))
    name = re.sub("[0-9a-f]{16}", "ID", path)
    return Figure(f"stalls over 20 ms by requests for {name}", with_them - without, "", 0.0)


def measure_stalls(options):
    """Measure the stalls of the event loop for each path."""
    with evilpegs(site=True) as server:
        site, game = server.site(), server.url.replace("ws://", "http://").removesuffix("v1")
        uvloop.run(run(Load(server.url, 2, name="long", ladder=LONG_LADDER), 5, player=LongPlayer))
        played = json.loads(get(site, f"/api/v1/matches?ladder={LONG_LADDER}"))["matches"]
        record = f"/api/v1/matches/{next(each['match'] for each in played if each['over'])}"
        print(f"the long record has {len(get(site, f'{record}/record')):,} bytes")
        paths = [PATH, "/api/v1/matches?limit=100", record, f"{record}/record", "/api/v1/players/load0000", "/metrics"]
        with quiet_bots(server.url):
            return [stalls_in_turn(site, game, path, options) for path in paths]


def measure(options: argparse.Namespace) -> list[Figure]:
    """Measure what the options say."""
    return measure_stalls(options) if options.stalls else measure_requests(options)


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
