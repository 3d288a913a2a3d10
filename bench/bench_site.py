"""The time of requests to the site, and their cost for the bots that play meanwhile.

100 bots play 2,000 guesses per second. In turn there are no requests, and 200 per second in open loop, each for the
leaderboard of the ladder that the bots play. They come from a process that stands for other machines and is niced.
Wanted: p99 of a leaderboard under 20 ms, and a p99 of the bots within 1.2 of that without requests. `--path` asks for
something else. How late an idle process wakes up is measured in the same run: percentiles near it say more about the
machine than about the server.

With `--stalls` it measures instead how late the ticks of the event loop are while a few bots play, and requests
for one path after the other arrive, among them the record of a match of 240 guesses. A tick comes every 20 ms and sees
the stalls between it and the tick before. Wanted: none over 20 ms that are not there without requests too. Other
programs on the machine delay ticks as well, so each path takes turns with no requests.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from urllib.parse import urlsplit

import uvloop
from load import Load, Player, run

BOTS = 100
GUESSES_PER_SECOND = 2_000
REQUESTS_PER_SECOND = 200
CONNECTIONS = 8
NICENESS = 15
"""The nice value of the requests, which stand for other machines."""
PATH = "/api/v1/ladders/classic/leaderboard"
QUIET_BOTS, QUIET_GUESSES = 20, 200
LONG_LADDER, LONG_GUESS = "huge", "11112222"
WANTED_STALL = 0.02


@contextlib.contextmanager
def serving():
    """Start a server on a fresh database; give the URLs of the game and of the site."""
    with tempfile.TemporaryDirectory() as folder:
        options = ("--port", "0", "--site-port", "0", "--database", f"sqlite:///{folder}/bench.sqlite3")
        command = (sys.executable, "-m", "evilpegs", "serve", *options)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            try:
                game = next(line for line in process.stdout if line.startswith("listening on ")).split()[-1]
                yield game, next(process.stdout).split()[-1]
            finally:
                process.terminate()
                process.wait(15)


async def request_until(end, site, path, latencies):
    """Send requests in open loop until ``end``; a request that has to wait for a connection is late."""
    address = urlsplit(site)
    idle = asyncio.Queue()
    for _ in range(CONNECTIONS):
        idle.put_nowait(await asyncio.open_connection(address.hostname, address.port))
    async with asyncio.TaskGroup() as tasks:
        began = time.perf_counter()
        for number in itertools.count():
            planned = began + number / REQUESTS_PER_SECOND
            if planned > end:
                break
            await asyncio.sleep(max(0, planned - time.perf_counter()))
            tasks.create_task(request(idle, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n", planned, latencies))


async def request(idle, text, planned, latencies):
    reader, writer = await idle.get()
    writer.write(text.encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    assert head.startswith("http/1.1 200 "), head
    await reader.readexactly(int(head.split("content-length: ")[1].split("\r\n")[0]))
    latencies.append((time.perf_counter() - planned) * 1000)
    idle.put_nowait((reader, writer))


def send_requests(site, path, seconds):
    """Print the latencies of the requests as JSON. This is run in a process of its own."""
    latencies = []
    uvloop.run(request_until(time.perf_counter() + seconds, site, path, latencies))
    print(json.dumps(latencies))


def percentile(values, share):
    return sorted(values)[int(len(values) * share)]


def measure(seconds, path):
    """Return the latencies in milliseconds of bots alone, of bots beside requests for ``path``, and of the requests.

    Both are measured on the same server, because servers differ by more than requests cost. The bots are alone first:
    once somebody has read a leaderboard, the server counts games for another minute.
    """
    with serving() as (game, site):
        alone = play(game, "alone", seconds)
        asking = (sys.executable, __file__, "--client", site, "--path", path, "--seconds", str(seconds + 1))
        with subprocess.Popen(("nice", "-n", str(NICENESS), *asking), stdout=subprocess.PIPE, text=True) as client:
            beside = play(game, "beside", seconds)
            latencies = json.loads(client.communicate()[0])
    return alone, beside, latencies


def play(game, name, seconds):
    """Return the latencies of bots that play for some time."""
    return uvloop.run(run(Load(game, BOTS, BOTS / GUESSES_PER_SECOND, name), seconds))[1]


def machine_lateness(seconds=2.0):
    """Return how late the wake-ups of an idle process are in milliseconds: what the machine adds by itself."""
    late, end = [], time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        time.sleep(0.001)
        late.append((time.perf_counter() - began - 0.001) * 1000)
    return late


def describe(values):
    """Return three percentiles as text."""
    return ", ".join(f"p{share * 100:.0f} {percentile(values, share):.2f}" for share in (0.5, 0.9, 0.99)) + " ms"


class LongPlayer(Player):
    """A player who uses up every guess of a ladder with many."""

    def code(self):
        return LONG_GUESS


def get(site, path):
    """Return the body of an answer."""
    with urllib.request.urlopen(site.rstrip("/") + path) as response:
        return response.read().decode()


def late_ticks(site):
    """Return the number of ticks up to each bound of lateness in seconds."""
    name = "evilpegs_loop_lag_seconds_bucket"
    lines = [line for line in get(site, "/metrics").splitlines() if line.startswith(name)]
    return {float(line.split('"')[1]): float(line.split()[-1]) for line in lines}


def stalls(site, path, seconds):
    """Return the bound of the latest tick in seconds, and the ticks over 20 ms, while requests for ``path`` arrive."""
    before = late_ticks(site)
    if path is None:
        time.sleep(seconds)
    else:
        command = (sys.executable, __file__, "--client", site, "--path", path, "--seconds", str(seconds))
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    grown = {bound: count - before[bound] for bound, count in late_ticks(site).items()}
    longest = min(bound for bound, count in grown.items() if count == grown[float("inf")])
    return longest, grown[float("inf")] - grown[WANTED_STALL]


async def play_quietly(game, stop):
    """Let a few bots play until ``stop`` is set, so that leaderboards change."""
    load = Load(game, QUIET_BOTS, QUIET_BOTS / QUIET_GUESSES)
    playing = asyncio.create_task(run(load, 1e6))
    await asyncio.to_thread(stop.wait)
    playing.cancel()


def play_long_match(game):
    """Play at least one long match to its end."""
    uvloop.run(run(Load(game, 2, name="long", ladder=LONG_LADDER), 5, player=LongPlayer))


def measure_stalls(seconds, rounds):
    """Print the longest stall of the event loop for each path."""
    with serving() as (game, site):
        play_long_match(game)
        match = json.loads(get(site, f"/api/v1/matches?ladder={LONG_LADDER}&limit=1"))["matches"][0]["match"]
        size = len(get(site, f"/api/v1/matches/{match}/record"))
        print(f"the long record has {size:,} bytes")
        record = f"/api/v1/matches/{match}"
        paths = [PATH, "/api/v1/matches?limit=100", record, f"{record}/record", "/api/v1/players/load0000", "/metrics"]
        stop = threading.Event()
        playing = threading.Thread(target=lambda: asyncio.run(play_quietly(game, stop)))
        playing.start()
        try:
            for path in paths:
                for asked in (None, path):
                    results = [stalls(site, asked, seconds) for _ in range(rounds)]
                    longest, late = max(each[0] for each in results), sum(each[1] for each in results)
                    shown = f"{REQUESTS_PER_SECOND} requests/s for {asked}" if asked else "no requests"
                    print(f"{shown}: longest stall under {1000 * longest:g} ms, {late:.0f} over 20 ms", flush=True)
        finally:
            stop.set()
            playing.join()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--path", default=PATH)
    parser.add_argument("--stalls", action="store_true", help="measure stalls of the event loop instead")
    parser.add_argument("--client", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.client:
        send_requests(arguments.client, arguments.path, arguments.seconds)
        return
    if arguments.stalls:
        measure_stalls(arguments.seconds, arguments.rounds)
        return
    alone, beside, latencies, late = [], [], [], []
    for _ in range(arguments.rounds):
        first, second, requested = measure(arguments.seconds, arguments.path)
        alone.append(first)
        beside.append(second)
        latencies += requested
        late += machine_lateness()
    print(f"an idle process wakes late by {describe(late)}: the noise of this machine")
    print(f"{REQUESTS_PER_SECOND} requests/s for {arguments.path}: {describe(latencies)} (wanted: p99 under 20)")
    for share in (0.5, 0.9, 0.99):
        without, with_them = (statistics.median(percentile(each, share) for each in runs) for runs in (alone, beside))
        times = f"{without:.2f} ms alone, {with_them:.2f} ms with requests"
        print(f"p{share * 100:.0f} of the bots: {times}, ratio {with_them / without:.2f}")


if __name__ == "__main__":
    main()
