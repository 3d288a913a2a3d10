"""The script that collects results, beside a real broker to which the test publishes."""

import asyncio
import contextlib
import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import aiomqtt
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from support.brokers import Mosquitto
from support.patience import PATIENCE
from support.waiting import until

ROOT = Path(__file__).parents[2]
[DOCUMENTED] = re.findall(r"max_queued_messages \d+", (ROOT / "docs/feed.md").read_text())
USUAL = 1000
"""The messages that mosquitto keeps per client unless it is configured."""
RESULT = {"type": "match_over", "seq": 9, "at": 1, "outcomes": ["solved"], "guesses": [4], "elapsed_ms": 5}
FACTS = [("player", "ann"), ("client", "x 1"), ("ladder", "tiny"), ("rated", "true")]


class Script:
    """The script as a child process, beside its broker."""

    def __init__(self, folder, broker):
        self.file, self.broker, self.process, self.starts = folder / "results.csv", broker, None, 0

    async def start(self):
        """Start the script, and wait until it has subscribed."""
        command = [ROOT / "examples/results_to_csv.py", "127.0.0.1", str(self.broker.port), self.file]
        self.process = await asyncio.create_subprocess_exec(sys.executable, *command, stderr=asyncio.subprocess.PIPE)
        self.starts += 1
        await self.broker.wait_for_log("Received SUBSCRIBE from results-to-csv", self.starts)

    async def stop(self):
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()

    async def rows_until(self, match):
        """Wait for the row of a match, and return all rows."""
        await until(lambda: match in self.file.read_text())
        return list(csv.DictReader(self.file.read_text().splitlines()))


@pytest.fixture
async def new_script(tmp_path):
    """Start a broker with these further settings, and the script."""
    started = []

    async def new_script(*settings):
        broker = Mosquitto(tmp_path, *settings)
        await broker.start()
        started.append(Script(tmp_path, broker))
        await started[0].start()
        return started[0]

    yield new_script
    for script in started:
        await script.stop()
        script.broker.kill()


def match_id(number):
    return f"{number:016x}"


def result(number):
    return json.dumps(RESULT | {"match": match_id(number)})


async def publish(port, messages):
    """Publish pairs of a payload and its user properties, which may be None."""
    async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5) as client:
        for number, (payload, facts) in enumerate(messages):
            properties = Properties(PacketTypes.PUBLISH)
            if facts is not None:
                properties.UserProperty = facts
            topic = f"evilpegs/v1/hall/match/{match_id(number)}/result"
            await client.publish(topic, payload, qos=1, properties=properties)


@pytest.mark.parametrize(("setting", "is_complete"), [(DOCUMENTED, True), (f"max_queued_messages {USUAL}", False)])
async def test_stopped_script_misses_none_as_documented(new_script, setting, is_complete):
    """The control is mosquitto as it comes: what exceeds its queue is lost."""
    script = await new_script(setting)
    await script.stop()
    count = USUAL + 200
    await publish(script.broker.port, [(result(number), FACTS) for number in range(count)])
    await script.start()
    await script.rows_until(match_id(USUAL // 2))
    await publish(script.broker.port, [(result(count), FACTS)])
    rows = await script.rows_until(match_id(count))
    assert (len(rows) == count + 1) is is_complete


HOSTILE = [
    (result(0), None),
    (result(0), FACTS[:2]),
    (b"{", FACTS),
    (b"\xff\xfe", FACTS),
    (b"[]", FACTS),
    (b"7", FACTS),
    (b"[" * 100_000, FACTS),
    (json.dumps(RESULT), FACTS),
    (json.dumps({"match": match_id(0), "seq": 1, "at": 1, "elapsed_ms": 1}), FACTS),
    (json.dumps(RESULT | {"match": match_id(0), "outcomes": None}), FACTS),
    (json.dumps(RESULT | {"match": match_id(0), "seq": "x"}), FACTS),
    (json.dumps(RESULT | {"match": match_id(0), "seq": float("inf")}), FACTS),
]


@pytest.mark.parametrize("start", ["\ufeff", "sep=,\r\n", "\ufeffsep=,\r\n"])
async def test_script_goes_on_with_table_of_a_spreadsheet(new_script, start):
    script = await new_script()
    await publish(script.broker.port, [(result(0), FACTS)])
    await script.rows_until(match_id(0))
    await script.stop()
    saved = (start + script.file.read_text()).encode()
    script.file.write_bytes(saved)
    await script.start()
    await publish(script.broker.port, [(result(0), FACTS), (result(1), FACTS)])
    await script.rows_until(match_id(1))
    added = script.file.read_bytes().removeprefix(saved)
    assert added.count(b"\n") == 1


@pytest.mark.parametrize("table", [b"match;seq\r\n1;2\r\n", b"match,seq\n1\n", "match,seq\n".encode("utf-16")])
def test_script_refuses_other_table(tmp_path, table):
    (tmp_path / "results.csv").write_bytes(table)
    command = [sys.executable, ROOT / "examples/results_to_csv.py", "127.0.0.1", "1", tmp_path / "results.csv"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, str(tmp_path / "results.csv") in line) == (1, True)
    assert (tmp_path / "results.csv").read_bytes() == table


async def test_script_disarms_formulas(new_script):
    script = await new_script()
    facts = {"player": "=1+1", "client": "@x 1", "ladder": "tiny"}
    event = json.dumps(RESULT | {"match": match_id(0), "outcomes": ["-1+1"], "guesses": ["\t=1"], "at": -1})
    await publish(script.broker.port, [(event, list(facts.items()))] * 2 + [(result(1), FACTS)])
    [row, _] = await script.rows_until(match_id(1))
    cells = {"player": "'=1+1", "client": "'@x 1", "outcomes": "'-1+1", "guesses": "'\t=1", "at": "-1"}
    assert row.items() >= cells.items()


async def test_script_skips_other_messages(new_script):
    script = await new_script()
    await publish(script.broker.port, [*HOSTILE, (result(99), FACTS)])
    [row] = await script.rows_until(match_id(99))
    assert (row["player"], row["outcomes"], row["guesses"]) == ("ann", "solved", "4")
    await script.stop()
    lines = (await script.process.stderr.read()).decode().splitlines()
    assert len(lines) == len(HOSTILE)
    assert all("skipped" in line for line in lines)
