"""The match of a client that vanishes ends by its clock; every game is recorded and can be read afterwards."""

import json
import time
from dataclasses import replace

import pytest
import structlog

from evilpegs_clients.verification.verify import verify_match
from evilpegs_protocol.server_messages import ClockInfo
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.play.stall_free_clock import StallFreeClock
from evilpegs_server.settings import Settings
from evilpegs_server.storage.database import open_existing_database
from evilpegs_server.storage.log.archive import load_match
from evilpegs_server.storage.queries import closing_engine
from support.in_process import running_server
from support.servers import dial
from support.waiting import until


class LateClock:
    """A clock in seconds that stands still until it is started."""

    def __init__(self):
        self.began = None

    def __call__(self):
        return 0.0 if self.began is None else time.monotonic() - self.began

    def start(self):
        self.began = time.monotonic()


@pytest.fixture
def clock():
    return LateClock()


@pytest.fixture
async def quick_server(database, clock):
    """Run a server whose `classic-evil` gives a player 200 ms per game and 200 ms to be ready, once its clock runs."""
    ladders = load_ladders()
    ladders["classic-evil"] = replace(
        ladders["classic-evil"], clock=ClockInfo(base_ms=200, increment_ms=0), games=3, ready_ms=200
    )
    settings = Settings(port=0, site=False, database=database)
    match_clock = StallFreeClock(clock)
    async with running_server(settings, structlog.get_logger(), ladders=ladders, clock=match_clock) as running:
        yield running


async def test_abandoned_match_ends_by_clock(quick_server, clock, database):
    async with dial(quick_server.url) as raw:
        await raw.hello()
        played = await raw.play("classic-evil")
        await raw.guess(played, 1, 1, "1122")
    clock.start()
    await until(lambda: not len(quick_server.registry.open))
    with closing_engine(open_existing_database(database)) as engine:
        events = [json.loads(entry.text) for entry in load_match(engine, played).entries]
    assert events[-1]["outcomes"] == ["flagged", "forfeit", "forfeit"]
    assert events[-1]["guesses"] == [1, 0, 0]
    assert verify_match(events) == []


async def test_guess_after_flag_is_refused(quick_server, clock):
    async with dial(quick_server.url) as raw:
        await raw.hello()
        played = await raw.play("classic-evil")
        clock.start()
        assert (await raw.hear("game_over"))["outcome"] == "flagged"
        assert (await raw.guess(played, 1, 1, "1122"))["code"] == "game_over"
