"""Short cuts that handle a guess without the general code of the WebSocket library and of the message models.

For each short cut there is plain code that does the same through the library or the model, in this module or where the
short cut is used, and `SWITCH` chooses between the two. The tests run matches both ways and compare the messages.
`python -m bench.server.throughput --parts` measures how much more processor time the event loop takes per guess without
each short cut. With 100 connections that each send the next guess as soon as the last one is answered, it was

* ``frames``, 9 %: all messages that answer one request are made into frames here and written with one call;
* ``early``, 9 %: if the bytes of one read are exactly one text message, they are decoded here and handled at once, so
  that neither the library's parser nor a task has to run;
* ``texts``, 14 %: the JSON of a feedback and of a turn is written without creating and validating a model, and the id
  of the request is added to a text that was encoded for the record.
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
    """The switches of the short cuts for guesses; each field is True if its short cut is in use.

    With ``frames``, all messages that answer one request are written to the socket with one call. With ``early``, a
    text message that was read from the socket alone and as a whole is handled at once, without a task. With ``texts``,
    JSON is written without creating and validating models.
    """

    frames: bool = True
    early: bool = True
    texts: bool = True


SWITCH: Final = Switch()

_HEADER_BYTES: Final = 6
"""The number of bytes before the text in a client's frame of at most 125 bytes of text: head 1, size 1, mask 4."""
_COMPLETE_TEXT: Final = 0x81
_MASKED: Final = 0x80


@contextmanager
def without(*parts: str) -> Iterator[None]:
    """Switch the short cuts ``parts`` off within the block, for tests and measurements.

    ``parts`` are names of fields of `Switch`. When the block ends, these fields get their former values back.
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
    """Return the WebSocket frame in which a server sends ``text`` as one whole message.

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
    """Return the text in ``data`` if these bytes are one whole text message of at most 125 bytes; otherwise None.

    ``data`` are the bytes of one read from a client, which ``protocol``, the library's state of the connection, has not
    parsed yet. The result is also None if the text is not UTF-8, if ``protocol`` waits for the rest of a frame or of a
    fragmented message, if the connection is not open, and if `Switch.early` is False.
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
    """Return True if the parser of ``protocol`` has parsed all bytes that it received, and waits for the next frame."""
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
    """Return the canonical JSON of the `FeedbackGiven` event of a rated game with these values. No value is validated.

    ``match`` is the id of the match, ``seq`` the number of the event in the match, from 1, and ``at`` the time of the
    event in Unix milliseconds. ``game`` and ``turn`` are numbers from 1, ``code`` is the guess as text, and
    ``feedback`` is (black, white). ``took_ms`` is the time that the player is charged for the guess, ``left_ms`` is the
    player's time left afterwards, or None if the game is untimed. ``stalled_ms`` is the time during which the server
    stood still and which the player is not charged for, or None if there was none. ``method`` is the method by which a
    devil found the reply, or None for other codemakers. All three times are in milliseconds.
    `record.encoding.feedback_event` returns the same event as a model.
    """
    left = "null" if left_ms is None else left_ms
    by_method = "" if method is None else f'"method":"{method}",'
    stalled = "" if stalled_ms is None else f'"stalled_ms":{stalled_ms},'
    return (
        f'{{"at":{at},"black":{feedback[0]},"code":"{code}","game":{game},"left_ms":{left},"match":"{match}",{by_method}'
        f'"seq":{seq},{stalled}"took_ms":{took_ms},"turn":{turn},"type":"feedback","white":{feedback[1]}}}'
    )


def turn_json(match: str, game: int, turn: int, left_ms: int | None) -> str:
    """Return the JSON of a `TurnStarted` message without the field `re`, the id of a request. No value is validated.

    ``match`` is the id of the match; ``game`` and ``turn`` are numbers from 1. ``left_ms`` is the time in milliseconds
    that the player has left, or None if the game is untimed.
    """
    if not SWITCH.texts:
        return encode(TurnStarted(match=match, game=game, turn=turn, left_ms=left_ms))
    left = "null" if left_ms is None else left_ms
    return f'{{"type":"turn","match":"{match}","game":{game},"turn":{turn},"left_ms":{left}}}'


def add_re(event: str, re: str | None) -> str:
    """Return the JSON object ``event`` with ``re`` as its last field, or unchanged if ``re`` is None.

    ``event`` and the result are texts. The field makes the event the answer to the request with the id ``re``.
    """
    if re is None:
        return event
    if not SWITCH.texts:
        return orjson.dumps(orjson.loads(event) | {"re": re}).decode()
    return f'{event[:-1]},"re":{orjson.dumps(re).decode()}}}'
