"""Short cuts that handle a guess without the general code of the WebSocket library and of the message models.

`SWITCH` chooses between each short cut and plain code that does the same, here or where the short cut is used. The
tests run matches both ways and compare the messages. Processor time of the event loop per guess that each short cut
saves, with 100 connections that guess without a pause (`python -m bench.server.throughput --parts`):

* ``frames``, 9 %: all messages that answer one request are framed here and written with one call;
* ``early``, 9 %: a read that is exactly one text message is decoded and handled at once, without the library's parser
  and without a task;
* ``texts``, 14 %: the JSON of a feedback and of a turn is written without a validated model, and the request's id is
  added to a text already encoded for the record.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal

import orjson
from websockets.asyncio.server import ServerConnection
from websockets.frames import apply_mask  # type: ignore[attr-defined] # compiled if the platform allows
from websockets.protocol import State
from websockets.server import ServerProtocol

from evilpegs_protocol.codec import encode
from evilpegs_protocol.server_messages import TurnStarted


@dataclass
class Switch:
    """The short cuts in use; see the module."""

    frames: bool = True
    early: bool = True
    texts: bool = True


SWITCH: Final = Switch()

# head 1, size 1 and mask 4 bytes: a client's frame with at most 125 bytes of text
_HEADER_BYTES: Final = 6
_COMPLETE_TEXT: Final = 0x81
_MASKED: Final = 0x80


@contextmanager
def without(*parts: str) -> Iterator[None]:
    """Switch short cuts, named as the fields of `Switch`, off within the block: for tests and measurements."""
    before = {part: getattr(SWITCH, part) for part in parts}
    for part in parts:
        setattr(SWITCH, part, False)
    try:
        yield
    finally:
        for part, value in before.items():
            setattr(SWITCH, part, value)


def write_texts(connection: ServerConnection, texts: Sequence[str]) -> None:
    if SWITCH.frames:
        connection.transport.write(b"".join(map(text_frame, texts)))
        return
    for text in texts:
        connection.protocol.send_text(text.encode())
        connection.send_data()


def text_frame(text: str) -> bytes:
    """Return the bytes that `websockets.frames.Frame.serialize` returns for a whole text message without extensions."""
    payload = text.encode()
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2) + payload
    return b"\x81\x7f" + size.to_bytes(8) + payload


def whole_text(data: bytes, protocol: ServerProtocol) -> str | None:
    """Return the text if one read from a client, still unparsed, is exactly one text message of at most 125 bytes."""
    size = len(data) - _HEADER_BYTES
    if not SWITCH.early or not 0 <= size < 126 or data[0] != _COMPLETE_TEXT or data[1] != _MASKED | size:
        return None
    if protocol.state is not State.OPEN or protocol.current_size is not None or not _is_between_frames(protocol):
        return None
    try:
        return apply_mask(data[_HEADER_BYTES:], data[2:_HEADER_BYTES]).decode()
    except UnicodeDecodeError:
        return None


def _is_between_frames(protocol: ServerProtocol) -> bool:
    # a parser that waits for the next frame has parsed all bytes and is suspended in `at_eof`
    innermost: Any = protocol.parser
    while innermost.gi_yieldfrom is not None:
        innermost = innermost.gi_yieldfrom
    return bool(innermost.__name__ == "at_eof")


def feedback_json(
    match: str,
    seq: int,
    at: int,
    game: int,
    turn: int,
    code: str,
    feedback: tuple[int, int],
    took_ms: int,
    left_ms: int | None,
    method: Literal["exact", "greedy"] | None = None,
    stalled_ms: int | None = None,
) -> str:
    """Return the canonical JSON of `record.encoding.feedback_event` of a rated game, unvalidated."""
    left = "null" if left_ms is None else left_ms
    by_method = "" if method is None else f'"method":"{method}",'
    stalled = "" if stalled_ms is None else f'"stalled_ms":{stalled_ms},'
    return (
        f'{{"at":{at},"black":{feedback[0]},"code":"{code}","game":{game},"left_ms":{left},"match":"{match}",{by_method}'
        f'"seq":{seq},{stalled}"took_ms":{took_ms},"turn":{turn},"type":"feedback","white":{feedback[1]}}}'
    )


def turn_json(match: str, game: int, turn: int, left_ms: int | None) -> str:
    """Return the JSON of a `TurnStarted` message without `re`, unvalidated."""
    if not SWITCH.texts:
        return encode(TurnStarted(match=match, game=game, turn=turn, left_ms=left_ms))
    left = "null" if left_ms is None else left_ms
    return f'{{"type":"turn","match":"{match}","game":{game},"turn":{turn},"left_ms":{left}}}'


def add_re(event: str, re: str | None) -> str:
    """Append the field `re` to the JSON object ``event``, which makes it the answer to the request with that id."""
    if re is None:
        return event
    if not SWITCH.texts:
        return orjson.dumps(orjson.loads(event) | {"re": re}).decode()
    return f'{event[:-1]},"re":{orjson.dumps(re).decode()}}}'
