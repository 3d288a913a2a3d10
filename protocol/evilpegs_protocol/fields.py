"""The types of fields, the base classes of messages, and sentences about wrong fields."""

import re
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

MatchId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[^\s\x00-,./:-@\[-^`{-\x9f]{2,20}$")]
"""Letters of any script, digits, _ and -; only of a-z, 0-9, _ and - if the player claimed the name."""
LADDER_ID: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
LadderId = Annotated[str, StringConstraints(pattern=f"^{LADDER_ID.pattern}$")]
Token = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
PublicKey = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z_-]{43}$")]
Signature = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z_-]{86}$")]
CodeText = Annotated[str, StringConstraints(max_length=64)]
MessageId = Annotated[str, StringConstraints(pattern=r"^[ -~]{1,64}$")]
ClientNonce = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z_-]{1,64}$")]
Label = Annotated[str, StringConstraints(pattern=r"^[ -~]{1,64}$")]
ProgramText = Annotated[str, StringConstraints(pattern=r"^[ -~]{0,129}$")]
"""The name and the version of a program, with a space between."""
Codemaker = Literal["fixed", "evil", "devil"]
ClaimedKind = Literal["bot", "human"]
"""What whoever claims a name says to be."""
Outcome = Literal["solved", "unsolved", "flagged", "resigned", "forfeit", "void"]

Number = Annotated[int, Field(ge=1, le=10**6)]  # the number of a game in its match or of a turn in its game
SequenceNumber = Annotated[int, Field(ge=0, le=2**53 - 1)]
"""The number of an event in the record of a match; 0 if there is no event yet."""
Milliseconds = Annotated[int, Field(ge=0, le=2**53 - 1)]
Count = Annotated[int, Field(ge=0)]


def optional(**extra: Any) -> Any:
    """Declare a model field that is left out of the JSON while it is None."""
    return Field(default=None, exclude_if=lambda value: value is None, **extra)


class Message(BaseModel):
    """The base class of messages and of their parts: frozen and strict, so no value is converted to another type."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class Program(Message):
    """The name and the version of a client or server program. Both are shown to people, and on the leaderboard."""

    name: Label
    version: Label


class ClientMessage(Message):
    """A message of a client. Unknown fields are refused; the answer repeats `id` in its field `re`."""

    model_config = ConfigDict(extra="forbid")

    id: MessageId | None = optional()


class ServerMessage(Message):
    """A message of the server. An answer has in `re` the `id` of the client's message, if it had one.

    Clients ignore unknown fields, so that version 1 of the protocol can grow.
    """

    re: MessageId | None = optional()


class Event(ServerMessage):
    """One event of the record of a match.

    `seq` numbers the events of the record from 1 without gaps, and `at` is Unix time in milliseconds.
    """

    type: str
    match: MatchId
    seq: SequenceNumber
    at: Milliseconds


_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}")
# the kind of value that a field must have, by the type of pydantic's error
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
_JSON_NAMES: Final[dict[type, str]] = {
    type(None): "null",
    bool: "true or false",
    int: "an integer",
    float: "a number with a fraction, an exponent or too many digits",
    str: "a string",
    list: "an array",
    tuple: "an array",
}
# the requirement that a value of the right kind breaks, with keys of the error's context in braces
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


def describe_error(error: ValidationError, outer: int = 0) -> str:
    """Return a sentence about the first wrong field; the first ``outer`` parts of its path are left out.

    It never repeats the value, which may be a token, or text meant to deceive the readers of a terminal or a log.
    """
    first = error.errors(include_url=False)[0]
    path, kind = ".".join(_name(part) for part in first["loc"][outer:]), first["type"]
    if kind == "missing":
        return f"{path} is missing"
    if kind == "extra_forbidden":
        return f"{path} is not a field of this message"
    if kind in _KINDS:
        got = _JSON_NAMES.get(type(first["input"]), "an object")
        return f"{path or 'a message'} must be {_KINDS[kind]}, not {got}"
    if kind in _BOUNDS:
        return f"{path} must be {_BOUNDS[kind].format(**first.get('ctx', {}))}"
    if kind == "union_tag_invalid":
        return "no such type of message here"
    text = first["msg"].removeprefix("Value error, ")
    return f"{path}: {text}" if path else text


def _name(part: str | int) -> str:
    plain = isinstance(part, int) or _PLAIN_NAME.fullmatch(part)
    return str(part) if plain else "(unprintable)"
