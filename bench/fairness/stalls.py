"""Measure the processor time between two ticks of the event loop beside two replies of the largest offered size.

Wanted: more than 20 ms before at most one tick in a thousand. As a control, the same work on the loop itself must be
noticed.

    python -m bench.fairness.stalls [--rounds 60]
"""

import argparse
import os
import sys
import time

import numpy as np
import uvloop

from bench.command import TESTS, Option, run_alone
from bench.figures import Figure
from evilpegs_server.work.interpreter import tune_gc_and_gil

sys.path.append(str(TESTS))
from support.stalls import STALL_MS, TOGETHER, Replies, largest_ladder, reply_pool, used_beside, used_within
from support.workspaces import Call

WANTED_SHARE = 0.001
OPTIONS = (Option("rounds", 60, 1),)


def show(label, late):
    """Print a row of the table, and return the share of the ticks before which the process used too much."""
    late = np.array(late)
    p50, p99, p999 = np.percentile(late, [50, 99, 99.9])
    stalls = int((late > STALL_MS).sum())
    print(f"{label:<28}{late.size:>8}{p50:>8.2f}{p99:>8.2f}{p999:>8.2f}{late.max():>9.2f}{stalls:>8}", flush=True)
    return stalls / late.size


async def lateness_in_turn(rounds):
    """Return the shares of such ticks beside two replies in the pool, and with the same two on the loop."""
    replies, quiet, beside, within = Replies(largest_ladder()), [], [], []
    print(
        f"event loop on {replies.ladder.rules}, two replies at a time, {rounds} rounds; milliseconds used between ticks"
    )
    print(f"{'':<28}{'ticks':>8}{'p50':>8}{'p99':>8}{'p99.9':>8}{'worst':>9}{'> 20':>8}")
    async with reply_pool() as pool:
        for _ in range(rounds):
            works = [replies.prepare() for _ in range(TOGETHER)]
            quiet += await used_beside(pool, replies.ladder, [Call(time.sleep, 0.1)])
            beside += await used_beside(pool, replies.ladder, works)
        for _ in range(max(1, rounds // 10)):
            within += await used_within([replies.prepare() for _ in range(TOGETHER)])
    show("quiet", quiet)
    return show("beside the loop", beside), show("on the loop (control)", within)


def measure(options: argparse.Namespace) -> list[Figure]:
    """Measure the loop beside replies, and the control."""
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)  # the process of the pool imports `support` too
    with tune_gc_and_gil():
        stalls, control = uvloop.run(lateness_in_turn(options.rounds))
    return [
        Figure(
            "ticks after over 20 ms of processor time beside large replies",
            1000 * stalls,
            "per 1,000",
            1000 * WANTED_SHARE,
        ),
        Figure(
            "the same with replies on the loop (control)", 1000 * control, "per 1,000", 1000 * WANTED_SHARE, "at least"
        ),
    ]


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
