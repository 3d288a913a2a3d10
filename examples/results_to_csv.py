"""Collect the results of all matches into a CSV file, one row per match.

    python examples/results_to_csv.py HOST PORT results.csv

The broker keeps results for this script while it does not run, for at most a week, because it asks for a session that
lasts. mosquitto keeps 1000 of them unless its setting max_queued_messages is higher. Doubles are dropped: the file
itself says which matches it has.
"""

import asyncio
import csv
import json
import sys
from pathlib import Path

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

COLUMNS = ["match", "seq", "at", "player", "client", "ladder", "outcomes", "guesses", "elapsed_ms"]
WEEK = 7 * 24 * 3600


def read_known(file):
    """Return the match and the number of every result in the file."""
    if not file.exists():
        return set()
    try:
        with file.open(newline="", encoding="utf-8-sig") as lines:
            # "sep=," is a spreadsheet's
            rows = csv.DictReader(line for line in lines if not line.startswith("sep="))
            return {(row["match"], int(row["seq"])) for row in rows}
    except (KeyError, TypeError, ValueError, csv.Error):
        sys.exit(f"{file} is not a table that this script wrote, with commas and in UTF-8; name another file")


def disarmed(cell):
    """Return a cell that no spreadsheet computes, as it does a text that begins with one of these."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(tuple("=+-@\t\r")) else cell


def row_of(message):
    """Return the row of a result: its JSON, and what its user properties say about the match.

    Anybody may publish on a broker: what is no result of evilpegs is a ValueError.
    """
    event, properties = json.loads(message.payload), dict(getattr(message.properties, "UserProperty", ()))
    try:
        facts = {name: properties[name] for name in ("player", "client", "ladder")}
        facts |= {"match": str(event["match"]), "seq": int(event["seq"])}
        facts |= {name: int(event[name]) for name in ("at", "elapsed_ms")}
        facts |= {name: " ".join(map(str, event[name])) for name in ("outcomes", "guesses")}
    except KeyError as error:
        raise ValueError(f"it has no {error}") from None
    except (TypeError, OverflowError):
        raise ValueError("its JSON is not that of a result") from None
    return {name: disarmed(fact) for name, fact in facts.items()}


def read_row(message):
    """Return the row of a result; None, and a line on standard error, if the message is none."""
    try:
        return row_of(message)
    except (ValueError, RecursionError) as error:
        print(f"skipped a message on {message.topic.value!r}: {error}", file=sys.stderr)
        return None


async def collect(host, port, file):
    known = read_known(file)
    session = Properties(PacketTypes.CONNECT)
    session.SessionExpiryInterval = WEEK
    client = aiomqtt.Client(
        host,
        port,
        identifier="results-to-csv",
        protocol=aiomqtt.ProtocolVersion.V5,
        clean_start=False,
        properties=session,
    )
    with file.open("a", newline="", encoding="utf-8") as lines:
        table = csv.DictWriter(lines, COLUMNS, extrasaction="ignore")
        if not known and not lines.tell():
            table.writeheader()
        while True:
            try:
                async with client:
                    await client.subscribe("evilpegs/v1/+/match/+/result", qos=1)
                    async for message in client.messages:
                        row = read_row(message)
                        if row and (row["match"], row["seq"]) not in known:
                            known.add((row["match"], row["seq"]))
                            table.writerow(row)
                            lines.flush()
            except aiomqtt.MqttError as error:
                print(f"no broker: {error}; trying again", file=sys.stderr)
                await asyncio.sleep(1)


if __name__ == "__main__":
    asyncio.run(collect(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])))
