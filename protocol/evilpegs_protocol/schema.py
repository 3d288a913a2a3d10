"""The JSON Schema of every message; ``python -m evilpegs_protocol.schema`` writes it into schema.json beside this."""

import json
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from evilpegs_protocol.client_messages import ClientRequest
from evilpegs_protocol.server_messages import AnyServerMessage

SCHEMA_FILE: Final = Path(__file__).with_name("schema.json")


def schema() -> dict[str, Any]:
    """Return the JSON Schema; `$defs/client` has the messages of clients, and `$defs/server` those of the server."""
    sides, described = TypeAdapter.json_schemas(
        [
            ("client", "validation", TypeAdapter(ClientRequest)),
            ("server", "validation", TypeAdapter(AnyServerMessage)),
        ]
    )
    definitions = {name: _with_type(value) for name, value in described["$defs"].items()}
    definitions |= {side: value for (side, _mode), value in sides.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "evilpegs protocol v1",
        "oneOf": [{"$ref": "#/$defs/client"}, {"$ref": "#/$defs/server"}],
        "$defs": definitions,
    }


def _with_type(definition: dict[str, Any]) -> dict[str, Any]:
    # every message that is sent has a `type`, but in the models it has a default, so pydantic does not require it
    if "const" not in definition.get("properties", {}).get("type", {}):
        return definition
    return definition | {"required": ["type", *definition.get("required", [])]}


def schema_text() -> str:
    return json.dumps(schema(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text())
