"""What the server sends: answers, the events of a record, notices and errors."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag

from evilpegs_protocol.fields import (
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
    Program,
    Sequence,
    ServerMessage,
    Token,
    optional,
)

Codemaker = Literal["fixed", "evil", "devil"]
Tie = Literal["largest", "largest/seeded"]
Method = Literal["exact", "greedy"]
Outcome = Literal["solved", "unsolved", "flagged", "resigned", "forfeit", "void"]
PlayerKind = Literal["bot", "human", "guest"]
PlayState = Literal["ready", "turn", "thinking", "over"]


class ErrorCode(StrEnum):
    """Why a message was refused; the list is closed."""

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
    """`base_ms` for a whole game and `increment_ms` more after each guess."""

    base_ms: Milliseconds
    increment_ms: Milliseconds


class LadderInfo(Message):
    """A ladder as `welcome` offers it; `clock` is null where play is untimed.

    A devil solves live sets of at most `exact_up_to` codes; null where there is no devil.
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
    """A match of one's own that is not over, and the last event in its record."""

    match: MatchId
    seq: Sequence


class Limits(Message):
    """What the server takes."""

    frame_bytes: Count
    nesting: Count
    open_matches: Count
    requests_per_second: Count


class Welcome(ServerMessage):
    """The answer to `hello`; `token` only when it was issued just now."""

    type: Literal["welcome"] = "welcome"
    player: Name
    kind: PlayerKind
    token: Token | None = optional()
    open: tuple[OpenMatch, ...]
    ladders: tuple[LadderInfo, ...]
    limits: Limits
    server: Program


class MatchStarted(Event):
    """The first event of a record; `exact_up_to` only against a devil."""

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
    exact_up_to: Count | None = optional()
    clock: ClockInfo | None
    games: Count
    rated: bool


class GameStarted(Event):
    """A game waits for `ready`; the codemaker is committed to `commitment`."""

    type: Literal["game_started"] = "game_started"
    game: Number
    commitment: Hash
    ready_by_ms: Milliseconds


class FeedbackGiven(Event):
    """The answer to a guess; `method`: how a devil found it. Practice adds candidates left and part sizes."""

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
    """How a game ended. `secret` is a witness against evil and devil, null if there never was one."""

    type: Literal["game_over"] = "game_over"
    game: Number
    outcome: Outcome
    guesses: Count
    elapsed_ms: Milliseconds
    secret: CodeText | None
    nonce: Hash | None
    client_nonce: Label | None = optional()


class MatchOver(Event):
    """The last event: for each game its outcome and guesses; `head` is the hash of the event before."""

    type: Literal["match_over"] = "match_over"
    outcomes: tuple[Outcome, ...]
    guesses: tuple[Count, ...]
    elapsed_ms: Milliseconds
    head: Hash


class Turn(ServerMessage):
    """The clock runs and a guess is expected. Not an event of the record."""

    type: Literal["turn"] = "turn"
    match: MatchId
    game: Number
    turn: Number
    left_ms: Milliseconds | None


class HintGiven(ServerMessage):
    """A good guess and why."""

    type: Literal["hint"] = "hint"
    match: MatchId
    code: CodeText
    candidates: Count
    why: str


class Resumed(ServerMessage):
    """The seat is taken; the missed events follow, up to `seq`, then `turn` where one is open.

    In `state` ready the server waits for the `ready` of `game`, `ready_by_ms` more.
    """

    type: Literal["resumed"] = "resumed"
    match: MatchId
    seq: Sequence
    state: PlayState
    game: Count
    ready_by_ms: Milliseconds | None = optional()


class Watching(ServerMessage):
    """The matches followed; their events come next."""

    type: Literal["watching"] = "watching"
    matches: tuple[MatchId, ...]


class Unwatched(ServerMessage):
    """No more events of what was named."""

    type: Literal["unwatched"] = "unwatched"


class Pong(ServerMessage):
    """The answer to `ping`."""

    type: Literal["pong"] = "pong"
    c: Sequence


class Notice(ServerMessage):
    """Something a person may want to know."""

    type: Literal["notice"] = "notice"
    kind: Literal["draining", "seat_taken", "storage", "restarted"]
    message: str


class Expected(Message):
    """Where the match stands."""

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
    """A message of a type this client does not know, to be ignored."""

    model_config = ConfigDict(extra="allow")

    type: str


RecordEvent = MatchStarted | GameStarted | FeedbackGiven | GameOver | MatchOver
Reply = Welcome | Turn | HintGiven | Resumed | Watching | Unwatched | Pong | Notice | Error

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
"""The clients' union: every message of the server, with a member for those to come."""
