"""The messages that the server sends: answers, the events of a record, notices and errors."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, StringConstraints, Tag

from evilpegs_protocol.fields import (
    Codemaker,
    CodeText,
    Count,
    Event,
    Hash,
    Label,
    LadderId,
    MatchId,
    Message,
    Milliseconds,
    Name,
    Number,
    Outcome,
    Program,
    PublicKey,
    SequenceNumber,
    ServerMessage,
    Signature,
    Token,
    optional,
)
from evilpegs_protocol.listings import MatchList, Standings

Tie = Literal["largest", "largest/seeded"]
Method = Literal["exact", "greedy"]
PlayerKind = Literal["bot", "human", "guest"]
PlayState = Literal["ready", "turn", "thinking", "over"]


class ErrorCode(StrEnum):
    """The reason why a message was refused; the list is closed."""

    BAD_JSON = "bad_json"
    BAD_MESSAGE = "bad_message"
    UNKNOWN_TYPE = "unknown_type"
    TOO_BIG = "too_big"
    AUTH_REQUIRED = "auth_required"
    AUTH_FAILED = "auth_failed"
    NAME_TAKEN = "name_taken"
    BAD_NAME = "bad_name"
    UNKNOWN_LADDER = "unknown_ladder"
    ROUND_CLOSED = "round_closed"
    ALREADY_ENTERED = "already_entered"
    TOO_LARGE = "too_large"
    TOO_MANY_MATCHES = "too_many_matches"
    DRAINING = "draining"
    STORAGE_UNAVAILABLE = "storage_unavailable"
    NOT_YOUR_MATCH = "not_your_match"
    NOT_READY = "not_ready"
    STALE_TURN = "stale_turn"
    FUTURE_TURN = "future_turn"
    ILLEGAL_CODE = "illegal_code"
    FLAGGED = "flagged"
    GAME_OVER = "game_over"
    NOT_PRACTICE = "not_practice"
    RATE_LIMITED = "rate_limited"
    INTERNAL = "internal"


class ClockInfo(Message):
    """A clock: `base_ms` for a whole game, and `increment_ms` more after each guess."""

    base_ms: Milliseconds
    increment_ms: Milliseconds


class LadderInfo(Message):
    """A ladder that the server offers; `clock` is null if play is untimed.

    A devil solves live sets of at most `exact_up_to` codes; it is null for other codemakers.
    """

    id: LadderId
    rules: Label
    codemaker: Codemaker
    tie: Tie | None
    exact_up_to: Count | None = None
    clock: ClockInfo | None
    guess_limit: Count
    games: Count
    rated: bool


class OpenMatch(Message):
    """An open match of the player, and the number of the last event in its record."""

    match: MatchId
    seq: SequenceNumber


class Limits(Message):
    """The limits that the server sets for a client."""

    frame_bytes: Count
    nesting: Count
    open_matches: Count
    requests_per_second: Count


class ServerProgram(Program):
    """The program of the server; `site` is the URL of its HTTP API, null if it has none.

    `key` is the Ed25519 public key with which the server signs records, missing if it signs none.
    """

    site: Annotated[str, StringConstraints(pattern=r"^https?://[!-~]{1,500}$")] | None = None
    key: PublicKey | None = optional()


class Welcome(ServerMessage):
    """The answer to `hello`; it contains `token` only when the token has just been issued."""

    type: Literal["welcome"] = "welcome"
    player: Name
    kind: PlayerKind
    token: Token | None = optional()
    open: tuple[OpenMatch, ...]
    ladders: tuple[LadderInfo, ...]
    limits: Limits
    server: ServerProgram


class MatchStarted(Event):
    """The first event of a record; it contains `exact_up_to` only against a devil.

    `tie_nonces` is 2 if the nonces of both server and client decide ties, and missing if the server's alone does.
    """

    type: Literal["match_started"] = "match_started"
    player: Name
    client: Program
    ladder: LadderId
    rules: Label
    pegs: Count
    colors: Count
    symbols: Label
    repeats: bool
    guess_limit: Count
    codemaker: Codemaker
    tie: Tie | None
    tie_nonces: Number | None = optional()
    exact_up_to: Count | None = optional()
    clock: ClockInfo | None
    games: Count
    rated: bool


class GameStarted(Event):
    """A game waits for `ready`; the codemaker is bound by `commitment`."""

    type: Literal["game_started"] = "game_started"
    game: Number
    commitment: Hash
    ready_by_ms: Milliseconds


class FeedbackGiven(Event):
    """The answer to a guess; `method` says how a devil chose it. Practice ladders add `candidates` and `parts`."""

    type: Literal["feedback"] = "feedback"
    game: Number
    turn: Number
    code: CodeText
    black: Count
    white: Count
    method: Method | None = optional()
    took_ms: Milliseconds
    left_ms: Milliseconds | None
    stalled_ms: Milliseconds | None = optional()
    candidates: Count | None = optional()
    parts: tuple[tuple[Count, Count, Count], ...] | None = optional()


class GameOver(Event):
    """The end of a game. Against evil and devil `secret` is a witness; it is null if there never was one."""

    type: Literal["game_over"] = "game_over"
    game: Number
    outcome: Outcome
    guesses: Count
    elapsed_ms: Milliseconds
    secret: CodeText | None
    nonce: Hash | None
    client_nonce: Label | None = optional()


class MatchOver(Event):
    """The last event; it has the outcome and guesses of each game. `head` is the hash of the event before.

    `signature` is the server's, over the whole record; it is missing if the server has no key.
    """

    type: Literal["match_over"] = "match_over"
    outcomes: tuple[Outcome, ...]
    guesses: tuple[Count, ...]
    elapsed_ms: Milliseconds
    head: Hash
    signature: Signature | None = optional()


class TurnStarted(ServerMessage):
    """The clock runs and the server expects a guess. This is not an event of the record."""

    type: Literal["turn"] = "turn"
    match: MatchId
    game: Number
    turn: Number
    left_ms: Milliseconds | None


class HintGiven(ServerMessage):
    """A good guess and the reason for it."""

    type: Literal["hint"] = "hint"
    match: MatchId
    code: CodeText
    candidates: Count
    why: str


class Resumed(ServerMessage):
    """The match is taken over; the missed events follow up to `seq`, and then `turn` if a turn is open.

    If `state` is `ready`, the server waits `ready_by_ms` more for the `ready` of `game`.
    """

    type: Literal["resumed"] = "resumed"
    match: MatchId
    seq: SequenceNumber
    state: PlayState
    game: Count
    ready_by_ms: Milliseconds | None = optional()


class Watching(ServerMessage):
    """The matches that the client now follows; their events come next."""

    type: Literal["watching"] = "watching"
    matches: tuple[MatchId, ...]


class Unwatched(ServerMessage):
    """The client no longer follows the named match or ladder."""

    type: Literal["unwatched"] = "unwatched"


class Pong(ServerMessage):
    """The answer to `ping`."""

    type: Literal["pong"] = "pong"
    c: SequenceNumber


class Notice(ServerMessage):
    """Information that a person may want to see."""

    type: Literal["notice"] = "notice"
    kind: Literal["draining", "seat_taken", "storage", "restarted"]
    message: str


class Expected(Message):
    """The game and the turn that the match has reached."""

    game: Count
    turn: Count


class Error(ServerMessage):
    """A message was refused. After a `fatal` one the server closes the connection."""

    type: Literal["error"] = "error"
    code: ErrorCode
    message: str
    fatal: bool = False
    retry_after_ms: Milliseconds | None = optional()
    expected: Expected | None = optional()


class Unknown(ServerMessage):
    """A message of a type that this client does not know and ignores."""

    model_config = ConfigDict(extra="allow")

    type: str


RecordEvent = MatchStarted | GameStarted | FeedbackGiven | GameOver | MatchOver
Listing = MatchList | Standings
Reply = Welcome | TurnStarted | HintGiven | Resumed | Watching | Unwatched | Listing | Pong | Notice | Error

AnyRecordEvent = Annotated[RecordEvent, Field(discriminator="type")]
AnyServerMessage = Annotated[RecordEvent | Reply, Field(discriminator="type")]

_KNOWN = frozenset(model.model_fields["type"].default for model in (*RecordEvent.__args__, *Reply.__args__))


def _member(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
    return "known" if isinstance(kind, str) and kind in _KNOWN else "unknown"


ServerEvent = Annotated[
    Annotated[AnyServerMessage, Tag("known")] | Annotated[Unknown, Tag("unknown")],
    Discriminator(_member),
]
"""Every message of the server, for clients; unknown types become `Unknown`, so that the protocol can grow."""
