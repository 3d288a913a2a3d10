"""Fixtures: a broker, a real server that publishes to it, and players that know only JSON."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import pytest
import structlog
from structlog.stdlib import BoundLogger

from evilpegs_protocol.backoff import Backoff
from evilpegs_server.feed import event_feed, feed
from evilpegs_server.settings import Settings
from support.brokers import Mosquitto
from support.fake_server import SERVER_LADDERS
from support.in_process import running_server
from support.patience import PATIENCE
from support.patient_server import PATIENT
from support.servers import dial
from support.waiting import until

# nothing but the stop ends a client of the site
QUICK = replace(PATIENT, documents_seconds=0.02, site_check_seconds=10 * PATIENCE)


class KeptLog(list):
    """A logger that keeps its lines."""

    @property
    def logger(self):
        return structlog.wrap_logger(None, processors=[self._keep], wrapper_class=BoundLogger)

    def _keep(self, _logger, method, line):
        self.append({"level": method, **line})
        raise structlog.DropEvent

    async def wait_for(self, count):
        """Wait until so many lines are about the broker."""
        await until(lambda: len(self.about_broker) >= count)

    async def wait_for_fact(self, words):
        """Wait until a line about the broker has these words."""
        await until(lambda: any(words in line["event"] for line in self.about_broker))

    @property
    def about_broker(self):
        return [line for line in self if "MQTT" in line["event"]]


@pytest.fixture
def log():
    return KeptLog()


@pytest.fixture
async def mosquitto(tmp_path):
    """A broker that runs."""
    broker = Mosquitto(tmp_path)
    await broker.start()
    yield broker
    broker.kill()


@pytest.fixture
def publishing(database, log, monkeypatch):
    """Run a server in this process that publishes to a broker, and does at once what others do once per second."""
    for module in (feed, event_feed):
        monkeypatch.setattr(module, "BACKOFF", Backoff(first=0.02, longest=0.2))

    @asynccontextmanager
    async def publishing(url, ladders=SERVER_LADDERS, **settings):
        settings = {"requests_per_second": 100_000, "site": False, "hello_seconds": PATIENCE} | settings
        chosen = Settings(port=0, database=database, mqtt=url, **settings)
        async with running_server(chosen, log.logger, ladders=ladders, timing=QUICK) as server:
            yield server

    return publishing


class MatchPlayer:
    """A player who plays matches of the ladder `tiny`, one after the other."""

    def __init__(self, raw):
        self.raw = raw
        self.results = []

    async def play(self, ladder="tiny"):
        """Play a match with one guess per game, and keep its last event."""
        match = await self.raw.play(ladder)
        await self.raw.guess(match, 1, 1, "12")
        await self.raw.say(type="resign", match=match)
        self.results.append(await self.raw.hear("match_over"))
        return match

    async def play_until(self, stop):
        """Play matches, at least one."""
        await self.play()
        while not stop.is_set():
            await self.play()


@pytest.fixture
async def players():
    """Connect players to a server."""
    async with AsyncExitStack() as stack:

        async def connect(server, count=1):
            connected = []
            for _ in range(count):
                raw = await stack.enter_async_context(dial(server.url))
                await raw.hello()
                connected.append(MatchPlayer(raw))
            return connected

        yield connect


@pytest.fixture
def load(players):
    """Let players play on a server during the block; the value is the list of results, complete at its end."""

    @asynccontextmanager
    async def load(server, count=4):
        connected, stop, results = await players(server, count), asyncio.Event(), []
        playing = [asyncio.create_task(player.play_until(stop)) for player in connected]
        try:
            yield results
        finally:
            stop.set()
            await asyncio.gather(*playing)
            results += [result for player in connected for result in player.results]

    return load
