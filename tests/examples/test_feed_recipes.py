"""The recipes of docs/feed.md, run as they are written."""

import asyncio
import csv
import os
import re
import signal
import sys
from pathlib import Path

import pytest
import structlog

from evilpegs_server.settings import Settings
from support.brokers import Mosquitto, require_mosquitto
from support.in_process import running_server
from support.patience import PATIENCE
from support.servers import dial
from support.waiting import until

ROOT = Path(__file__).parents[2]
SUBSCRIBED = "Received SUBSCRIBE from"
TABLE, LAMP = re.findall(r"```sh\n(.*?)\n```", (ROOT / "docs/feed.md").read_text())


@pytest.fixture
async def publishing_server(tmp_path):
    """A broker, and a server that publishes to it."""
    mosquitto = await Mosquitto(tmp_path).start()
    database = f"sqlite:///{tmp_path / 'evilpegs.sqlite3'}"
    settings = Settings(site=False, port=0, database=database, mqtt=mosquitto.url)
    async with running_server(settings, structlog.get_logger()) as server:
        yield server, mosquitto
    mosquitto.kill()


@pytest.fixture
def recipe(publishing_server, tmp_path):
    """Start the command of a recipe in a shell and wait until it has subscribed; it is gone after the test."""
    _, mosquitto = publishing_server
    started = []

    async def start(command):
        words = {"HOST": "127.0.0.1", "PORT": str(mosquitto.port), "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"}
        folder = Path(sys.executable).parent
        environment = os.environ | words | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
        command = command.replace("examples/", f"{ROOT}/examples/").replace("results.csv", f"{tmp_path}/results.csv")
        subscribed = mosquitto.log_text.count(SUBSCRIBED)
        process = await asyncio.create_subprocess_shell(
            command, stdout=asyncio.subprocess.PIPE, env=environment, start_new_session=True
        )
        started.append(process)
        await mosquitto.wait_for_log(SUBSCRIBED, subscribed + 1)
        return process

    yield start
    for process in started:
        os.killpg(process.pid, signal.SIGKILL)


async def resign(server):
    """Resign a match; return the player and the match."""
    async with dial(server.url) as raw:
        welcome = await raw.hello()
        await raw.say(type="play", ladder="classic-evil")
        started = await raw.hear("match_started")
        await raw.say(type="resign", match=started["match"])
        await raw.hear("match_over")
        return welcome["player"], started["match"]


async def play_codes(server):
    """Solve a game of a fixed practice ladder by trying codes that fit."""
    from itertools import product

    from evilpegs_game.feedback import feedback

    async with dial(server.url) as raw:
        await raw.hello(name=False)
        match = await raw.play("classic-practice")
        left, turn = list(product(range(6), repeat=4)), 1
        while True:
            code = left[0]
            await raw.say(type="guess", match=match, game=1, turn=turn, code="".join(str(c + 1) for c in code))
            given = await raw.hear("feedback")
            if given["black"] == 4:
                return await raw.hear("match_over")
            seen = (given["black"], given["white"])
            left, turn = [other for other in left if tuple(feedback(code, other)) == seen], turn + 1


async def test_table_recipe_collects_results(publishing_server, recipe, tmp_path):
    server, _ = publishing_server
    await recipe(TABLE)
    player, match = await resign(server)
    file = tmp_path / "results.csv"

    def row():
        rows = list(csv.DictReader(file.read_text().splitlines())) if file.exists() else []
        return next((row for row in rows if row["match"] == match and row["player"] == player), None)

    found = await until(row)
    assert found["outcomes"] == "resigned resigned resigned resigned"
    assert found["ladder"] == "classic-evil"


async def test_lamp_recipe_lights(publishing_server, recipe):
    require_mosquitto("mosquitto_sub")
    server, _ = publishing_server
    lamp = await recipe(LAMP)
    await play_codes(server)
    async with asyncio.timeout(PATIENCE):
        assert await lamp.stdout.readline() == b"lamp on\n"
