"""The claims of a match record that nothing in it can prove, so that they rest on the word of the server."""

from dataclasses import dataclass
from typing import Literal

from evilpegs_protocol.server_messages import MatchStarted

Claim = Literal["player", "times", "void", "match"]


@dataclass(frozen=True, slots=True)
class Unproved:
    """A claim that no match record can prove, and a line that gives the reason."""

    claim: Claim
    why: str


def unproved_claims(started: MatchStarted, is_signed: bool | None) -> tuple[Unproved, ...]:
    """Return the claims that a record does not prove; ``is_signed`` is None if the user named no key."""
    return (
        Unproved("player", f"who played: that it was {started.player} is the word of the server"),
        Unproved("times", "when the match was played and how long turns took: the server read its own clocks"),
        Unproved("void", "why games are void: the server alone says that it failed"),
        Unproved("match", f"that the match took place at all: {_made_by(is_signed)}"),
    )


def _made_by(is_signed: bool | None) -> str:
    if is_signed:
        return "the owner of the key could have made up the whole record"
    if is_signed is None:
        return "anyone can make up a record that holds; name the public key of the server with --key"
    return "anyone can make up a record that holds"
