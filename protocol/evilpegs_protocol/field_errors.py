"""Sentences about wrong fields of messages: which field, what it must be, and which kind of value it has instead.

The sentences never repeat the value, which may be a token, or text meant to deceive the readers of a terminal or a log.
"""

import re
from typing import Any, Final

from pydantic import ValidationError

_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}")
_KINDS: Final = {
    "string_type": "a string",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "finite_number": "a number",
    "bool_type": "true or false",
    "none_required": "null",
    "model_type": "an object",
    "dict_type": "an object",
    "list_type": "an array",
    "tuple_type": "an array",
}
"""The kind of value that a field must have, by the type of pydantic's error."""
_BOUNDS: Final = {
    "literal_error": "{expected}",
    "string_unicode": "a string without lone surrogates",
    "string_pattern_mismatch": "a string that matches {pattern}",
    "string_too_short": "a string of at least {min_length} characters",
    "string_too_long": "a string of at most {max_length} characters",
    "too_short": "an array of at least {min_length} values",
    "too_long": "an array of at most {max_length} values",
    "greater_than": "greater than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
}
"""The requirement that a value of the right kind breaks, with keys of the error's context in braces."""


def describe_error(error: ValidationError, outer: int = 0) -> str:
    """Return a sentence about the first wrong field; the first ``outer`` parts of its path are left out."""
    first = error.errors(include_url=False)[0]
    path, kind = ".".join(_name(part) for part in first["loc"][outer:]), first["type"]
    if kind == "missing":
        return f"{path} is missing"
    if kind == "extra_forbidden":
        return f"{path} is not a field of this message"
    if kind in _KINDS:
        return f"{path or 'a message'} must be {_KINDS[kind]}, not {_kind_of(first['input'])}"
    if kind in _BOUNDS:
        return f"{path} must be {_BOUNDS[kind].format(**first.get('ctx', {}))}"
    if kind == "union_tag_invalid":
        return "no such type of message here"
    text = first["msg"].removeprefix("Value error, ")
    return f"{path}: {text}" if path else text


def _kind_of(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int():
            return "an integer"
        case float():
            return "a number with a fraction, an exponent or too many digits"
        case str():
            return "a string"
        case list() | tuple():
            return "an array"
        case _:
            return "an object"


def _name(part: str | int) -> str:
    plain = isinstance(part, int) or _PLAIN_NAME.fullmatch(part)
    return str(part) if plain else "(unprintable)"
