"""The record of a match: its games and turns, the chain of hashes over its events, and the server's signature.

The signature is a field of `match_over`, the last event, so an exported record carries it. It covers the whole record:
the signed statement contains the hash that `match_over` would have without its signature. Ed25519 is deterministic, and
the signature is stored with the event before it is sent, so a client that asks again receives the same bytes.
"""

import base64
import binascii
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Final

from evilpegs_game.codes import parse_code
from evilpegs_game.errors import quoted
from evilpegs_game.feedback import Feedback, History, Turn
from evilpegs_game.rules import Rules
from evilpegs_protocol.codec import canonical, decode_record_event
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, GameStarted, MatchOver, MatchStarted, RecordEvent

GENESIS: Final = "0" * 64  # the hash before the first event of a record
KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
_NOT_SIGNED: Final = frozenset({"re", "signature"})


@dataclass(slots=True)
class RecordedGame:
    """One game of a record; ``started`` is None if the player gave it up before, and ``over`` while it is in play."""

    game: int
    started: GameStarted | None = None
    turns: list[FeedbackGiven] = field(default_factory=list)
    over: GameOver | None = None

    @property
    def outcome(self) -> str | None:
        return self.over.outcome if self.over else None

    @property
    def guesses(self) -> int:
        return self.over.guesses if self.over else len(self.turns)

    def history(self, rules: Rules) -> History:
        """Return the turns; raises GameError if a code is none of ``rules``."""
        return tuple(Turn(parse_code(turn.code, rules), Feedback(turn.black, turn.white)) for turn in self.turns)


class Record:
    """A match as its events tell it, complete or so far. Their order and hashes are not checked."""

    def __init__(self, started: MatchStarted, events: Iterable[RecordEvent] = ()) -> None:
        self.started = started
        self.games: dict[int, RecordedGame] = {}  # by number, from the first event that names it
        self.over: MatchOver | None = None
        for event in events:
            self.add(event)

    def add(self, event: RecordEvent) -> None:
        match event:
            case GameStarted():
                self._game(event.game).started = event
            case FeedbackGiven():
                self._game(event.game).turns.append(event)
            case GameOver():
                self._game(event.game).over = event
            case MatchOver():
                self.over = event

    @property
    def games_over(self) -> list[GameOver]:
        return [game.over for game in self.games.values() if game.over]

    @property
    def client(self) -> str:
        return f"{self.started.client.name} {self.started.client.version}"

    def _game(self, number: int) -> RecordedGame:
        return self.games.setdefault(number, RecordedGame(number))


def read_record(texts: Iterable[str]) -> Record:
    """Read a record from the JSON of its events; raises ValueError."""
    started, *events = [decode_record_event(text) for text in texts]
    if not isinstance(started, MatchStarted):
        raise ValueError("the record does not begin with match_started")
    return Record(started, events)


def event_hash(previous: str, event: str) -> str:
    """Return the SHA-256, in hex, of the previous event's hash (at first `GENESIS`) and the event's canonical JSON."""
    return hashlib.sha256((previous + event).encode()).hexdigest()


def chain(texts: Iterable[str]) -> list[str]:
    """Return the hash in hex of each event of a record, from their canonical JSON."""
    return list(accumulate(texts, event_hash, initial=GENESIS))[1:]


def record_digest(over: Mapping[str, Any]) -> str:
    """Return the hash of a record: that of `match_over` without `re` and `signature`; raises KeyError."""
    unsigned = {name: value for name, value in over.items() if name not in _NOT_SIGNED}
    return event_hash(over["head"], canonical(unsigned))


def signed_statement(over: Mapping[str, Any]) -> bytes:
    """Return the bytes that are signed, from `match_over` with or without its signature; raises KeyError."""
    head = record_digest(over)
    statement = ["evilpegs-record-1", over["match"], over["seq"], head, over["outcomes"], over["guesses"]]
    return canonical(statement).encode()


def format_bytes(data: bytes) -> str:
    """Return ``data`` in base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def parse_bytes(text: str, size: int) -> bytes:
    """Return the ``size`` bytes in a text in base64url without padding; raises ValueError."""
    try:
        data = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError):
        data = b""
    if len(data) != size or format_bytes(data) != text:
        raise ValueError(f"not {size} bytes in base64url without padding: {quoted(text, 80)}")
    return data
