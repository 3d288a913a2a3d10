"""Measure guesses answered per second with a durable log, beside a bare echo of the same frames on the same loop.

Both servers run as child processes on uvloop and take turns; the ratio is of the medians. The processor time of the
event loop per guess, read from /proc, says more than the rate on a machine that others use, or whose few processors
also have to run the clients. Then the latency of a guess is measured at half the rate that was reached.

    python -m bench.server.throughput [--connections 100] [--seconds 5] [--rounds 2]
"""

import argparse
import asyncio
from statistics import median

import uvloop

from bench.command import Option, run_alone
from bench.figures import Figure
from bench.server.load import Load, run
from bench.server.processes import echo, evilpegs
from bench.timing import alternating, percentiles

WANTED_RATIO = 0.3
WANTED_SHARE = 0.35
WANTED_P99_MS = 20.0
"""The longest that anything may hold the event loop."""
OPTIONS = (
    Option("connections", 100, 4),
    Option("seconds", 5.0, 0.2, "seconds of a turn of one server"),
    Option("rounds", 2, 1),
)


def play(server, connections, seconds, pause=0.0):
    """Return answers per second and their latencies in milliseconds, with a mean pause before each guess."""
    with server() as process:
        return uvloop.run(run(Load(process.url, connections, pause), seconds))


async def measure_speed(process, connections, seconds, name="load"):
    """Return answers per second in closed loop, and per answer the microseconds of the event loop.

    The last result is the memory per connection, each with an open match, in KiB.
    """
    load, idle = Load(process.url, connections, name=name), process.mebibytes()
    playing = asyncio.create_task(run(load, seconds))
    await load.until(lambda: load.counting)
    began, answered = process.loop_seconds(), load.answered
    await asyncio.sleep(0.9 * seconds)  # ends before the clients leave
    await load.until(lambda: load.answered > answered)
    kibibytes = 1024 * (process.mebibytes() - idle) / connections
    used, answered = process.loop_seconds() - began, load.answered - answered
    rate, _ = await playing
    return rate, 1e6 * used / answered, kibibytes


def median_speeds(servers, options, rounds):
    """Return the medians of the results of `measure_speed` for servers, by their names."""
    speeds = {name: [] for name in servers}
    for name in alternating(list(servers), rounds):
        with servers[name]() as process:
            speeds[name].append(uvloop.run(measure_speed(process, options.connections, options.seconds)))
    return {name: tuple(map(median, zip(*each, strict=True))) for name, each in speeds.items()}


def measure(options: argparse.Namespace) -> list[Figure]:
    """Measure the rate of the server beside that of the echo, and latencies at half the rate."""
    speeds = median_speeds({"echo": echo, "evilpegs": evilpegs}, options, options.rounds)
    (echoed, echo_us, _), (rate, loop_us, kibibytes) = speeds["echo"], speeds["evilpegs"]
    print(f"{options.connections} connections, closed loop; time of the event loop per guess")
    print(f"bare echo            {echoed:10,.0f} guesses/s {echo_us:8.1f} us")
    ratio, share = rate / echoed, echo_us / loop_us
    print(f"evilpegs, durable    {rate:10,.0f} guesses/s {loop_us:8.1f} us   ratios {ratio:.2f} and {share:.2f}")
    print(
        f"memory: {kibibytes:.0f} KiB per connection; with few connections, it is what the server needs to play at all"
    )
    pause = 2 * options.connections / rate
    reached, latencies = play(evilpegs, options.connections, options.seconds, pause)
    p50, p99 = percentiles(latencies, 50, 99)
    print(f"at {reached:,.0f} guesses/s: p50 {p50:.2f} ms, p99 {p99:.2f} ms")
    return [
        Figure("guesses per second, evilpegs / echo", ratio, "", WANTED_RATIO, "at least"),
        Figure("time of the event loop per guess, echo / evilpegs", share, "", WANTED_SHARE, "at least"),
        Figure("latency of a guess at half the rate, p99", p99, "ms", WANTED_P99_MS),
    ]


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
