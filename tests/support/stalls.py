"""How late the event loop is while large replies are computed."""

import asyncio
import contextlib
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from random import Random

import structlog

from evilpegs_game.candidates import Turn
from evilpegs_game.codes import code_at
from evilpegs_game.rules import Rules
from evilpegs_game.solved import SolvedPositions
from evilpegs_server.bounds import COUNT_BYTES
from evilpegs_server.codemaking import Codemaking, Draw, cost, task_of
from evilpegs_server.fair_pool import FairPool
from evilpegs_server.ladders import load_ladders
from evilpegs_server.reckoner_frames import Setup
from evilpegs_server.reckoner_process import ReckonerProcess
from evilpegs_server.service import REPLY_TERMS
from evilpegs_server.tasks import TryOut, carry_out
from support.reckoners import reckoner

STALL_MS = 20.0
"""What is never to happen."""
GENEROUS = Rules(7, 10)
"""Ten million codes: a reply takes a tenth of a second and more, also on a fast machine."""
TOGETHER = 2
DRAW = Draw("0" * 16, 1, "0" * 64, None)


def largest_ladder():
    """The largest evil ladder that is offered, stretched if a reply on it would be over too soon to be noticed."""
    evil = [ladder for ladder in load_ladders().values() if ladder.codemaker == "evil" and not ladder.rated]
    largest = max(evil, key=lambda ladder: ladder.rules.size)
    return max(largest, replace(largest, rules=GENEROUS), key=lambda ladder: ladder.rules.size)


CACHE_BYTES = 512 << 20


class Replies:
    """Replies on a ladder, each to another history, and each computed from nothing."""

    def __init__(self, ladder, turns=2):
        self.ladder, self._turns, self._seeds = ladder, turns, count(1)

    def prepare(self):
        """The next reply, as a task."""
        rng, history, first = Random(next(self._seeds)), (), Codemaking(reckoner(CACHE_BYTES), None)
        for _ in range(self._turns):
            guess = self._code(rng)
            history = (*history, Turn(guess, first.answer(self.ladder, DRAW, history, guess).feedback))
        return task_of(self.ladder, history, self._code(rng))

    def _code(self, rng):
        return code_at(rng.randrange(self.ladder.rules.size), self.ladder.rules)


@contextlib.asynccontextmanager
async def lateness():
    """How many milliseconds too late each tick of a millisecond is while the block lasts."""
    late = []

    async def tick():
        while True:
            due = time.perf_counter() + 0.001
            await asyncio.sleep(0.001)
            late.append(1000 * (time.perf_counter() - due))

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0.01)
    late.clear()
    yield late
    await asyncio.sleep(0.01)
    ticking.cancel()


@contextlib.asynccontextmanager
async def reply_pool():
    """The pool of a server on the running loop, with lanes for two heavy replies however few cores there are.

    Its process has begun to work.
    """
    process = ReckonerProcess(Setup(CACHE_BYTES, COUNT_BYTES, SolvedPositions().to_bytes()), structlog.get_logger())
    await process.do(TryOut(GENEROUS, 3))
    try:
        yield FairPool(replace(REPLY_TERMS, heavy_lanes=TOGETHER), process, time.monotonic)
    finally:
        await process.close()


class Threads:
    """A crew beside the loop in this process: the other way to have it done."""

    def __init__(self):
        self._loop, self._threads = asyncio.get_running_loop(), ThreadPoolExecutor(TOGETHER)

    def begin(self, task, done):
        self._threads.submit(lambda: self._loop.call_soon_threadsafe(done, *carry_out(task, reckoner(CACHE_BYTES))))


async def late_beside(pool, ladder, tasks):
    """The lateness of every tick while the pool does these tasks, one a player, side by side."""
    loop = asyncio.get_running_loop()
    answers = [loop.create_future() for _ in tasks]
    async with lateness() as late:
        for player, (task, answer) in enumerate(zip(tasks, answers, strict=True), 1):
            pool.submit(player, cost(ladder, 2), task, answer.set_result)
        outcomes = await asyncio.gather(*answers)
    assert not any(isinstance(outcome, Exception) for outcome in outcomes), outcomes
    return late


async def late_within(tasks):
    """The same with the tasks done on the loop itself, where they do not belong."""
    async with lateness() as late:
        for task in tasks:
            task.do(reckoner(CACHE_BYTES))
            await asyncio.sleep(0)
    return late
