"""Measure the time from the end of a match to its row on the leaderboard of the HTTP API.

New players resign one match each at random moments, on a server that nobody else uses. A reader asks for the
leaderboard every 20 ms until the player is on it. At most a second is wanted.

    python -m bench.server.finished_match [--matches 40]
"""

import argparse
import asyncio
import json
import random
import time

import uvloop
from websockets.asyncio.client import connect

from bench.command import Option, run_alone
from bench.figures import Figure
from bench.server.processes import evilpegs
from bench.server.show import PATH, get
from bench.timing import percentiles

LADDER = "classic"
EVERY_SECONDS = 0.02
WANTED_SECONDS = 1.0
OPTIONS = (Option("matches", 40, 2),)


async def resign(game, name):
    """Resign a match under a new name; return when the server says that it is over."""
    async with connect(game) as socket:

        async def ask(awaited, **message):
            await socket.send(json.dumps(message))
            while (answer := json.loads(await socket.recv()))["type"] != awaited:
                pass
            return answer

        await ask("welcome", type="hello", client={"name": "bench", "version": "1"}, name=name, kind="bot")
        match = (await ask("match_started", type="play", ladder=LADDER))["match"]
        await ask("turn", type="ready", match=match, game=1)
        await ask("match_over", type="resign", match=match)


async def delay(game, site, name):
    """Return the seconds until a match that is over is on the leaderboard."""
    await resign(game, name)
    began = time.perf_counter()
    while name not in await asyncio.to_thread(get, site, PATH):  # noqa: ASYNC110 - the reader of an API polls
        await asyncio.sleep(EVERY_SECONDS)
    return time.perf_counter() - began


async def delays(game, site, matches, rng):
    """Return the delays of some matches in seconds."""
    await asyncio.to_thread(get, site, PATH)
    measured = []
    for number in range(matches):
        await asyncio.sleep(rng.random())
        measured.append(await delay(game, site, f"bench{number:03}"))
    return measured


def measure(options: argparse.Namespace) -> list[Figure]:
    """Measure the delays of some matches."""
    with evilpegs(site=True) as server:
        measured = uvloop.run(delays(server.url, server.site(), options.matches, random.Random(1)))
    middle, worst = percentiles(measured, 50, 100)
    print(f"{options.matches} matches on the leaderboard after {middle:.2f} s, at worst {worst:.2f} s")
    return [Figure("end of a match to its row on the leaderboard, worst", worst, "s", WANTED_SECONDS)]


if __name__ == "__main__":
    run_alone(measure, __doc__, OPTIONS)
