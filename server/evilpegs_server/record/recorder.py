"""The recorder of a match, which turns the events of the state machine into entries of the event log.

A recorder computes nothing about the game and stores nothing. Its callers give it the code that the end of a game
shows, and store the `Changes` that the recorder returns. Times are in Unix milliseconds.

Events go out as dicts, because building a validated model takes longer than answering a guess: the models in
`protocol` describe and decode them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from evilpegs_game.codes import format_code, rules_fields
from evilpegs_protocol.commitment import commitment
from evilpegs_protocol.fields import Program
from evilpegs_protocol.record import format_bytes, signed_statement
from evilpegs_server.match.events import (
    GameBegun,
    GameEnded,
    GameOpened,
    GuessAnswered,
    MatchEnded,
    MatchEvent,
    TurnOpened,
)
from evilpegs_server.record.event_log import EventLog, LogEntry
from evilpegs_server.replies.codemaking import Reply
from evilpegs_server.replies.game_secrets import MatchKey


class RecordSigner:
    """The private half of a server key. A signature takes about 0.1 milliseconds and is made once per match."""

    def __init__(self, private_key: Ed25519PrivateKey) -> None:
        self._private_key = private_key
        self.public_key = format_bytes(private_key.public_key().public_bytes_raw())
        """In base64url without padding."""

    def __repr__(self) -> str:  # without the private key
        return f"RecordSigner({self.public_key!r})"

    def sign(self, over: Mapping[str, Any]) -> str:
        """Return the signature over the record whose last event is ``over``."""
        return format_bytes(self._private_key.sign(signed_statement(over)))


@dataclass(slots=True)
class Changes:
    """The changes of one step: log entries, and what is stored or started with them."""

    entries: list[LogEntry] = field(default_factory=list)
    turn: TurnOpened | None = None
    begun: GameBegun | None = None
    begun_at: int = 0
    is_last: bool = False
    """True if the match is over."""

    @property
    def is_stored(self) -> bool:
        return bool(self.entries) or self.begun is not None


class ShownEnd(NamedTuple):
    """The end of a game, and the secret or witness that it shows."""

    end: GameEnded
    code: str


class Recorder:
    def __init__(
        self, key: MatchKey, event_log: EventLog, wall_ms: Callable[[], int], signer: RecordSigner | None = None
    ) -> None:
        self.key = key
        self.event_log = event_log
        self._wall_ms = wall_ms
        self._signer = signer

    def open(self, events: Sequence[MatchEvent], player: str, client: Program) -> Changes:
        """Append the first event of the match and then ``events``."""
        self._append("match_started", match_started_fields(self.key, player, client))
        changes = self.record(events)
        changes.entries = self.event_log.since(0)
        return changes

    def record(
        self,
        events: Sequence[MatchEvent],
        reply: Reply | None = None,
        stalled_ms: int = 0,
        shown: ShownEnd | None = None,
    ) -> Changes:
        """Append ``events``; ``shown`` has the end that `first_shown_end` returns."""
        key, seq, changes = self.key, self.event_log.seq, Changes()
        for event in events:
            match event:
                case GuessAnswered() if reply is not None:
                    self._append("feedback", feedback_fields(event, reply, stalled_ms))
                case TurnOpened():
                    changes.turn = event
                case GameBegun():
                    changes.begun, changes.begun_at = event, self._wall_ms()
                case GameOpened():
                    self._append("game_started", game_started_fields(key, event))
                case GameEnded():
                    code = shown.code if shown is not None and event is shown.end else None
                    self._append("game_over", game_over_fields(key, event, code))
                case MatchEnded():
                    self._append("match_over", match_over_fields(event, self.event_log.head))
                    changes.is_last = True
        changes.entries = self.event_log.since(seq)
        return changes

    def first_shown_end(self, events: Sequence[MatchEvent]) -> GameEnded | None:
        """Return the first event that ends a game whose end shows a code."""
        ends = (event for event in events if isinstance(event, GameEnded))
        return next((end for end in ends if end.shows_secret(self.key.ladder.codemaker)), None)

    def _append(self, kind: str, fields: Mapping[str, Any]) -> None:
        entries, at = self.event_log.entries, self._wall_ms()
        # times never decrease within a record, even if the wall clock is set back
        at = max(at, entries[-1].at) if entries else at
        event = {"type": kind, "match": self.key.id, "seq": len(entries) + 1, "at": at, **fields}
        if kind == "match_over" and self._signer is not None:
            event["signature"] = self._signer.sign(event)
        self.event_log.append(event)


# The fields of each type of event; fields that are optional in the protocol are left out instead of null.


def match_started_fields(key: MatchKey, player: str, client: Program) -> dict[str, Any]:
    ladder, rules = key.ladder, key.ladder.rules
    clock = ladder.clock and ladder.clock.model_dump()
    fields = {
        "player": player,
        "client": {"name": client.name, "version": client.version},
        "ladder": ladder.id,
        **rules_fields(rules),
        "guess_limit": ladder.guess_limit,
        "codemaker": ladder.codemaker,
        "tie": ladder.tie,
        "clock": clock,
        "games": ladder.games,
        "rated": ladder.rated,
    }
    if key.tie_nonces is not None:
        fields["tie_nonces"] = key.tie_nonces
    if ladder.exact_up_to is not None:
        fields["exact_up_to"] = ladder.exact_up_to
    return fields


def game_started_fields(key: MatchKey, fact: GameOpened) -> dict[str, Any]:
    committed = commitment(key.id, fact.game, str(key.ladder.rules), key.nonce(fact.game))
    return {"game": fact.game, "commitment": committed, "ready_by_ms": key.ladder.ready_ms}


def feedback_fields(fact: GuessAnswered, reply: Reply, stalled_ms: int) -> dict[str, Any]:
    black, white = fact.feedback
    fields = {
        "game": fact.game,
        "turn": fact.turn,
        "code": format_code(fact.guess),
        "black": black,
        "white": white,
        "took_ms": fact.took_ms,
        "left_ms": fact.left_ms,
    }
    if reply.method is not None:
        fields["method"] = reply.method
    if stalled_ms:
        fields["stalled_ms"] = stalled_ms
    if reply.candidates is not None:
        fields["candidates"], fields["parts"] = reply.candidates, reply.parts
    return fields


def game_over_fields(key: MatchKey, fact: GameEnded, secret: str | None) -> dict[str, Any]:
    fields = {
        "game": fact.game,
        "outcome": fact.outcome,
        "guesses": fact.guesses,
        "elapsed_ms": fact.elapsed_ms,
        "secret": secret,
        "nonce": key.nonce(fact.game) if fact.opened else None,
    }
    if fact.client_nonce is not None:
        fields["client_nonce"] = fact.client_nonce
    return fields


def match_over_fields(fact: MatchEnded, head: str) -> dict[str, Any]:
    return {"outcomes": fact.outcomes, "guesses": fact.guesses, "elapsed_ms": fact.elapsed_ms, "head": head}
