"""The generated schema agrees with the codec, and protocol/README.md agrees with both."""

import json
import re
from itertools import chain
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from evilpegs_protocol.codec import CodecError, decode_event, decode_request
from evilpegs_protocol.schema import SCHEMA_FILE, schema_text
from evilpegs_protocol.server_messages import ErrorCode

HERE = Path(__file__).parent
README = (HERE.parents[1] / "protocol" / "README.md").read_text()
SCHEMA = json.loads(SCHEMA_FILE.read_text())
SAMPLES = {
    "client": json.loads((HERE / "client_messages.json").read_text()),
    "server": json.loads((HERE / "server_messages.json").read_text()),
}
DECODE = {"client": decode_request, "server": decode_event}
EVERY = [(side, message) for side in SAMPLES for message in SAMPLES[side]]
REPLACEMENTS = [
    None, True, False, -1, 0, 1, 10**6 + 1, 2**53, 1.5, "", "1", "classic", "bot", "guest", "x" * 41, "x" * 65,
    "\u00e9", "0123456789abcdef", "0" * 64, "F" * 16, [], ["solved"], [1], [[0, 0, 1]], [[0, 0]], ["lost"], {},
    {"name": "a", "version": "b"}, {"name": "", "version": "b"}, {"game": 1, "turn": 1}, {"base_ms": 1},
]  # fmt: skip


def name_of(part):
    return part if isinstance(part, str) else part["type"]


def validator(name):
    return Draft202012Validator(SCHEMA | {"oneOf": [{"$ref": f"#/$defs/{name}"}]})


VALIDATORS = {side: validator(side) for side in SAMPLES}


def codec_takes(side, message):
    try:
        DECODE[side](json.dumps(message))
    except CodecError:
        return False
    return True


def breaks_rule_of_codec(message):
    """Return whether the message breaks the rule for the optional fields of `hello`, which only the codec checks."""
    if message["type"] != "hello":
        return False
    token, name, kind = (message.get(key) for key in ("token", "name", "kind"))
    return (token and name) is not None or (name is None) != (kind is None)


def variants(side, message):
    """Yield the message with each field except its type left out, replaced or added.

    In messages of a server no field depends on another, so those of an earlier sample of this type are not tried again.
    """
    earlier = SAMPLES[side][: SAMPLES[side].index(message)] if side == "server" else []
    tried = {"type"}.union(*(sample for sample in earlier if sample["type"] == message["type"]))
    fields = [field for field in message if field not in tried]
    for field in fields:
        yield {key: value for key, value in message.items() if key != field}
    for field in [*fields, "id", "re", "unknown"]:
        yield from (message | {field: value} for value in REPLACEMENTS)


def models_in(side):
    """Return the name of the model of each message type."""
    names = [ref["$ref"].removeprefix("#/$defs/") for ref in SCHEMA["$defs"][side]["oneOf"]]
    models = {SCHEMA["$defs"][name]["properties"]["type"]["const"]: name for name in names}
    assert len(models) == len(names)
    return models


def types_in(side):
    return {kind: SCHEMA["$defs"][name] for kind, name in models_in(side).items()}


def quoted(text):
    return re.findall(r"`([^`]+)`", text)


def table(header):
    """Return the rows, as lists of cells, of the README's table whose first column has this header."""
    _, _, rest = README.partition(f"\n| {header} |")
    rows = rest.split("\n\n")[0].splitlines()[2:]
    assert rows
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


def test_schema_file_is_current():
    """After a change of messages, run `python -m evilpegs_protocol.schema`."""
    assert SCHEMA_FILE.read_text() == schema_text()


def test_schema_is_valid_2020_12():
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(("side", "message"), EVERY, ids=name_of)
def test_schema_takes_messages_of_own_side_only(side, message):
    other = {"client": "server", "server": "client"}[side]
    assert VALIDATORS[side].is_valid(message)
    assert not VALIDATORS[other].is_valid(message)
    assert Draft202012Validator(SCHEMA).is_valid(message)


@pytest.mark.parametrize(("side", "message"), EVERY, ids=name_of)
def test_schema_and_codec_agree_on_every_variant(side, message):
    """Variants keep their type, so one model of their side decides."""
    model = validator(models_in(side)[message["type"]])
    for variant in variants(side, message):
        taken = model.is_valid(variant) and not breaks_rule_of_codec(variant)
        assert codec_takes(side, variant) == taken, variant


@pytest.mark.parametrize("side", SAMPLES)
@pytest.mark.parametrize("value", [None, 1, "ping", [], {}, {"c": 1}, {"type": None}, {"type": 1}, {"type": "Ping"}])
def test_schema_refuses_unknown_type(side, value):
    assert not VALIDATORS[side].is_valid(value)


def test_schema_lets_only_servers_add_fields():
    for model in types_in("client").values():
        assert model["additionalProperties"] is False
    for model in types_in("server").values():
        assert "additionalProperties" not in model


def test_readme_names_every_message_and_no_other():
    sent = table("type")
    assert set(chain.from_iterable(quoted(row[0]) for row in sent)) == set(types_in("client"))
    received = [*table("event"), *table("other")]
    named = set(chain.from_iterable(quoted(row[0]) for row in received)) | {"welcome"}
    assert named == set(types_in("server"))
    answers = set(chain.from_iterable(quoted(row[2]) for row in sent))
    assert answers <= named


def fields_in(header):
    """Yield each message of a table of the README with the field names in its row."""
    for types, fields, *_ in table(header):
        kinds = quoted(types)
        each = fields.split(" / ") if " / " in types else [fields] * len(kinds)
        yield from zip(kinds, map(quoted, each), strict=True)


@pytest.mark.parametrize(
    ("side", "header", "shared"),
    [
        ("client", "type", {"type", "id"}),
        ("server", "event", {"type", "re", "match", "seq", "at"}),
        ("server", "other", {"type", "re"}),
    ],
)
def test_readme_names_every_field(side, header, shared):
    for kind, fields in fields_in(header):
        assert set(types_in(side)[kind]["properties"]) <= shared | set(fields), kind


def test_readme_names_every_error_code_only():
    codes = list(chain.from_iterable(quoted(row[0]) for row in table("code")))
    assert sorted(codes) == sorted(ErrorCode)
