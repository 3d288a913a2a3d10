"""Measure guesses answered per second with a durable log, beside a bare echo of the same frames on the same loop.

Both servers run as child processes on uvloop and take turns; the ratio is of the medians. Then the latency of a guess
is measured at half the rate that was reached.

With `--parts` it measures instead what each part of the server's fast path gains: servers with all parts and with all
but one take turns.

    python -m bench.server.throughput [--connections 100] [--seconds 5] [--rounds 2] [--parts]
"""

import argparse
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


def median_rates(servers, options, rounds):
    """Return the median answers per second in closed loop of servers by their names."""
    rates = {name: [] for name in servers}
    for name in alternating(list(servers), rounds):
        rates[name].append(play(servers[name], options.connections, options.seconds)[0])
    return {name: median(reached) for name, reached in rates.items()}


def measure_parts(options):
    """Measure what each part of the fast path gains, in a round more than usual."""
    servers = {"": evilpegs} | {part: partial(evilpegs, without=[part]) for part in PARTS}
    rates = median_rates(servers, options, options.rounds + 1)
    all_parts, figures = rates.pop(""), []
    print(f"all parts            {all_parts:10,.0f} guesses/s")
    for part, without in rates.items():
        gain = 100 * (all_parts / without - 1)
        print(f"{'without ' + part:20} {without:10,.0f} guesses/s   the part gains {gain:.0f} %")
        figures.append(Figure(f"gain by the part {part!r} of the fast path", gain, "%", 0.0, "at least"))
    return figures


def measure_ratio(options):
    """Measure the rate of the server beside that of the echo, and latencies at half the rate."""
    rates = median_rates({"echo": echo, "evilpegs": evilpegs}, options, options.rounds)
    ratio = rates["evilpegs"] / rates["echo"]
    print(f"{options.connections} connections, closed loop")
    print(f"bare echo            {rates['echo']:10,.0f} guesses/s")
    print(f"evilpegs, durable    {rates['evilpegs']:10,.0f} guesses/s   ratio {ratio:.2f}")
    pause = 2 * options.connections / rates["evilpegs"]
    reached, latencies = play(evilpegs, options.connections, options.seconds, pause)
    p50, p99 = percentiles(latencies, 50, 99)
    print(f"at {reached:,.0f} guesses/s: p50 {p50:.2f} ms, p99 {p99:.2f} ms")
    return [
        Figure("guesses per second, evilpegs / echo", ratio, "", WANTED_RATIO, "at least"),
        Figure("latency of a guess at half the rate, p99", p99, "ms", WANTED_P99_MS),
    ]


def measure(options: argparse.Namespace) -> list[Figure]:
    """Measure what the options say."""
    return measure_parts(options) if options.parts else measure_ratio(options)


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
