"""The show process is killed again and again while bots play and streams follow: nothing is lost or comes twice."""

import asyncio
import contextlib
import json
import os
import signal
import sqlite3

import pytest

from support.patience import PATIENCE
from support.servers import child_server, dial
from support.shows import answer, follow, next_show

CODES = ["1122", "3344", "5566", "1234", "6543", "2211", "4433", "6655", "4321"]
STREAMS = 2
"""The streams of each match."""


class Bot:
    """A player, each of whose matches is followed by some streams from its first event to its last."""

    def __init__(self, server):
        self.server = server
        self.answered = []
        self.streams = []

    async def play(self, stopped):
        async with dial(self.server.url) as player:
            await player.hello()
            while not stopped.is_set():
                match = await player.play("classic-evil-practice")
                followed = [[] for _ in range(STREAMS)]
                url = f"{self.server.site_url}api/v1/matches/{match}/events"
                self.streams += [(match, seen, asyncio.create_task(follow(url, seen))) for seen in followed]
                for turn, code in enumerate(CODES, 1):
                    reply = await player.guess(match, 1, turn, code)
                    assert reply["type"] == "feedback", reply
                    self.answered.append((match, reply["seq"]))
                    if reply["black"] == 4:
                        break
                await player.ask("match_over", type="resign", match=match)


def stored_events(file):
    """Return the events of each match."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        events = {}
        for match, text in connection.execute("SELECT m.id, json FROM events JOIN matches AS m ON number = match"):
            events.setdefault(match, []).append(json.loads(text))
        return events


@pytest.mark.full
@pytest.mark.parametrize(("bots", "kills"), [(5, 4), pytest.param(50, 20, marks=pytest.mark.abuse)])
async def test_kills_lose_and_double_nothing(tmp_path, bots, kills):
    file = tmp_path / "games.sqlite3"
    async with child_server(f"sqlite:///{file}", site=True) as server:
        await answer(server, "healthz")
        pid, stopped, players = await next_show(server), asyncio.Event(), [Bot(server) for _ in range(bots)]
        playing = [asyncio.create_task(player.play(stopped)) for player in players]
        for _ in range(kills):
            os.kill(pid, signal.SIGKILL)
            pid = await next_show(server, pid)
            await answer(server, "healthz")
        stopped.set()
        streams = []
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*playing)
            for player in players:
                streams += player.streams
            await asyncio.gather(*(task for _, _, task in streams))
        stored = stored_events(file)
        for player in players:
            assert all(stored[match][seq - 1]["type"] == "feedback" for match, seq in player.answered)
        assert len(streams) >= STREAMS * bots
        for match, seen, _ in streams:
            assert [event for _, event in seen] == stored[match]
        status, errors = await server.stop(signal.SIGTERM)
        assert (status, errors.count("no show process")) == (0, kills)
        assert "Traceback" not in errors, errors
