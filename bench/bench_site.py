"""What requests to the site take, and what they cost the bots that play meanwhile.

100 bots play 2,000 guesses per second. In turn there are no requests, and 200 per second in open loop from a process of
their own, each for the leaderboard of the ladder that the bots play. Wanted: p99 of a leaderboard under 20 ms, and
a p99 of the bots within 1.2 of that without requests. `--path` asks for something else.
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
import time
from urllib.parse import urlsplit

import uvloop
from load import Load, run

BOTS = 100
GUESSES_PER_SECOND = 2_000
REQUESTS_PER_SECOND = 200
CONNECTIONS = 8
PATH = "/api/v1/ladders/classic/leaderboard"


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
            due = began + number / REQUESTS_PER_SECOND
            if due > end:
                break
            await asyncio.sleep(max(0, due - time.perf_counter()))
            tasks.create_task(request(idle, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n", due, latencies))


async def request(idle, text, due, latencies):
    reader, writer = await idle.get()
    writer.write(text.encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    assert head.startswith("http/1.1 200 "), head
    await reader.readexactly(int(head.split("content-length: ")[1].split("\r\n")[0]))
    latencies.append((time.perf_counter() - due) * 1000)
    idle.put_nowait((reader, writer))


def send_requests(site, path, seconds):
    """Print the latencies of the requests as JSON. This is run in a process of its own."""
    latencies = []
    uvloop.run(request_until(time.perf_counter() + seconds, site, path, latencies))
    print(json.dumps(latencies))


def percentile(values, share):
    return sorted(values)[int(len(values) * share)]


def measure(seconds, path=None):
    """Return the p99 of the bots, and the latencies of requests for ``path`` meanwhile, in milliseconds."""
    with serving() as (game, site):
        client = None
        if path is not None:
            command = (sys.executable, __file__, "--client", site, "--path", path, "--seconds", str(seconds + 1))
            client = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        _, times = uvloop.run(run(Load(game, BOTS, BOTS / GUESSES_PER_SECOND), seconds))
        latencies = json.loads(client.communicate()[0]) if client else []
    return percentile(times, 0.99), latencies


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--path", default=PATH)
    parser.add_argument("--client", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.client:
        send_requests(arguments.client, arguments.path, arguments.seconds)
        return
    alone, beside, latencies = [], [], []
    for _ in range(arguments.rounds):
        alone.append(measure(arguments.seconds)[0])
        p99, found = measure(arguments.seconds, arguments.path)
        beside.append(p99)
        latencies += found
    p50, p99 = percentile(latencies, 0.5), percentile(latencies, 0.99)
    print(f"{REQUESTS_PER_SECOND} requests/s for {arguments.path}: p50 {p50:.2f} ms, p99 {p99:.2f} ms")
    without, with_them = statistics.median(alone), statistics.median(beside)
    print(f"p99 of the bots: {without:.2f} ms alone, {with_them:.2f} ms with requests, ratio {with_them / without:.2f}")


if __name__ == "__main__":
    main()
