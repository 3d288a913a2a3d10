"""The short cuts on the path of a guess, around the WebSocket library and the message models.

For each short cut there is plain code that does the same through the library or the model, here or where the short cut
is used, and `SWITCH` chooses between them. The tests run matches both ways and compare the messages.
`python -m bench.server.throughput --parts` measures the gain of each part. In closed loop with 100 connections the
gains were

* ``frames``, 7 %: the messages of a step are framed here and written with one call;
* ``early``, 16 %: a read that is one whole text message is decoded here and handled at once, so that neither the
  library's parser nor a task has to run for it;
* ``texts``, 5 %: the JSON of a feedback and of a turn is written without creating and validating a model, and the id of
  the request is added to a text that was encoded for the record.
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
    """The parts of the fast path of a guess, each True if it is in use.

    With ``frames``, all messages of a step are written with one call. With ``early``, a text that was read alone and as
    a whole is handled at once. With ``texts``, JSON is written without creating and validating models.
    """

    frames: bool = True
    early: bool = True
    texts: bool = True


SWITCH: Final = Switch()

_HEADER_BYTES: Final = 6
"""The number of bytes before the text in a frame of a client with at most 125 bytes of text: head, size and mask."""
_COMPLETE_TEXT: Final = 0x81
_MASKED: Final = 0x80


@contextmanager
def without(*parts: str) -> Iterator[None]:
    """Switch ``parts`` of the fast path off within the block, for tests and measurements.

    ``parts`` are names of fields of `Switch`. When the block ends, their former values are restored.
    """
    before = {part: getattr(SWITCH, part) for part in parts}
    for part in parts:
        setattr(SWITCH, part, False)
    try:
        yield
    finally:
        for part, value in before.items():
            setattr(SWITCH, part, value)


def write_texts(connection: ServerConnection, texts: Sequence[str]) -> None:
    """Write each of ``texts`` as one message to the socket of an open connection."""
    if SWITCH.frames:
        connection.transport.write(b"".join(map(text_frame, texts)))
        return
    for text in texts:
        connection.protocol.send_text(text.encode())
        connection.send_data()


def text_frame(text: str) -> bytes:
    """Return ``text`` as one WebSocket frame of a server.

    The result equals that of `websockets.frames.Frame.serialize` without extensions.
    """
    payload = text.encode()
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2) + payload
    return b"\x81\x7f" + size.to_bytes(8) + payload


def whole_text(data: bytes, protocol: ServerProtocol) -> str | None:
    """Return the text in ``data`` if these bytes are one complete text message of up to 125 bytes, otherwise None.

    ``data`` are the next bytes for ``protocol``. The result is None if the library waits for the rest of a frame or of
    a message in fragments, if the connection is not open, and if the part ``early`` of the fast path is off.
    """
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
    """Return True if the parser of ``protocol`` has used all bytes that it was given, and waits for the next frame."""
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
    """Return the canonical JSON of the `FeedbackGiven` event of a rated game with these values.

    ``at`` is the time of the event in Unix milliseconds, and ``feedback`` is (black, white). ``took_ms`` is the time
    that the player is charged for the guess, ``left_ms`` their time left afterwards, or None if the game is untimed,
    and ``stalled_ms`` the time of the server's stalls that they are not charged for. The values are not validated; the
    plain form of this function is `record.encoding.feedback_event`.
    """
    left = "null" if left_ms is None else left_ms
    by_method = "" if method is None else f'"method":"{method}",'
    stalled = "" if stalled_ms is None else f'"stalled_ms":{stalled_ms},'
    return (
        f'{{"at":{at},"black":{feedback[0]},"code":"{code}","game":{game},"left_ms":{left},"match":"{match}",{by_method}'
        f'"seq":{seq},{stalled}"took_ms":{took_ms},"turn":{turn},"type":"feedback","white":{feedback[1]}}}'
    )


def turn_json(match: str, game: int, turn: int, left_ms: int | None) -> str:
    """Return the JSON of a `TurnStarted` message without the field `re`. The values are not validated.

    ``left_ms`` is the time that the player has left, or None if the game is untimed.
    """
    if not SWITCH.texts:
        return encode(TurnStarted(match=match, game=game, turn=turn, left_ms=left_ms))
    left = "null" if left_ms is None else left_ms
    return f'{{"type":"turn","match":"{match}","game":{game},"turn":{turn},"left_ms":{left}}}'


def add_re(event: str, re: str | None) -> str:
    """Return the JSON text ``event`` with ``re`` as its last field, or unchanged if ``re`` is None.

    The field makes the event the answer to the request with the id ``re``.
    """
    if re is None:
        return event
    if not SWITCH.texts:
        return orjson.dumps(orjson.loads(event) | {"re": re}).decode()
    return f'{event[:-1]},"re":{orjson.dumps(re).decode()}}}'
