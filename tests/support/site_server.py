"""A real server with a site on which some matches were played, in a thread with an event loop of its own.

Hypothesis fails a test if the state of the global random generator changes while it draws. websockets draws the payload
of every ping from that generator, and the server pings its clients every 20 seconds in this thread. So websockets draws
from another generator as long as the server is running.
"""

import asyncio
import contextlib
import random
import threading
import time
from dataclasses import dataclass
from unittest import mock

import httpx
import structlog
from websockets.asyncio import connection

from evilpegs_server.server import running_server
from evilpegs_server.settings import Settings
from support.leftovers import SHARED_SERVER
from support.servers import dial

PATIENCE = 60
"""Seconds in which the server must have started and the matches been played."""

COMPILING = 300
"""Seconds in which all kernels of an analysis must have been compiled on a busy machine."""


@dataclass
class PlayedSite:
    """A server with two matches of the player minimax that are over, and an open one that bob watches.

    ``over`` and ``evil`` are the ids of the finished matches on classic and classic-evil, ``open`` is on
    classic-practice. ``url`` is that of the site and ``game_url`` that of the game.
    """

    database: str
    url: str = ""
    game_url: str = ""
    over: str = ""
    evil: str = ""
    open: str = ""
    tokens: tuple = ()

    async def play(self, stack):
        """Play the matches. The connections stay open until the end of ``stack``."""
        ann, bob = [await stack.enter_async_context(dial(self.game_url)) for _ in range(2)]
        await ann.hello("minimax")
        await bob.hello("bob")
        self.tokens = ann.token, bob.token
        self.over = await self._play_and_resign(ann, "classic")
        self.evil = await self._play_and_resign(ann, "classic-evil")
        self.open = await ann.play("classic-practice")
        await ann.guess(self.open, 1, 1, "1122")
        await bob.ask("watching", type="watch", match=self.open)

    def wait_for_leaderboards(self):
        """Wait until the leaderboards, which change at most once per second, have the finished matches."""
        deadline = time.monotonic() + PATIENCE
        for ladder in ("classic", "classic-evil"):
            while not httpx.get(f"{self.url}api/v1/ladders/{ladder}/leaderboard", timeout=60).json()["rows"]:
                assert time.monotonic() < deadline
                time.sleep(0.02)

    def wait_for_analyses(self):
        """Wait until the finished matches are analyzed. Kernels may compile for longer than a request waits."""
        deadline = time.monotonic() + COMPILING
        for match in (self.over, self.evil):
            while httpx.get(f"{self.url}api/v1/matches/{match}/analysis", timeout=60).status_code == 503:
                assert time.monotonic() < deadline
                time.sleep(0.1)

    async def _play_and_resign(self, player, ladder):
        match = await player.play(ladder)
        for turn, code in enumerate(["1122", "3344"], 1):
            await player.guess(match, 1, turn, code)
        await player.ask("match_over", type="resign", match=match)
        return match


@contextlib.contextmanager
def played_site(database, **settings):
    """Run the server within the block."""
    site, ready, failures = PlayedSite(database), threading.Event(), []
    loop, stopped = asyncio.new_event_loop(), asyncio.Event()

    async def serve():
        options = {"port": 0, "site_port": 0, "database": database} | settings
        async with running_server(Settings(**options), structlog.get_logger()) as running:
            site.url, site.game_url = running.site_url, running.url
            async with contextlib.AsyncExitStack() as stack:
                await site.play(stack)
                ready.set()
                await stopped.wait()

    def run():
        try:
            loop.run_until_complete(serve())
        except Exception as error:  # noqa: BLE001 - raised again in the thread of the test
            failures.append(error)
        finally:
            loop.close()
            ready.set()

    thread = threading.Thread(target=run, name=SHARED_SERVER)
    with own_random_of_pings():
        thread.start()
        try:
            assert ready.wait(PATIENCE)
            if failures:
                raise failures[0]
            yield site
        finally:
            if thread.is_alive():
                loop.call_soon_threadsafe(stopped.set)
            thread.join(PATIENCE)
    assert failures == []


def own_random_of_pings():
    """Return a context manager in which the payloads of pings do not come from the global random generator."""
    return mock.patch.object(connection, "random", random.Random())
