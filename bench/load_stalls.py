"""The event loop's lateness while two replies of the largest offered size are computed, again and again.

Run: make load. Ends with status 1 if more than one tick in a thousand is over 20 ms late, or if the same work on the
loop itself would not be noticed.
"""

import argparse
import asyncio
import sys
import time

import numpy as np
import uvloop

from evilpegs_server.work.interpreter import tune_gc_and_gil
from support.stalls import STALL_MS, TOGETHER, Replies, largest_ladder, late_beside, late_within, reply_pool
from support.workspaces import Call


def show(label, late):
    """A row of the table; the part of the ticks that was too late."""
    late = np.array(late)
    p50, p99, p999 = np.percentile(late, [50, 99, 99.9])
    stalls = int((late > STALL_MS).sum())
    print(f"{label:<28}{late.size:>8}{p50:>8.2f}{p99:>8.2f}{p999:>8.2f}{late.max():>9.2f}{stalls:>8}")
    return stalls / late.size


async def measure(rounds):
    """Nothing to do, two replies in the pool, the same two on the loop."""
    replies, quiet, beside, within = Replies(largest_ladder()), [], [], []
    print(f"event loop on {replies.ladder.rules}, two replies at a time, {rounds} rounds; milliseconds too late")
    print(f"{'':<28}{'ticks':>8}{'p50':>8}{'p99':>8}{'p99.9':>8}{'worst':>9}{'> 20':>8}")
    async with reply_pool() as pool:
        for _ in range(rounds):
            works = [replies.prepare() for _ in range(TOGETHER)]
            quiet += await late_beside(pool, replies.ladder, [Call(time.sleep, 0.1)])
            beside += await late_beside(pool, replies.ladder, works)
        for _ in range(max(1, rounds // 10)):
            within += await late_within([replies.prepare() for _ in range(TOGETHER)])
    show("quiet", quiet)
    return show("beside the loop", beside), show("on the loop (control)", within)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=60)
    with tune_gc_and_gil():
        stalls, control = uvloop.run(measure(parser.parse_args().rounds))
    sys.exit(0 if stalls <= 0.001 < control else 1)


if __name__ == "__main__":
    asyncio.set_event_loop_policy(None)
    main()
