"""The JSON text of messages: strict where clients write it, canonical where it is hashed."""

import json
import re
from typing import Any, Final

import orjson
from pydantic import TypeAdapter, ValidationError

from evilpegs_protocol.client_messages import MOVED, ClientRequest
from evilpegs_protocol.constants import FRAME_BYTES, NESTING
from evilpegs_protocol.fields import Message, describe_error
from evilpegs_protocol.server_messages import AnyRecordEvent, ErrorCode, RecordEvent, ServerEvent

_validate_request: Final = TypeAdapter(ClientRequest).validator.validate_python
_SERVER_EVENTS: TypeAdapter[Any] = TypeAdapter(ServerEvent)
_RECORD_EVENTS: TypeAdapter[Any] = TypeAdapter(AnyRecordEvent)
# Possessive, and matching to the end if a string is not closed, so that any text takes a single pass.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_ESCAPED_NUL = re.compile(r"(?<!\\)(?:\\\\)*+\\u0000")


class JsonError(ValueError):
    """A text that is not JSON, or that two readers may understand differently."""


class CodecError(ValueError):
    """A text that is not a valid message; ``re`` is the id of the message, if a valid one could be read."""

    def __init__(self, code: ErrorCode, message: str, re: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.re = re


def decode_request(text: str) -> ClientRequest:
    if len(text) > FRAME_BYTES or (not text.isascii() and len(text.encode("utf-8", "replace")) > FRAME_BYTES):
        raise CodecError(ErrorCode.TOO_BIG, f"a message has at most {FRAME_BYTES} bytes")
    value = _load_plain(text)
    if value is None:
        value = _load_carefully(text)
    try:
        return _validate_request(value)  # type: ignore[no-any-return]
    except ValidationError as error:
        raise _refusal(value, error) from None


def decode_event(text: str) -> ServerEvent:
    """Decode a server message, one of an unknown type as `Unknown`; raises CodecError."""
    try:
        return _SERVER_EVENTS.validate_json(text)  # type: ignore[no-any-return]
    except ValidationError as error:
        raise CodecError(ErrorCode.BAD_MESSAGE, describe_error(error, outer=1)) from None


def decode_record_event(text: str) -> RecordEvent:
    """Decode an event of a record; raise CodecError also for other messages and for unknown types."""
    try:
        return _RECORD_EVENTS.validate_json(text)  # type: ignore[no-any-return]
    except ValidationError as error:
        raise CodecError(ErrorCode.BAD_MESSAGE, describe_error(error)) from None


def encode(message: Message) -> str:
    return message.model_dump_json()


# sorted keys, no white space, integers only; TypeError or ValueError for what JSON does not have
canonical: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def check_canonical(value: object) -> None:
    """Raise ValueError for fractions, numbers from 2^53 and halves of surrogate pairs, which not all programs keep."""
    if isinstance(value, dict):
        for key, member in value.items():
            check_canonical(key)
            check_canonical(member)
    elif isinstance(value, list | tuple):
        for member in value:
            check_canonical(member)
    elif isinstance(value, float) or (isinstance(value, int) and abs(value) >= 2**53):
        raise ValueError(f"canonical JSON has only whole numbers below 2^53, not {value!r:.40}")
    elif isinstance(value, str) and not value.isascii():
        value.encode()


def parse_json(text: str) -> Any:
    """Parse JSON; raises JsonError, also for what others understand differently: repeated keys, NaN, infinities."""
    return _parsed(_STRICT, text)


def parse_event_text(text: str) -> Any:
    """Parse JSON like `parse_json`; raises JsonError also for 1.0 and 1e0, which a browser reads as 1."""
    return _parsed(_WHOLE, text)


def _parsed(decoder: json.JSONDecoder, text: str) -> Any:
    try:
        return decoder.decode(text)
    except JsonError:
        raise
    except (ValueError, RecursionError):
        raise JsonError("not JSON") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise JsonError("a key occurs twice")
    return value


def _refuse_constant(name: str) -> None:
    raise JsonError(f"{name} is not JSON")


def _refuse_fraction(number: str) -> None:
    raise JsonError(f"{number:.20} is not a whole number")


_STRICT = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
_WHOLE = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_refuse_constant, parse_float=_refuse_fraction)


def _load_plain(text: str) -> dict[str, Any] | None:
    # Most messages have no array, escape, colon in a string or nested key. A key is followed by a colon, so an object
    # with as many keys as the text has colons has no key twice.
    if "\\" in text or "[" in text:
        return None
    try:
        value = orjson.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) and len(value) == text.count(":") else None


def _load_carefully(text: str) -> Any:
    if "\0" in text or ("\\u0000" in text and _ESCAPED_NUL.search(text)):
        raise CodecError(ErrorCode.BAD_JSON, "NUL characters are not allowed")
    if text.count("{") + text.count("[") > NESTING and _depth(text) > NESTING:
        raise CodecError(ErrorCode.BAD_JSON, f"nested deeper than {NESTING} levels")
    try:
        return parse_json(text)
    except JsonError as error:
        raise CodecError(ErrorCode.BAD_JSON, str(error)) from None


def _depth(text: str) -> int:
    deepest = depth = 0
    for character in _STRING.sub("", text):
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _refusal(value: Any, error: ValidationError) -> CodecError:
    message_id = value.get("id") if isinstance(value, dict) else None
    re = message_id if isinstance(message_id, str) and is_message_id(message_id) else None
    if not isinstance(value, dict) or "type" not in value:
        return CodecError(ErrorCode.BAD_MESSAGE, 'a message must be a JSON object with a field "type"', re)
    if error.errors(include_url=False, include_input=False)[0]["type"] == "union_tag_invalid":
        if isinstance(value["type"], str) and value["type"] in MOVED:
            return CodecError(ErrorCode.MOVED, f"{value['type']} is answered by the site", re)
        return CodecError(ErrorCode.UNKNOWN_TYPE, "no such type of client message", re)
    return CodecError(ErrorCode.BAD_MESSAGE, describe_error(error), re)


def is_message_id(text: str) -> bool:
    return 1 <= len(text) <= 64 and text.isascii() and text.isprintable()
