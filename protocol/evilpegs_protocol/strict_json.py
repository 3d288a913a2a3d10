"""A JSON reader that refuses what readers in other languages would understand differently.

The messages of clients and the lines of record files are read with it.
"""

import json
from typing import Any


class JsonError(ValueError):
    """An error about a text that is not JSON, or that two readers may understand differently."""


def parse_json(text: str) -> Any:
    """Return the value of the JSON ``text``.

    Raises:
        JsonError: The text is not JSON or is nested too deeply, an object has the same key twice, or a number is
            written as NaN or Infinity.

    >>> parse_json('{"turn": 1, "turn": 2}')
    Traceback (most recent call last):
        ...
    evilpegs_protocol.strict_json.JsonError: a key occurs twice
    """
    try:
        return _DECODER.decode(text)
    except JsonError:
        raise
    except (ValueError, RecursionError):
        message = "not JSON"
        raise JsonError(message) from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        message = "a key occurs twice"
        raise JsonError(message)
    return value


def _refuse_constant(name: str) -> None:
    message = f"{name} is not JSON"
    raise JsonError(message)


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
