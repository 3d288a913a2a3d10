"""Guesses answered per second with a durable log, against a bare echo of the same frames on the same kind of loop.

    python bench/bench_server.py [--connections 100] [--seconds 5] [--parts]

Both servers run as child processes on uvloop, one after the other, twice in turn; the ratio is of the medians. Then the
latency of a guess at half the rate that was reached.

With `--parts` it measures instead what each part of the server's fast path gains: in turn, servers with all parts and
with all but one.
"""

import argparse
import asyncio
import contextlib
import dataclasses
import statistics
import subprocess
import sys
import tempfile
from functools import partial

import uvloop
from load import Load, run

from evilpegs_server.fast_path import Switch

FEEDBACK = (
    '{"at":1795255677661,"black":0,"code":"1122","game":1,"left_ms":61000,"match":"cb1a222aecc8fbda",'
    '"seq":13,"took_ms":0,"turn":1,"type":"feedback","white":1}'
)
ECHO = f"""
import asyncio, json, uvloop
from websockets.asyncio.server import serve
feedback = '{FEEDBACK}'
async def play(ws):
    await ws.recv(); await ws.send('{{"type":"welcome"}}')
    await ws.recv(); await ws.send('{{"type":"game_started","match":"cb1a222aecc8fbda","game":1}}')
    await ws.recv(); turn = '{{"type":"turn","match":"cb1a222aecc8fbda","game":1,"turn":2,"left_ms":61000}}'
    await ws.send(turn)
    async for _ in ws:
        await ws.send(feedback)
        await ws.send(turn)
async def main():
    async with serve(play, "127.0.0.1", 0, compression=None) as server:
        port = server.sockets[0].getsockname()[1]
        print(f"listening on ws://127.0.0.1:{{port}}/v1", flush=True)
        await asyncio.Future()
uvloop.run(main())
"""


@contextlib.contextmanager
def echo():
    """The bare echo server."""
    with child([sys.executable, "-c", ECHO]) as url:
        yield url


PARTS = [field.name for field in dataclasses.fields(Switch)]
SERVE = """
import sys
from evilpegs.main import main
from evilpegs_server.fast_path import without
parts, arguments = sys.argv[1].split(), sys.argv[2:]
with without(*parts):
    main(arguments)
"""


@contextlib.contextmanager
def evilpegs(*without):
    """The real server on a fresh database on disk, without some parts of its fast path."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["serve", "--no-site", "--port", "0", "--database", f"sqlite:///{folder}/bench.sqlite3"]
        with child([sys.executable, "-c", SERVE, " ".join(without), *options]) as url:
            yield url


@contextlib.contextmanager
def child(command):
    """Start a server, give its URL, and stop it."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            line = next(line for line in process.stdout if line.startswith("listening on "))
            yield line.split()[-1]
        finally:
            process.terminate()
            process.wait(15)


def rate(server, connections, seconds):
    """Answers per second in closed loop."""
    with server() as url:
        return uvloop.run(run(Load(url, connections), seconds))[0]


def latencies(connections, seconds, pause):
    """Rate and latencies with a pause before each guess."""
    with evilpegs() as url:
        return uvloop.run(run(Load(url, connections, pause), seconds))


def measure_parts(connections, seconds, rounds=3):
    """Print what each part of the fast path gains."""
    rates = {part: [] for part in ("", *PARTS)}
    for _ in range(rounds):
        for part, reached in rates.items():
            reached.append(rate(partial(evilpegs, *[part] * bool(part)), connections, seconds))
    all_parts = statistics.median(rates.pop(""))
    print(f"all parts            {all_parts:10,.0f} guesses/s")
    for part, reached in rates.items():
        without = statistics.median(reached)
        print(f"{'without ' + part:20} {without:10,.0f} guesses/s   the part gains {all_parts / without - 1:.0%}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--connections", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--parts", action="store_true", help="measure what each part of the fast path gains")
    arguments = parser.parse_args()
    if arguments.parts:
        measure_parts(arguments.connections, arguments.seconds)
        return
    echoed, answered = [], []
    for _ in range(2):
        echoed.append(rate(echo, arguments.connections, arguments.seconds))
        answered.append(rate(evilpegs, arguments.connections, arguments.seconds))
    bare, ours = statistics.median(echoed), statistics.median(answered)
    print(f"{arguments.connections} connections, closed loop")
    print(f"bare echo            {bare:10,.0f} guesses/s")
    print(f"evilpegs, durable    {ours:10,.0f} guesses/s   ratio {ours / bare:.2f}   (wanted: at least 0.30)")
    reached, times = latencies(arguments.connections, arguments.seconds, 2 * arguments.connections / ours)
    p50, p99 = times[len(times) // 2], times[int(len(times) * 0.99)]
    print(f"at {reached:,.0f} guesses/s: p50 {p50:.2f} ms, p99 {p99:.2f} ms")


if __name__ == "__main__":
    asyncio.set_event_loop_policy(None)
    main()
