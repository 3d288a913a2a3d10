"""A crowd on a large game, in a process of its own, which `bench.fairness.players` starts."""

import argparse
import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys

import uvloop

from bench.command import ROOT
from bench.server.load import Load, Player, run
from evilpegs_game.codes import format_code
from evilpegs_server.match.ladders import load_ladders

TURNS = 6
"""Later in a game few candidates are left, and replies cost little."""


class CrowdPlayer(Player):
    """A player of the most expensive turns of a large game, who resigns and begins another; no two games are alike."""

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
        """Return a code of some colors: the more, the more rows a count makes. With no repeats there is no choice."""
        rules, rng = self.ladder.rules, self.rng
        if not rules.repeats:
            return format_code(rng.sample(range(rules.colors), rules.pegs))
        return format_code(rng.choices(rng.sample(range(rules.colors), self.colors), k=rules.pegs))


async def besiege(url, ladder, colors, connections, name, limit):
    """Be the crowd until stopped, for ``limit`` seconds at most; print at the end how many replies it received.

    Real crowds work on machines of their own, so this process gives way to whatever is measured.
    """
    os.nice(19)
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    load = Load(url, connections, name=name)
    task = asyncio.create_task(run(load, limit, player=lambda load, number: CrowdPlayer(load, number, ladder, colors)))
    load.counting = True
    await load.complete.wait()
    print("all play", flush=True)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stopped.wait(), limit)
    task.cancel()
    print(load.answered, flush=True)


@contextlib.contextmanager
def running_crowd(url, options, name, limit):
    """Run the crowd in a process of its own; the list that is yielded has the number of its replies afterwards."""
    arguments = [url, options.ladder, str(options.colors), str(options.connections), name, str(limit)]
    command = [sys.executable, "-m", "bench.fairness.crowd", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        answered = []
        assert process.stdout.readline() == "all play\n"
        try:
            yield answered
        finally:
            process.terminate()
            answered.append(int(process.communicate(timeout=15)[0] or 0))


def main():
    """Be the crowd that the arguments describe."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, kind in [("url", str), ("ladder", str), ("colors", int), ("connections", int), ("name", str)]:
        parser.add_argument(name, type=kind)
    parser.add_argument("limit", type=float, help="seconds")
    given = parser.parse_args()
    ladder = load_ladders()[given.ladder]
    uvloop.run(besiege(given.url, ladder, given.colors, given.connections, given.name, given.limit))


if __name__ == "__main__":
    main()
