"""Files with records of matches, one event per line."""

import json
from collections.abc import Sequence
from typing import Any, Final

from evilpegs.errors import CommandError
from evilpegs.files import FileKind, check_name, display_name, filled_lines, open_to_read, write_text
from evilpegs_clients.printable import printable
from evilpegs_protocol.codec import CodecError, decode_record_event, parse_json
from evilpegs_protocol.server_messages import MatchStarted

RECORD_HINT: Final = "write one with: evilpegs replay MATCH --record FILE"
RECORD_SOURCES: Final = f"{RECORD_HINT}, or fetch it from the site of the server at /api/v1/matches/MATCH/record"
NOT_RECORDED: Final = frozenset({"turn", "resumed", "watching", "hint", "pong", "notice"})
"""The messages that a client receives between the events of a record."""


def _begins_record(line: bytes) -> bool:
    try:
        event = parse_json(line.decode())
    except ValueError:
        return False
    return isinstance(event, dict) and event.get("type") == "match_started"


RECORD: Final = FileKind("a record", _begins_record)


def read_record(name: str) -> tuple[MatchStarted, list[dict[str, Any]]]:
    """Read a record, and return its first event and all events as they are in the file.

    Only what a client receives in addition is left out: the field ``re`` of an answer, and the messages of
    `NOT_RECORDED`.
    """
    check_name(name)
    events: list[dict[str, Any]] = []
    started: MatchStarted | None = None
    with open_to_read(name, RECORD_HINT) as file:
        for number, line in enumerate(filled_lines(file), 1):
            event = _parse_object(name, number, line)
            if str(event.get("type")) in NOT_RECORDED:
                continue
            event.pop("re", None)
            events.append(event)
            started = started or _parse_start(name, number, event)
            _check_same_match(name, started, event)
    if started is None:
        raise _not_a_record(name, "it is empty")
    return started, events


def write_record(name: str, events: Sequence[str]) -> None:
    write_text(name, "".join(event + "\n" for event in events))


def _parse_object(name: str, number: int, line: bytes) -> dict[str, Any]:
    try:
        # refuses repeated keys and constants such as NaN, which programs understand differently
        value = parse_json(line.decode())
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise _not_a_record(name, f"line {number} is not a JSON object")
    return value


def _check_same_match(name: str, started: MatchStarted, event: dict[str, Any]) -> None:
    if event.get("type") == "match_started" and event.get("match") != started.match:
        matches = f"{started.match} and {printable(str(event.get('match')))[:40]}"
        raise CommandError(f"{display_name(name)} holds two matches, {matches}; write each into a file of its own")


def _parse_start(name: str, number: int, event: dict[str, Any]) -> MatchStarted:
    if event.get("type") != "match_started":
        raise _not_a_record(name, 'its first line has no "type": "match_started"')
    try:
        started = decode_record_event(json.dumps(event))
    except CodecError as error:
        raise _not_a_record(name, f"line {number} is not an event of a match: {error}") from None
    assert isinstance(started, MatchStarted)  # noqa: S101 - its type says so
    return started


def _not_a_record(name: str, why: str) -> CommandError:
    return CommandError(f"{display_name(name)} is not the record of a match: {why}; {RECORD_SOURCES}")
