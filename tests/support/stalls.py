"""How late the event loop is while large replies are computed."""

import asyncio
import contextlib
import time
from dataclasses import replace
from itertools import count
from random import Random

from evilpegs_game.candidates import LiveSets, Turn
from evilpegs_game.codes import code_at
from evilpegs_game.rules import Rules
from evilpegs_server.codemaking import Codemaking, Draw
from evilpegs_server.fair_pool import FairPool
from evilpegs_server.ladders import load_ladders
from evilpegs_server.service import REPLY_TERMS

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


def codemaking(pool=None):
    """A codemaker that remembers nothing yet."""
    return Codemaking(LiveSets(512 << 20), pool)


class Replies:
    """Replies on a ladder, each to another history, and each computed from nothing."""

    def __init__(self, ladder, turns=2):
        self.ladder, self._turns, self._seeds = ladder, turns, count(1)

    def prepare(self):
        """The next reply, as work to do."""
        rng, history, first = Random(next(self._seeds)), (), codemaking()
        for _ in range(self._turns):
            guess = self._code(rng)
            history = (*history, Turn(guess, first.answer(self.ladder, DRAW, history, guess).feedback))
        guess = self._code(rng)
        return lambda: codemaking().answer(self.ladder, DRAW, history, guess)

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


@contextlib.contextmanager
def reply_pool():
    """The pool of a server on the running loop, with lanes for two heavy replies however few cores there are."""
    terms = replace(REPLY_TERMS, heavy_lanes=TOGETHER)
    pool = FairPool(terms, asyncio.get_running_loop().call_soon_threadsafe, time.monotonic)
    try:
        yield pool
    finally:
        pool.close()


async def late_beside(pool, ladder, works):
    """The lateness of every tick while the pool computes these replies, one a player, side by side."""
    loop = asyncio.get_running_loop()
    answers = [loop.create_future() for _ in works]
    asking = codemaking(pool)
    async with lateness() as late:
        for player, (work, answer) in enumerate(zip(works, answers, strict=True), 1):
            asking.reply(ladder, player, work, answer.set_result)
        outcomes = await asyncio.gather(*answers)
    assert not any(isinstance(outcome, Exception) for outcome in outcomes), outcomes
    return late


async def late_within(works):
    """The same with the replies computed on the loop itself, where they do not belong."""
    async with lateness() as late:
        for work in works:
            work()
            await asyncio.sleep(0)
    return late
