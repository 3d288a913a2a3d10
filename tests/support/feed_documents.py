"""The JSON schemas of the feed, read from docs/feed.md."""

import json
import re
from pathlib import Path

import evilpegs_protocol
from evilpegs_protocol.topics import parse_topic

DOCUMENT = Path(__file__).parents[2] / "docs" / "feed.md"
PROTOCOL = json.loads(Path(evilpegs_protocol.__file__).with_name("schema.json").read_text())


def _schemas():
    """Return the schema of each kind of topic; definitions of schema.json, to which schemas refer, are included."""
    blocks = re.findall(r"### `(\w+)`( of a ladder)?\n.*?```json\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    return {kind + owner: _with_definitions(json.loads(text)) for kind, owner, text in blocks}


def _with_definitions(schema):
    text = json.dumps(schema).replace("schema.json#/$defs/", "#/$defs/")
    return json.loads(text) | {"$defs": PROTOCOL["$defs"]}


SCHEMAS = _schemas()


def kind_of(topic):
    """Return the key of a topic in `SCHEMAS`."""
    parsed = parse_topic(topic)
    return f"{parsed.kind} of a ladder" if parsed.kind == "result" and parsed.ladder else parsed.kind
