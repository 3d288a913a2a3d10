"""The messages that a client may send: one frozen model per message, and one closed union of all models."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from evilpegs_protocol.fields import (
    ClientMessage,
    ClientNonce,
    CodeText,
    LadderId,
    MatchId,
    Name,
    Number,
    Program,
    SequenceNumber,
    Token,
    optional,
)

NameClaim = Annotated[str, StringConstraints(max_length=64)]
"""Any short text; an invalid name is refused with `bad_name`, not `bad_message`."""


class ClientInfo(Program):
    """The client's name and version."""

    model_config = ConfigDict(extra="forbid")


class Hello(ClientMessage):
    """The first message; it has a token, or a name to claim with a kind, or neither for a guest."""

    type: Literal["hello"] = "hello"
    client: ClientInfo
    token: Token | None = optional()
    name: NameClaim | None = optional()
    kind: Literal["bot", "human"] | None = optional()

    @model_validator(mode="after")
    def _one_identity(self) -> Self:
        if self.token is not None and self.name is not None:
            message = "give a token or a name, not both"
            raise ValueError(message)
        if (self.name is None) != (self.kind is None):
            message = "name and kind go together"
            raise ValueError(message)
        return self


class Play(ClientMessage):
    """A request to begin a match on a ladder."""

    type: Literal["play"] = "play"
    ladder: LadderId


class Ready(ClientMessage):
    """A request to begin the next game; `nonce` is the client's share in the draw of a fixed secret."""

    type: Literal["ready"] = "ready"
    match: MatchId | None = optional()
    game: Number | None = optional()
    nonce: ClientNonce | None = optional()


class Guess(ClientMessage):
    """A guess of a code; it is safe to send it again after a lost answer."""

    type: Literal["guess"] = "guess"
    match: MatchId | None = optional()
    game: Number | None = optional()
    turn: Number
    code: CodeText


class Hint(ClientMessage):
    """A request for a good guess, on a practice ladder."""

    type: Literal["hint"] = "hint"
    match: MatchId | None = optional()


class Resign(ClientMessage):
    """A request to give up one game, or without `game` every game left."""

    type: Literal["resign"] = "resign"
    match: MatchId | None = optional()
    game: Number | None = optional()


class Resume(ClientMessage):
    """A request to take over an open match of the player and receive every event after `seq`."""

    type: Literal["resume"] = "resume"
    match: MatchId | None = optional()
    seq: SequenceNumber


class _Watching(ClientMessage):
    match: MatchId | None = optional()
    ladder: LadderId | None = optional()

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        if (self.match is None) == (self.ladder is None):
            message = "give a match or a ladder"
            raise ValueError(message)
        return self


class Watch(_Watching):
    """A request to follow the events of a match, or of every match of a ladder."""

    type: Literal["watch"] = "watch"


class Unwatch(_Watching):
    """A request to stop following a match or a ladder."""

    type: Literal["unwatch"] = "unwatch"


class ListMatches(ClientMessage):
    """A request for a page of finished matches; `before` is the last match of the page before it."""

    type: Literal["list"] = "list"
    ladder: LadderId | None = optional()
    player: Name | None = optional()
    before: MatchId | None = optional()


class ReadStandings(ClientMessage):
    """A request for the leaderboard of a ladder, or for a later `page` of a long one."""

    type: Literal["standings"] = "standings"
    ladder: LadderId
    page: Number | None = optional()


class Ping(ClientMessage):
    """A request that measures the round trip to the server; the answer repeats `c`."""

    type: Literal["ping"] = "ping"
    c: SequenceNumber


ClientRequest = Annotated[
    Hello | Play | Ready | Guess | Hint | Resign | Resume | Watch | Unwatch | ListMatches | ReadStandings | Ping,
    Field(discriminator="type"),
]
