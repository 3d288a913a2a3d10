"""The messages that a client may send: one frozen model per message, and one closed union of all models."""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from evilpegs_protocol.fields import (
    ClaimedKind,
    ClientMessage,
    ClientNonce,
    CodeText,
    LadderId,
    MatchId,
    Number,
    Program,
    SequenceNumber,
    Token,
    optional,
)

NameClaim = Annotated[str, StringConstraints(max_length=64)]
"""A text of at most 64 characters that a client claims as its name.

It need not be a valid `Name`, so that the server can refuse an invalid name with `bad_name` instead of `bad_message`.
"""


class ClientInfo(Program):
    """The name and the version of the client program, self-reported: nobody checks them."""

    model_config = ConfigDict(extra="forbid")


class Hello(ClientMessage):
    """The first message of a client, which says who plays.

    The message has the `token` of a known player. A new player sends a `name` to claim and, in `kind`, says whether the
    player is a bot or a human. A guest sends none of the three.
    """

    type: Literal["hello"] = "hello"
    client: ClientInfo
    token: Token | None = optional()
    name: NameClaim | None = optional()
    kind: ClaimedKind | None = optional()

    @model_validator(mode="after")
    def _one_identity(self) -> Self:
        if self.token is not None and self.name is not None:
            raise ValueError("give a token or a name, not both")
        if (self.name is None) != (self.kind is None):
            raise ValueError("name and kind go together")
        return self


class Play(ClientMessage):
    """A request to begin a match on the ladder with the id `ladder`."""

    type: Literal["play"] = "play"
    ladder: LadderId


class Ready(ClientMessage):
    """A request to begin the next game, whose number is `game`.

    `nonce` is a text of the client's choice. The secret of a fixed codemaker, and the choice among equally good replies
    on some ladders, depend on it, so the server alone cannot determine them. Without `match`, the client's only open
    match is meant.
    """

    type: Literal["ready"] = "ready"
    match: MatchId | None = optional()
    game: Number | None = optional()
    nonce: ClientNonce | None = optional()


class Guess(ClientMessage):
    """A guess of the code `code` in the turn `turn` of a game. After a lost answer, the same guess can be sent again.

    Without `match`, the client's only open match is meant, and without `game`, the current game.
    """

    type: Literal["guess"] = "guess"
    match: MatchId | None = optional()
    game: Number | None = optional()
    turn: Number
    code: CodeText


class Hint(ClientMessage):
    """A request for a good guess, which only practice ladders allow. Without `match`, the only open match is meant."""

    type: Literal["hint"] = "hint"
    match: MatchId | None = optional()


class Resign(ClientMessage):
    """A request to give up the game `game`, or without it every game that is left of the match.

    Without `match`, the client's only open match is meant.
    """

    type: Literal["resign"] = "resign"
    match: MatchId | None = optional()
    game: Number | None = optional()


class Resume(ClientMessage):
    """A request to play an open match of the player on this connection, and to receive its events after number `seq`.

    `seq` is the number of the last event that the client has received, or 0 for none.
    """

    type: Literal["resume"] = "resume"
    match: MatchId | None = optional()
    seq: SequenceNumber


class Ping(ClientMessage):
    """A request that measures the round trip to the server. `c` is any number, which the answer repeats."""

    type: Literal["ping"] = "ping"
    c: SequenceNumber


MOVED = ("watch", "unwatch", "list", "standings")
"""Types of messages that the game port once answered, and the site answers now."""

ClientRequest = Annotated[
    Hello | Play | Ready | Guess | Hint | Resign | Resume | Ping,
    Field(discriminator="type"),
]
