"""The events of a session: notices of the server, cut and restored connections, and changed keys."""

from dataclasses import dataclass

from evilpegs_protocol.server_messages import Notice


@dataclass(frozen=True, slots=True)
class Reconnecting:
    """The event that the connection was cut because of ``why``, or that an attempt to restore it failed.

    The next attempt begins in ``seconds`` seconds; ``attempt`` is its number, from 1.
    """

    why: str
    attempt: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Reconnected:
    """The event that the connection is restored and the match resumed; attempt number ``attempts`` succeeded."""

    attempts: int


@dataclass(frozen=True, slots=True)
class KeyChanged:
    """The event that ``server`` signs records with another key than at an earlier login of the player.

    ``former`` is the public key at that earlier login. ``key`` is the public key now, or None if the server no longer
    signs.
    """

    server: str
    former: str
    key: str | None


def key_change_line(change: KeyChanged) -> str:
    """Return the line of text that reports ``change`` to a person."""
    now = "it no longer signs records" if change.key is None else f"it is {change.key} now"
    return f"the key of {change.server} was {change.former} before, and {now}; ask its operator whether that is right"


SessionEvent = Notice | Reconnecting | Reconnected | KeyChanged
