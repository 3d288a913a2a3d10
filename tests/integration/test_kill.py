"""A server that is killed during matches loses nothing that a player has seen, and the matches resume.

The environment variables `EVILPEGS_KILLS` and `EVILPEGS_PLAYERS` set how many kills and players there are; the defaults
are 20 and 3. The control is a server that answers players before it stores: the same procedure must catch it.
"""

import asyncio
import json
import os
import random
import signal
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from evilpegs_clients.verification.verify import verify_match
from evilpegs_server.storage.database import open_existing_database
from evilpegs_server.storage.log.archive import load_match
from support.servers import child_server, dial
from support.waiting import until

KILLS = int(os.environ.get("EVILPEGS_KILLS", "20"))
PLAYERS = int(os.environ.get("EVILPEGS_PLAYERS", "3"))
FORGETFUL = Path(__file__).with_name("forgetful_server.py")


class Player:
    """A player of one match over any number of connections; ``seen`` maps numbers of events to events."""

    def __init__(self, rng):
        self.rng, self.token, self.match, self.seen, self.over = rng, None, None, {}, False

    async def play(self, url):
        """Play until the match is over or the connection is lost."""
        async with dial(url) as raw:
            if self.token is None:
                await raw.hello()
                self.token = raw.token
            else:
                await raw.hello(token=self.token)
            if self.match is None:
                await raw.say(type="play", ladder="classic")
            else:
                await raw.say(type="resume", match=self.match, seq=len(self.seen))
            while not self.over:
                await self.take(raw, await raw.hear())

    async def take(self, raw, message):
        kind = message["type"]
        if "seq" in message and kind != "resumed":
            self.remember(message)
        if kind == "game_started" or (kind == "resumed" and message["state"] == "ready"):
            await raw.say(type="ready", match=self.match, game=message["game"], nonce="twenty")
        elif kind == "turn":
            code = "".join(self.rng.choice("123456") for _ in range(4))
            await raw.say(type="guess", match=self.match, game=message["game"], turn=message["turn"], code=code)
        elif kind == "error":
            assert message["code"] in {"stale_turn", "game_over", "not_ready"}, message
        self.over = kind == "match_over"

    def remember(self, event):
        event.pop("re", None)
        self.match = self.match or event["match"]
        known = self.seen.setdefault(event["seq"], event)
        assert known == event


async def play_and_kill(server, database, kills, rng):
    """Play a match for each player with a SIGKILL after every few answers; return the players."""
    players = [Player(random.Random(rng.random())) for _ in range(PLAYERS)]
    for _ in range(kills):
        async with server(database) as child:
            playing = [asyncio.create_task(player.play(child.url)) for player in players]
            target = count_seen(players) + PLAYERS * rng.randint(1, 3)
            await until(lambda: count_seen(players) >= target or all(each.done() for each in playing))  # noqa: B023 - here
            await child.stop(signal.SIGKILL)
            for error in await asyncio.gather(*playing, return_exceptions=True):
                assert error is None or isinstance(error, ConnectionClosed | OSError), error
    return players


def count_seen(players):
    return sum(len(player.seen) for player in players)


def stored_events(database, match):
    engine = open_existing_database(database)
    stored = load_match(engine, match)
    engine.dispose()
    return [] if stored is None else [json.loads(entry.text) for entry in stored.entries]


def lost(player, events):
    """Return the events the player received that are not in the record exactly once."""
    return [event for event in player.seen.values() if events.count(event) != 1]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
async def test_killed_server_loses_no_sent_event(database):
    kills = KILLS if database.startswith("sqlite") else KILLS // 4  # each waits for the lease of the server before
    players = await play_and_kill(child_server, database, kills, random.Random(7))
    assert not any(lost(player, stored_events(database, player.match)) for player in players)
    async with child_server(database) as child:
        await asyncio.gather(*(player.play(child.url) for player in players))
        status, errors = await child.stop(signal.SIGTERM)
    assert status == 0, errors
    for player in players:
        events = stored_events(database, player.match)
        assert not lost(player, events)
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        assert len(player.seen) == len(events)
        assert verify_match(events) == []


@pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
async def test_procedure_catches_server_that_stores_late(database):
    def forgetful_server(database):
        return child_server(database, str(FORGETFUL))

    players = await play_and_kill(forgetful_server, database, 1, random.Random(7))
    assert any(lost(player, stored_events(database, player.match)) for player in players)
