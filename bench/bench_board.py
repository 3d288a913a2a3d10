"""The time from the end of a match to its row on the leaderboard of the HTTP API; at most a second is wanted.

    PYTHONPATH=bench python bench/bench_board.py [--matches 40]

New players resign one match each at random moments, on a server that nobody else uses. A reader asks for the
leaderboard every 20 ms until the player is on it.
"""

import argparse
import asyncio
import json
import random
import time

import uvloop
from bench_site import PATH, get, serving
from websockets.asyncio.client import connect

LADDER = "classic"
EVERY_SECONDS = 0.02


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


async def measure(game, site, matches, rng):
    """Return the sorted delays of some matches."""
    await asyncio.to_thread(get, site, PATH)
    delays = []
    for number in range(matches):
        await asyncio.sleep(rng.random())
        delays.append(await delay(game, site, f"bench{number:03}"))
    return sorted(delays)


def main():
    """Print the delays."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=40)
    matches = parser.parse_args().matches
    with serving() as (game, site):
        delays = uvloop.run(measure(game, site, matches, random.Random(1)))
    middle, worst = delays[len(delays) // 2], delays[-1]
    print(f"{matches} matches on the leaderboard after {middle:.2f} s, at worst {worst:.2f} s (wanted: at most 1)")


if __name__ == "__main__":
    main()
