"""Measurement of how long the event loop stalls while large replies are computed.

A stall is measured by the processor time that this process uses meanwhile, in any of its threads. On a busy machine the
event loop may be late without a stall, because other processes run.
"""

import asyncio
import contextlib
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from random import Random

import structlog

from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.codes import code_at
from evilpegs_game.feedback import Turn
from evilpegs_game.rules import Rules
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.replies.capacity import COUNT_BYTES, REPLY_LIMITS, reply_cost
from evilpegs_server.replies.codemaking import Codemaking, reply_task
from evilpegs_server.replies.game_secrets import GameSecrets
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.tasks import WarmUp, run_task
from evilpegs_server.work.worker_process import WorkerProcess
from evilpegs_server.work.workspace import WorkerSetup
from support.waiting import loop_turns, think, until
from support.workspaces import new_workspace

STALL_MS = 20.0
"""The processor time in milliseconds from which on the time between two ticks counts as a stall."""
GENEROUS = Rules(7, 10)
"""Rules of ten million codes, on which a reply takes at least a tenth of a second even on a fast machine."""
TOGETHER = 2
GAME_SECRETS = GameSecrets("0" * 16, 1, "0" * 64, None)


def largest_ladder():
    """Return the largest evil ladder on offer, or one with the rules `GENEROUS` if those are larger."""
    evil = [ladder for ladder in load_ladders().values() if ladder.codemaker == "evil" and not ladder.rated]
    largest = max(evil, key=lambda ladder: ladder.rules.size)
    return max(largest, replace(largest, rules=GENEROUS), key=lambda ladder: ladder.rules.size)


CACHE_BYTES = 512 << 20


class Replies:
    """Tasks for replies on a ladder, each to a different history and each computed without a cache."""

    def __init__(self, ladder, turns=2):
        self.ladder, self._turns, self._seeds = ladder, turns, count(1)

    def prepare(self):
        """Return the task for the next reply."""
        rng, history, first = Random(next(self._seeds)), (), Codemaking(new_workspace(CACHE_BYTES), None)
        for _ in range(self._turns):
            guess = self._code(rng)
            history = (*history, Turn(guess, first.compute_reply(self.ladder, GAME_SECRETS, history, guess).feedback))
        return reply_task(self.ladder, history, self._code(rng))

    def _code(self, rng):
        return code_at(rng.randrange(self.ladder.rules.size), self.ladder.rules)


@contextlib.asynccontextmanager
async def used_between_ticks():
    """During the block, tick every millisecond; yield the list that collects what this process uses between two ticks.

    The values are processor times in milliseconds.
    """
    used = []

    async def tick():
        while True:
            before = time.process_time()
            await think(0.001)
            used.append(1000 * (time.process_time() - before))

    async def tick_again():
        ticks = len(used)
        await until(lambda: len(used) >= ticks + 2)  # the last tick of the block is over too

    ticking = asyncio.create_task(tick())
    await tick_again()
    used.clear()
    yield used
    await tick_again()
    ticking.cancel()


@contextlib.asynccontextmanager
async def reply_pool():
    """Run the reply pool of a server during the block and yield it; its worker process has compiled its kernels.

    The pool runs two expensive replies at a time, however few cores the machine has.
    """
    setup = WorkerSetup(CACHE_BYTES, COUNT_BYTES, SolvedPositions().to_bytes())
    process = WorkerProcess(setup, structlog.get_logger(), export_seconds=1.0)
    await process.run(WarmUp(GENEROUS, 3))
    try:
        yield TaskPool(replace(REPLY_LIMITS, heavy_slots=TOGETHER), process, time.monotonic)
    finally:
        await process.close()


class Threads:
    """An executor with threads in this process, for comparison with the worker process of a server."""

    def __init__(self):
        self._loop, self._threads = asyncio.get_running_loop(), ThreadPoolExecutor(TOGETHER)

    def submit(self, task, done):
        self._threads.submit(lambda: self._loop.call_soon_threadsafe(done, *run_task(task, new_workspace(CACHE_BYTES))))


async def used_beside(pool, ladder, tasks):
    """Return what this process uses between two ticks while the pool runs the tasks side by side, one per player."""
    loop = asyncio.get_running_loop()
    answers = [loop.create_future() for _ in tasks]
    async with used_between_ticks() as used:
        for player, (task, answer) in enumerate(zip(tasks, answers, strict=True), 1):
            pool.submit(player, reply_cost(ladder, 2), task, answer.set_result)
        outcomes = await asyncio.gather(*answers)
    assert not any(isinstance(outcome, Exception) for outcome in outcomes), outcomes
    return used


async def used_within(tasks):
    """Return what this process uses between two ticks while the tasks run on the event loop itself."""
    async with used_between_ticks() as used:
        for task in tasks:
            task.run(new_workspace(CACHE_BYTES))
            await loop_turns()
    return used
