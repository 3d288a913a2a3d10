"""A server that is killed while it publishes: the next one goes on at the stored cursor."""

import asyncio
import json
import signal
import sys

from support.brokers import Mosquitto, Subscriber
from support.patience import PATIENCE
from support.patient_server import PROGRAM
from support.servers import Child, dial


class PublishingChild(Child):
    """A server in a process of its own that publishes to a broker."""

    def __init__(self, database, broker):
        super().__init__(database, PROGRAM)
        self.command += ["--mqtt", broker]


async def play_matches(url, count):
    """Resign matches, and return the last events that the player saw."""
    async with dial(url) as raw:
        await raw.hello()
        played = []
        for _ in range(count):
            await raw.say(type="play", ladder="classic-evil")
            started = await raw.hear("match_started")
            await raw.say(type="resign", match=started["match"])
            played.append(await raw.hear("match_over"))
        return played


def last_state(subscriber):
    """Return the state of the server that was published last, None if there is none yet."""
    states = subscriber.payloads("state")
    return json.loads(states[-1])["state"] if states else None


async def test_killed_server_misses_no_result(tmp_path, database):
    mosquitto, played = await Mosquitto(tmp_path).start(), []
    try:
        async with Subscriber(mosquitto.port) as subscriber:
            for _ in range(2):
                child = await PublishingChild(database, mosquitto.url).start()
                await subscriber.wait_for(lambda s: last_state(s) == "online")
                played += await play_matches(child.url, 10)
                await child.stop(signal.SIGKILL)
                await subscriber.wait_for(lambda s: last_state(s) == "lost")
            child = await PublishingChild(database, mosquitto.url).start()
            await subscriber.wait_for(lambda s: last_state(s) == "online")  # if all is published, nothing else waits
            await subscriber.wait_for(lambda s: len(s.matches) == len(played))
            status, errors = await child.stop(signal.SIGTERM)
            assert status == 0, errors
            await subscriber.wait_for(lambda s: last_state(s) == "stopped")
    finally:
        mosquitto.kill()
    by_match = {event["match"]: event for event in played}
    received = [json.loads(payload) for payload in subscriber.payloads("result")]
    assert all(event == by_match[event["match"]] for event in received)
    assert {event["match"] for event in received} == set(by_match)


async def test_server_without_broker_stops_in_order(database):
    """An address where no broker answers is tried again, and delays neither matches nor the end."""
    attempts = asyncio.Queue()

    def refuse(_reader, writer):
        attempts.put_nowait(None)
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as nobody:
        port = nobody.sockets[0].getsockname()[1]
        child = await PublishingChild(database, f"mqtt://127.0.0.1:{port}").start()
        played = await play_matches(child.url, 3)
        async with asyncio.timeout(PATIENCE):
            for _ in range(3):
                await attempts.get()
        status, errors = await child.stop(signal.SIGTERM)
    assert (status, len(played)) == (0, 3)
    lines = [json.loads(line) for line in errors.splitlines()]
    assert [line["level"] for line in lines if "MQTT" in line["event"]] == ["warning"]


async def test_server_without_aiomqtt_names_extra(database, monkeypatch):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", WITHOUT_AIOMQTT, database),
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await process.communicate()
    assert process.returncode == 2
    [line] = errors.decode().splitlines()
    assert "pip install '.[mqtt]'" in line


WITHOUT_AIOMQTT = """
import importlib.util, sys
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "aiomqtt" else find_spec(name, package)
from evilpegs.main import main
sys.exit(main(["serve", "--no-site", "--port", "0", "--mqtt", "mqtt://127.0.0.1:1", "--database", sys.argv[1]]))
"""
