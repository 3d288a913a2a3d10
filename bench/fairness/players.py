"""Measure the delay for players of a small game beside a crowd on a large one.

A server runs in a process of its own. Players of `classic`, who pause between guesses, are in this process, and the
crowd is in a third one, each playing one new worst-case game after another as fast as it is answered. Quiet and crowded
times take turns. Wanted: the p99 of the classic players stays within twice its quiet value.

    python -m bench.fairness.players [--ladder ID] [--colors N] [--connections 200] [--seconds 10] [--rounds 3]
"""

import argparse
from statistics import median

import uvloop

from bench.command import Option, run_alone
from bench.fairness.crowd import running_crowd
from bench.figures import Figure
from bench.server.load import Load, run
from bench.server.processes import evilpegs
from bench.timing import percentiles
from evilpegs_game.rules import MAX_COLORS

PLAYERS, PAUSE = 40, 0.1
WANTED_RATIO = 2.0
OPTIONS = (
    Option("ladder", "monster-evil", "huge-evil", "the ladder of the crowd"),
    Option("colors", MAX_COLORS, help="colors of a guess; with 2, ten times as many replies, each cheap"),
    Option("connections", 200, 5, "the size of the crowd"),
    Option("seconds", 10.0, 0.5, "seconds of a quiet or crowded time"),
    Option("rounds", 3, 1),
)


def classic(url, seconds, name):
    """Return the latencies of the classic players in milliseconds."""
    return uvloop.run(run(Load(url, PLAYERS, PAUSE, name), seconds))[1]


def show(label, took, replies=0):
    """Print a row of the table, and return the p99."""
    p50, p99, most = percentiles(took, 50, 99, 100)
    print(f"{label:<12}{len(took):>10}{p50:>9.2f}{p99:>9.2f}{most:>9.2f}{replies:>12,.0f}", flush=True)
    return p99


def compare(options):
    """Return the median p99 in quiet and in crowded times."""
    quiet, crowded, seconds = [], [], options.seconds
    with evilpegs() as server:
        for number in range(options.rounds):
            quiet.append(show("quiet", classic(server.url, seconds, f"quiet{number}-")))
            with running_crowd(server.url, options, f"crowd{number}-", seconds + 30) as answered:
                took = classic(server.url, seconds, f"beside{number}-")
            crowded.append(show("crowded", took, answered[0] / seconds))
    return median(quiet), median(crowded)


def measure(options: argparse.Namespace) -> list[Figure]:
    """Compare quiet with crowded times."""
    print(
        f"{PLAYERS} players on classic, {options.connections} connections on {options.ladder}; milliseconds per answer"
    )
    print(f"{'':<12}{'guesses':>10}{'p50':>9}{'p99':>9}{'worst':>9}{'crowd/s':>12}")
    quiet, crowded = compare(options)
    print(f"p99 {quiet:.2f} ms quiet, {crowded:.2f} ms crowded")
    return [Figure(f"classic players' p99, crowd on {options.ladder} / quiet", crowded / quiet, "", WANTED_RATIO)]


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
