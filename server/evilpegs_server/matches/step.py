"""One step of a match: what a request or the clock has brought about, on its way to the player."""

from dataclasses import dataclass, field
from enum import Enum

from evilpegs_server.codemaking.replies import Reply
from evilpegs_server.match.events import MatchEvent
from evilpegs_server.matches.requests import ClientChannel, Request
from evilpegs_server.matches.responses import RecordedRefusal
from evilpegs_server.record.recorder import Batch


class RunnerState(Enum):
    """The next thing a match waits for; the docstring of `runner` has the table of states."""

    IDLE = "idle"
    REPLY = "reply"
    SECRET = "secret"  # noqa: S105 - no password
    COMMIT = "commit"
    HINT = "hint"
    BROKEN = "broken"
    CLOSED = "closed"

    @property
    def is_busy(self) -> bool:
        """True while a step or a hint is in progress."""
        return self in _BUSY


_BUSY = frozenset({RunnerState.REPLY, RunnerState.SECRET, RunnerState.COMMIT, RunnerState.HINT})


@dataclass(slots=True)
class Step:
    """A step, filled in from top to bottom as it goes on.

    It is sent to ``channel``, or to the player's seat if that is None. ``re`` is the id of the request that fails with
    the step if its events cannot be stored. The times are readings of `perf_counter` for the metrics of guesses.
    """

    channel: ClientChannel | None
    re: str | None = None
    request: Request | None = None
    events: list[MatchEvent] = field(default_factory=list)
    stalled_ms: int = 0
    reply: Reply | None = None
    refusal: RecordedRefusal | None = None
    secret: str | None = None
    batch: Batch = field(default_factory=Batch)
    texts: list[str] = field(default_factory=list)
    began: float = 0.0
    replied: float = 0.0
    committed: float = 0.0

    @classmethod
    def of_request(cls, request: Request, events: list[MatchEvent]) -> "Step":
        """Return the step that a request begins."""
        return cls(request.channel, request.message.id, request, events)
