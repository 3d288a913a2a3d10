"""Measure guesses answered per second with a durable log, beside a bare echo of the same frames on the same loop.

Both servers run as child processes on uvloop and take turns; the ratio is of the medians. The processor time of the
event loop per guess, read from /proc, says more than the rate on a machine that others use, or whose few processors
also have to run the clients. Then the latency of a guess is measured at half the rate that was reached.

With `--parts` it measures instead what each part of the server's fast path saves of that processor time: servers with
all parts and with all but one take turns.

    python -m bench.server.throughput [--connections 100] [--seconds 5] [--rounds 2] [--parts]
"""

import argparse
import asyncio
import dataclasses
from functools import partial
from statistics import median

import uvloop

from bench.command import Option, run_alone
from bench.figures import Figure
from bench.server.load import Load, run
from bench.server.processes import echo, evilpegs
from bench.timing import alternating, percentiles
from evilpegs_server.fast_path import Switch

PARTS = [field.name for field in dataclasses.fields(Switch)]
WANTED_RATIO = 0.3
WANTED_SHARE = 0.35
WANTED_GAIN = 5.0
"""The least gain in percent for which a short cut is kept."""
WANTED_P99_MS = 20.0
"""The longest that anything may hold the event loop."""
OPTIONS = (
    Option("connections", 100, 4),
    Option("seconds", 5.0, 0.2, "seconds of a turn of one server"),
    Option("rounds", 2, 1),
    Option("parts", False, help="measure what each part of the fast path gains"),
)


def play(server, connections, seconds, pause=0.0):
    """Return answers per second and their latencies in milliseconds, with a mean pause before each guess."""
    with server() as process:
        return uvloop.run(run(Load(process.url, connections, pause), seconds))


async def measure_speed(process, connections, seconds):
    """Return answers per second in closed loop, and the microseconds of the event loop per answer."""
    load = Load(process.url, connections)
    playing = asyncio.create_task(run(load, seconds))
    while not load.counting:  # noqa: ASYNC110 - a load has no events
        await asyncio.sleep(0.01)
    began, answered = process.loop_seconds(), load.answered
    await asyncio.sleep(0.9 * seconds)  # ends before the clients leave
    used, answered = process.loop_seconds() - began, load.answered - answered
    rate, _ = await playing
    return rate, 1e6 * used / answered


def median_speeds(servers, options, rounds):
    """Return the medians of the results of `measure_speed` for servers, by their names."""
    speeds = {name: [] for name in servers}
    for name in alternating(list(servers), rounds):
        with servers[name]() as process:
            speeds[name].append(uvloop.run(measure_speed(process, options.connections, options.seconds)))
    return {name: tuple(map(median, zip(*each, strict=True))) for name, each in speeds.items()}


def measure_parts(options):
    """Measure what each part of the fast path saves, in a round more than usual."""
    servers = {"": evilpegs} | {part: partial(evilpegs, without=[part]) for part in PARTS}
    speeds = median_speeds(servers, options, options.rounds + 1)
    (rate, all_parts), figures = speeds.pop(""), []
    print(f"all parts            {all_parts:6.1f} us per guess, {rate:6,.0f} guesses/s")
    for part, (rate, without) in speeds.items():
        gain = 100 * (without / all_parts - 1)
        print(f"{'without ' + part:20} {without:6.1f} us per guess, {rate:6,.0f} guesses/s   {gain:.0f} % more time")
        figures.append(Figure(f"time saved by the part {part!r} of the fast path", gain, "%", WANTED_GAIN, "at least"))
    return figures


def measure_ratio(options):
    """Measure the rate of the server beside that of the echo, and latencies at half the rate."""
    speeds = median_speeds({"echo": echo, "evilpegs": evilpegs}, options, options.rounds)
    (echoed, echo_us), (rate, loop_us) = speeds["echo"], speeds["evilpegs"]
    print(f"{options.connections} connections, closed loop; time of the event loop per guess")
    print(f"bare echo            {echoed:10,.0f} guesses/s {echo_us:8.1f} us")
    ratio, share = rate / echoed, echo_us / loop_us
    print(f"evilpegs, durable    {rate:10,.0f} guesses/s {loop_us:8.1f} us   ratios {ratio:.2f} and {share:.2f}")
    pause = 2 * options.connections / rate
    reached, latencies = play(evilpegs, options.connections, options.seconds, pause)
    p50, p99 = percentiles(latencies, 50, 99)
    print(f"at {reached:,.0f} guesses/s: p50 {p50:.2f} ms, p99 {p99:.2f} ms")
    return [
        Figure("guesses per second, evilpegs / echo", ratio, "", WANTED_RATIO, "at least"),
        Figure("time of the event loop per guess, echo / evilpegs", share, "", WANTED_SHARE, "at least"),
        Figure("latency of a guess at half the rate, p99", p99, "ms", WANTED_P99_MS),
    ]


def measure(options: argparse.Namespace) -> list[Figure]:
    """Measure what the options say."""
    return measure_parts(options) if options.parts else measure_ratio(options)


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
