"""The messages that the server sends: answers, the events of the record of a match, notices and errors."""

import re
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, Self

from pydantic import ConfigDict, Discriminator, Field, StringConstraints, Tag

from evilpegs_game.errors import quoted
from evilpegs_protocol.fields import (
    ClaimedKind,
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

Tie = Literal["largest", "largest/seeded"]
Method = Literal["exact", "greedy"]
PlayerKind = Literal[ClaimedKind, "guest"]
PlayState = Literal["ready", "turn", "thinking", "over"]
_CLOCK: Final = re.compile(r"([0-9]{1,5})\+([0-9]{1,4})")


class ErrorCode(StrEnum):
    """The reasons for which a server refuses a message. Later servers may have more; see `OtherCode`."""

    BAD_JSON = "bad_json"
    BAD_MESSAGE = "bad_message"
    UNKNOWN_TYPE = "unknown_type"
    TOO_BIG = "too_big"
    MOVED = "moved"
    AUTH_REQUIRED = "auth_required"
    AUTH_FAILED = "auth_failed"
    BANNED = "banned"
    NAME_TAKEN = "name_taken"
    BAD_NAME = "bad_name"
    UNKNOWN_LADDER = "unknown_ladder"
    ROUND_CLOSED = "round_closed"
    ALREADY_ENTERED = "already_entered"
    NOT_AN_ENTRANT = "not_an_entrant"
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


OtherCode = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z_]{0,39}$")]
"""An error code that this version of the protocol does not know, because version 1 may grow by error codes."""


class ClockInfo(Message):
    """The time that a player has: `base_ms` milliseconds for a game, and `increment_ms` more after each guess."""

    base_ms: Milliseconds
    increment_ms: Milliseconds

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a text in seconds such as ``60+1``. Raises ValueError."""
        match = _CLOCK.fullmatch(text)
        if match is None:
            raise ValueError(f"not a clock: {quoted(text)}; write BASE+INCREMENT in seconds like 60+1")
        return cls(base_ms=int(match[1]) * 1000, increment_ms=int(match[2]) * 1000)

    def __str__(self) -> str:
        return f"{self.base_ms // 1000}+{self.increment_ms // 1000}"


class LadderInfo(Message):
    """A ladder that the server offers: the conditions of a match, under the id `id`.

    A match has `games` games of at most `guess_limit` guesses each. `tie` is the rule by which an evil codemaker or a
    devil chooses among equally good replies, null for a fixed one. A devil finds its reply by an exact search while at
    most `exact_up_to` codes are possible; `exact_up_to` is null for other codemakers. `clock` is null if play is
    untimed. Only players of `kind` may play, or all if it is missing. Matches begin from `opens` on and before
    `closes`, in Unix milliseconds; either may be missing. `is_round` is true for a round of a contest, which has no
    leaderboard, and else left out.
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
    kind: PlayerKind | None = optional()
    opens: Milliseconds | None = optional()
    closes: Milliseconds | None = optional()
    is_round: bool = Field(default=False, exclude_if=lambda value: not value)


class OpenMatch(Message):
    """An open match of the player, and the client that began it.

    `seq` is the number of the last event in its record that the server has sent. Older servers leave out `ladder` and
    `client`.
    """

    match: MatchId
    seq: SequenceNumber
    ladder: LadderId | None = optional()
    client: Program | None = optional()


class Limits(Message):
    """The limits that the server sets for a client.

    A message has at most `frame_bytes` bytes and `nesting` levels of arrays and objects. A player has at most
    `open_matches` open matches, and a connection sends at most `requests_per_second`.
    """

    frame_bytes: Count
    nesting: Count
    open_matches: Count
    requests_per_second: Count


class ServerProgram(Program):
    """The program of the server. `site` is the URL of the server's HTTP API, null if there is none.

    `key` is the Ed25519 public key that verifies the server's signatures of records, in base64url without padding. It
    is missing if the server signs no records.
    """

    site: Annotated[str, StringConstraints(pattern=r"^https?://[!-~]{1,500}$")] | None = None
    key: PublicKey | None = optional()


class Welcome(ServerMessage):
    """The answer to `hello`, which names the player, their `open` matches, and the `ladders` that the server offers.

    It contains `token`, the player's proof of identity for later connections, only when it has just been issued.
    """

    type: Literal["welcome"] = "welcome"
    player: Name
    kind: PlayerKind
    token: Token | None = optional()
    open: tuple[OpenMatch, ...]
    ladders: tuple[LadderInfo, ...]
    limits: Limits
    server: ServerProgram


class MatchStarted(Event):
    """The first event of the record of a match, with all conditions of its ladder.

    `symbols` are the symbols of the colors, and `repeats` is true if a color may occur twice in a code. `exact_up_to`,
    only present against a devil, is the largest number of possible codes for which its reply is found by an exact
    search. `tie_nonces` is 2 if the nonces of server and client decide together among tied replies, and missing
    otherwise. `clock` is null if play is untimed.
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
    """The start of a game, which waits for the player's `ready`, at most `ready_by_ms` milliseconds from this message.

    `commitment` is the hash that binds the codemaker to the nonce of the game.
    """

    type: Literal["game_started"] = "game_started"
    game: Number
    commitment: Hash
    ready_by_ms: Milliseconds


class FeedbackGiven(Event):
    """The answer to a guess: the feedback for `code`, and the player's time in milliseconds.

    `took_ms` is the time that the guess took. `left_ms` is the time left for the game, null if play is untimed.
    `stalled_ms` is the time that the server stood still meanwhile, which is not charged. `method` says how a devil
    found its reply. Practice ladders add `candidates`, the number of codes left, and `parts`: for each feedback that
    was possible, its blacks, its whites, and the number of codes that would have been left.
    """

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
    """The end of a game, with its number of `guesses` and the player's time in milliseconds.

    Against a fixed codemaker, `secret` is the secret. Against evil and devil it is a witness, a code that agrees with
    every feedback. It is null if there is none, for example because the game ended before `ready`. `nonce` is the
    server's nonce of the game, null if there was no `game_started`. `client_nonce` is the nonce sent with `ready`.
    """

    type: Literal["game_over"] = "game_over"
    game: Number
    outcome: Outcome
    guesses: Count
    elapsed_ms: Milliseconds
    secret: CodeText | None
    nonce: Hash | None
    client_nonce: Label | None = optional()


class MatchOver(Event):
    """The last event of the record of a match.

    `outcomes` says how each game ended, and `guesses` has the number of guesses in each game; both are in the order of
    the games. `elapsed_ms` is the player's time in all games, in milliseconds. `head` is the hash of the event before
    this one. `signature` is the server's signature over the whole record, missing if the server has no key.
    """

    type: Literal["match_over"] = "match_over"
    outcomes: tuple[Outcome, ...]
    guesses: tuple[Count, ...]
    elapsed_ms: Milliseconds
    head: Hash
    signature: Signature | None = optional()


class TurnStarted(ServerMessage):
    """The message that it is the player's turn: the server expects a guess, and the clock runs.

    `left_ms` is the time left for the game in milliseconds, null if play is untimed. This message is not an event of
    the record.
    """

    type: Literal["turn"] = "turn"
    match: MatchId
    game: Number
    turn: Number
    left_ms: Milliseconds | None


class HintGiven(ServerMessage):
    """The answer to `hint`: the good guess `code`, the number of codes still possible, and the reason for the guess."""

    type: Literal["hint"] = "hint"
    match: MatchId
    code: CodeText
    candidates: Count
    why: str


class Resumed(ServerMessage):
    """The answer to `resume`: from now on this connection plays the match, unless the match is over.

    The events that the client has missed follow, up to the number `seq`, and then `turn` if a turn is open. If `state`
    is `ready`, the server waits `ready_by_ms` more milliseconds for the client to send `ready` for the game `game`.
    """

    type: Literal["resumed"] = "resumed"
    match: MatchId
    seq: SequenceNumber
    state: PlayState
    game: Count
    ready_by_ms: Milliseconds | None = optional()


class Pong(ServerMessage):
    """The answer to `ping`, with the same number `c`."""

    type: Literal["pong"] = "pong"
    c: SequenceNumber


class Notice(ServerMessage):
    """Information about the server or the connection, as the text `message` for people and `kind` for programs."""

    type: Literal["notice"] = "notice"
    kind: Literal["draining", "seat_taken", "storage", "restarted"]
    message: str


class Expected(Message):
    """The game and the turn that the match has reached, from 1. The turn is 0 while the game waits for `ready`."""

    game: Count
    turn: Count


class Error(ServerMessage):
    """The refusal of a message: `code` is the reason, and `message` explains it to people.

    If `fatal` is true, the server closes the connection. `retry_after_ms` is the time in milliseconds after which the
    client may send the message again. `expected` is present if the message did not fit the state of an open match, and
    says which game and turn this match has reached.
    """

    type: Literal["error"] = "error"
    code: Annotated[ErrorCode | OtherCode, Field(union_mode="left_to_right")]
    message: str
    fatal: bool = False
    retry_after_ms: Milliseconds | None = optional()
    expected: Expected | None = optional()


class Unknown(ServerMessage):
    """A message of the server whose type this version of the protocol does not know; clients ignore it."""

    model_config = ConfigDict(extra="allow")

    type: str


RecordEvent = MatchStarted | GameStarted | FeedbackGiven | GameOver | MatchOver
Reply = Welcome | TurnStarted | HintGiven | Resumed | Pong | Notice | Error

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
"""Every message of the server, for clients. A message of an unknown type becomes `Unknown`."""
