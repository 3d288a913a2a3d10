from dataclasses import dataclass

from evilpegs_protocol.server_messages import Notice


@dataclass(frozen=True, slots=True)
class Reconnecting:
    """A cut connection, or a failed attempt to restore it; the next attempt starts in ``seconds``."""

    why: str
    attempt: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Reconnected:
    """A restored connection and a resumed match, after ``attempts`` attempts."""

    attempts: int


@dataclass(frozen=True, slots=True)
class KeyChanged:
    """Another key than at the player's last login; ``key`` is None if the server no longer signs."""

    server: str
    former: str
    key: str | None


def key_change_line(change: KeyChanged) -> str:
    now = "it no longer signs records" if change.key is None else f"it is {change.key} now"
    return f"the key of {change.server} was {change.former} before, and {now}; ask its operator whether that is right"


SessionEvent = Notice | Reconnecting | Reconnected | KeyChanged
