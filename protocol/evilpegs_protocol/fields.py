from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MatchId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{1,19}$")]
LadderId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
Token = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
PublicKey = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z_-]{43}$")]
Signature = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z_-]{86}$")]
CodeText = Annotated[str, StringConstraints(max_length=64)]
MessageId = Annotated[str, StringConstraints(pattern=r"^[ -~]{1,64}$")]
ClientNonce = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z_-]{1,64}$")]
Label = Annotated[str, StringConstraints(pattern=r"^[ -~]{1,64}$")]
ProgramText = Annotated[str, StringConstraints(pattern=r"^[ -~]{0,129}$")]
"""The name and the version of a program, with a space between."""
Codemaker = Literal["fixed", "evil", "devil"]
Outcome = Literal["solved", "unsolved", "flagged", "resigned", "forfeit", "void"]

Number = Annotated[int, Field(ge=1, le=10**6)]
"""The number of a game in its match or of a turn in its game."""
SequenceNumber = Annotated[int, Field(ge=0, le=2**53 - 1)]
"""The number of an event in the record of a match; 0 if there is no event yet."""
Milliseconds = Annotated[int, Field(ge=0, le=2**53 - 1)]
Count = Annotated[int, Field(ge=0)]


def _is_none(value: object) -> bool:
    return value is None


def optional(**extra: Any) -> Any:
    """Declare a model field that is left out of the JSON while it is None."""
    return Field(default=None, exclude_if=_is_none, **extra)


class Message(BaseModel):
    """The base class of messages and of their parts: frozen and strict, so no value is converted to another type."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class Program(Message):
    """The name and the version of a client or server program. Both are shown to people, and on the leaderboard."""

    name: Label
    version: Label


class ClientMessage(Message):
    """A message of a client. Unknown fields are refused; the answer repeats `id` in its field `re`."""

    model_config = ConfigDict(extra="forbid")

    id: MessageId | None = optional()


class ServerMessage(Message):
    """A message of the server. An answer has in `re` the `id` of the client's message, if it had one.

    Clients ignore unknown fields, so that version 1 of the protocol can grow.
    """

    re: MessageId | None = optional()


class Event(ServerMessage):
    """One event of the record of a match.

    `seq` numbers the events of the record from 1 without gaps, and `at` is Unix time in milliseconds.
    """

    type: str
    match: MatchId
    seq: SequenceNumber
    at: Milliseconds
