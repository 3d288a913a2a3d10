"""Real matches for tests of leaderboards and replays, played by bots on the server of the test."""

import asyncio
import contextlib
import json
from concurrent.futures import ThreadPoolExecutor

import httpx
from websockets.sync.client import connect

from evilpegs_clients.bot.bot import play_matches
from evilpegs_clients.strategies.loading import load_strategy
from support.named_players import given_names
from support.patience import PATIENCE
from support.waiting import wait_until


def play_bots(server, folder, plan):
    """Play matches on ``server`` and return their summaries.

    ``plan`` has a strategy, a ladder and a number of matches for each bot. The matches are played in another thread,
    because Playwright runs an event loop in the thread of the tests.
    """

    tokens = given_names(server.database, [strategy for strategy, _, _ in plan])

    async def play():
        return [
            await play_matches(
                server=server.url,
                ladder=ladder,
                strategy=load_strategy(strategy),
                name=strategy,
                token=tokens[strategy],
                matches=matches,
                token_file=folder / "tokens.json",
            )
            for strategy, ladder, matches in plan
        ]

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(play())).result(PATIENCE)


def wait_for_leaderboard(site_url, ladder, player, games):
    """Wait until all games of a player are on a leaderboard, which changes at most twice per second."""
    row, url = {"player": player, "games": games}, f"{site_url}api/v1/ladders/{ladder}/leaderboard"
    wait_until(lambda: row in _games_on(url))


def _games_on(url):
    return [{key: row[key] for key in ("player", "games")} for row in httpx.get(url, timeout=PATIENCE).json()["rows"]]


@contextlib.contextmanager
def open_match(server, ladder="classic-evil-practice", name=None, kind="bot"):
    """Begin a match, and yield it; its connection is open during the block. Rated ladders need a name."""
    with connect(server.url, subprotocols=["evilpegs.v1"]) as socket:
        yield OpenMatch(socket, ladder, name, kind)


class OpenMatch:
    """A match that stays open; each call of `guess` plays one turn."""

    def __init__(self, socket, ladder, name, kind):
        self._socket = socket
        claimed = {"name": name, "kind": kind} if name else {}
        self._send(type="hello", client={"name": "open", "version": "1"}, **claimed)
        welcome = self._receive("welcome")
        self.player = welcome["player"]
        self._send(type="play", ladder=ladder)
        self.match = self._receive("match_started")["match"]
        self._start_game()

    def guess(self, code):
        """Guess a code, which must not end the game."""
        self._send(type="guess", turn=self._turn, code=code)
        self._turn = self._receive("turn")["turn"]

    def next_game(self):
        """Resign the game, and start the next one."""
        self._send(type="resign", game=self._game)
        self._start_game()

    def _start_game(self):
        self._game = self._receive("game_started")["game"]
        self._send(type="ready")
        self._turn = self._receive("turn")["turn"]

    def resign(self):
        """Resign the match, which ends it."""
        self._send(type="resign")
        self._receive("match_over")

    def _send(self, **message):
        self._socket.send(json.dumps(message))

    def _receive(self, kind):
        while (message := json.loads(self._socket.recv(PATIENCE)))["type"] != kind:
            assert message["type"] != "error", message
        return message
