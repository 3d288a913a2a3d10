"""A real server with a site on which some matches were played."""

import contextlib
import itertools
from dataclasses import dataclass
from unittest import mock

import httpx

from evilpegs_game.codes import format_code
from evilpegs_server.play import registry
from evilpegs_server.replies.game_secrets import MatchKey
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.log.rounds import Round, open_round
from support.named_players import given_names
from support.patience import PATIENCE
from support.servers import dial
from support.threaded_server import server_in_thread
from support.waiting import wait_until

GUESSES = ["1122", "3344"]


@dataclass
class PlayedSite:
    """A server with two finished matches of the player minimax, and an open one that a stream follows.

    ``over`` and ``evil`` are the ids of the finished matches on the ladders classic and classic-evil. ``open`` is
    the id of the open match on classic-practice. The round final has no entrants. ``url`` is the address of the
    site, and ``game_url`` that of the game.
    """

    database: str
    url: str = ""
    game_url: str = ""
    over: str = ""
    evil: str = ""
    open: str = ""
    tokens: tuple = ()

    async def play(self, stack):
        """Play the matches, on connections that stay open until the end of ``stack``."""
        ann, bob = [await stack.enter_async_context(dial(self.game_url)) for _ in range(2)]
        await ann.hello(token=given_names(self.database, ["minimax"])["minimax"])
        await bob.hello("bob")
        self.tokens = ann.token, bob.token
        self.over = await self._play_and_resign(ann, "classic")
        self.evil = await self._play_and_resign(ann, "classic-evil")
        self.open = await ann.play("classic-practice")
        await ann.guess(self.open, 1, 1, "1122")
        http = await stack.enter_async_context(httpx.AsyncClient(timeout=PATIENCE))
        await stack.enter_async_context(http.stream("GET", f"{self.url}api/v1/matches/{self.open}/events"))

    def wait_for_leaderboards(self):
        """Wait until the finished matches are on the leaderboards, with luck where it is measured."""
        for ladder, measured in ("classic", "adjusted_games"), ("classic-evil", "games"):
            url = f"{self.url}api/v1/ladders/{ladder}/leaderboard"

            def is_there():
                rows = httpx.get(url, timeout=PATIENCE).json()["rows"]  # noqa: B023 - called in the loop
                return rows and all(row[measured] == row["games"] for row in rows)  # noqa: B023

            wait_until(is_there)

    async def _play_and_resign(self, player, ladder):
        match = await player.play(ladder)
        for turn, code in enumerate(GUESSES, 1):
            await player.guess(match, 1, turn, code)
        await player.ask("match_over", type="resign", match=match)
        return match


def read_computed(url):
    """Return the answer to a request for which a worker computes; while it loads its kernels, requests are refused."""
    return wait_until(lambda: (answer := httpx.get(url, timeout=PATIENCE)).status_code != 503 and answer)


def wait_for_analysis(site_url, match):
    """Wait until a finished match is analyzed, and return the analysis as JSON."""
    return read_computed(f"{site_url}api/v1/matches/{match}/analysis").json()


@contextlib.contextmanager
def played_site(database, **settings):
    """Run a server with played matches during the block, and yield it."""
    site = PlayedSite(database)
    engine = open_database(database)
    open_round(engine, Round("final", "classic", 5, sealed=False, opens=0, closes=None, published=None), None)
    engine.dispose()

    async def play(running, stack):
        site.url, site.game_url = running.site_url, running.url
        await site.play(stack)

    with (
        mock.patch.object(registry, "MatchKey", _key_that_is_not_guessed),
        server_in_thread(database, play, **settings),
    ):
        yield site


def _key_that_is_not_guessed(match, ladder, seed, tie_nonces):
    """Return the key of a match in which none of `GUESSES` is the secret of the first game, which is resigned."""
    keys = (MatchKey(match, ladder, seed[:-1] + bytes([last]), tie_nonces) for last in itertools.count())
    return next(key for key in keys if format_code(key.game_secrets(1, None).secret(ladder)) not in GUESSES)
