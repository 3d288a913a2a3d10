"""The delay for players of a small game beside a crowd on a large one.

    make load, or: python bench/load_fair.py [--ladder ID] [--colors N] [--connections 200] [--seconds 10] [--rounds 3]

A server in a process of its own; players of `classic` in this one, who pause between guesses; the crowd in a third
process, each playing one new worst-case game after another as fast as it is answered. Quiet and crowded times take
turns. Ends with status 1 unless the p99 of the classic players stays within twice its quiet value.
"""

import argparse
import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys

import numpy as np
import uvloop
from bench_server import evilpegs
from load import Load, Player, run

from evilpegs_game.codes import format_code
from evilpegs_game.rules import MAX_COLORS
from evilpegs_server.match.ladders import load_ladders

PLAYERS, PAUSE = 40, 0.1
TURNS = 6
"""Later in a game few candidates are left, and replies cost little."""
MOST = 2.0


class Crowd(Player):
    """Plays the dearest turns of a large game, resigns, and begins another; no two games are alike."""

    def __init__(self, load, number, ladder, colors):
        super().__init__(load, number)
        self.ladder, self.colors = ladder, min(colors, ladder.rules.colors)
        self.rng = random.Random(f"{load.name}{number}")

    def say(self, **message):
        if message["type"] == "play":
            message["ladder"] = self.ladder.id
        super().say(**message)

    def guess(self):
        if self.turn > TURNS:
            self.say(type="resign", match=self.match)
            return
        super().guess()

    def code(self):
        """Any code of so many colors: the more, the more rows a count makes. With no repeats there is no choice."""
        rules, rng = self.ladder.rules, self.rng
        if not rules.repeats:
            return format_code(rng.sample(range(rules.colors), rules.pegs))
        return format_code(rng.choices(rng.sample(range(rules.colors), self.colors), k=rules.pegs))


async def besiege(url, ladder, colors, connections, name, limit):
    """Be the crowd until stopped, for ``limit`` seconds at most; say at the end how many replies it was given.

    Its own work would be done elsewhere: whatever is measured here goes first.
    """
    os.nice(19)
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    load = Load(url, connections, name=name)
    task = asyncio.create_task(run(load, limit, player=lambda load, number: Crowd(load, number, ladder, colors)))
    load.counting = True
    await load.complete.wait()
    print("all play", flush=True)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stopped.wait(), limit)
    task.cancel()
    print(load.answered, flush=True)


@contextlib.contextmanager
def crowd(url, ladder, colors, connections, name, limit):
    """The crowd, in a process of its own."""
    crowd = ["--besiege", url, "--ladder", ladder, "--connections", str(connections), "--name", name]
    crowd += ["--colors", str(colors), "--seconds", str(limit)]
    command = [sys.executable, __file__, *crowd]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        told = []
        assert process.stdout.readline() == "all play\n"
        try:
            yield told
        finally:
            process.terminate()
            told.append(int(process.communicate(timeout=15)[0] or 0))


def classic(url, seconds, name):
    """The latencies of the classic players in milliseconds."""
    return uvloop.run(run(Load(url, PLAYERS, PAUSE, name), seconds))[1]


def show(label, took, replies=0):
    """A row of the table; the p99."""
    p50, p99, most = np.percentile(took, [50, 99, 100])
    print(f"{label:<12}{len(took):>10}{p50:>9.2f}{p99:>9.2f}{most:>9.2f}{replies:>12,.0f}", flush=True)
    return p99


def compare(ladder, colors, connections, seconds, rounds):
    """The median p99 in quiet and in crowded times."""
    quiet, crowded = [], []
    print(f"{PLAYERS} players on classic, {connections} connections on {ladder}; milliseconds from guess to answer")
    print(f"{'':<12}{'guesses':>10}{'p50':>9}{'p99':>9}{'worst':>9}{'crowd/s':>12}")
    with evilpegs() as url:
        for number in range(rounds):
            quiet.append(show("quiet", classic(url, seconds, f"quiet{number}-")))
            with crowd(url, ladder, colors, connections, f"crowd{number}-", seconds + 30) as told:
                took = classic(url, seconds, f"beside{number}-")
            crowded.append(show("crowded", took, told[0] / seconds))
    return np.median(quiet), np.median(crowded)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ladder", default="monster-evil")
    parser.add_argument("--colors", type=int, default=MAX_COLORS, help="with 2, ten times as many replies, each cheap")
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--besiege", metavar="URL", help="used by this program itself")
    parser.add_argument("--name", default="crowd")
    options = parser.parse_args()
    if options.besiege:
        ladder = load_ladders()[options.ladder]
        uvloop.run(besiege(options.besiege, ladder, options.colors, options.connections, options.name, options.seconds))
        return
    quiet, crowded = compare(options.ladder, options.colors, options.connections, options.seconds, options.rounds)
    print(f"p99 {quiet:.2f} ms quiet, {crowded:.2f} ms crowded: {crowded / quiet:.2f} times (wanted: at most {MOST})")
    sys.exit(0 if crowded <= MOST * quiet else 1)


if __name__ == "__main__":
    asyncio.set_event_loop_policy(None)
    main()
