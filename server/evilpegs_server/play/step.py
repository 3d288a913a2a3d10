"""The data of one step of a match: everything that follows from one request, one deadline or one abandoned game."""

from dataclasses import dataclass, field
from enum import Enum

from evilpegs_server.match.events import MatchEvent
from evilpegs_server.play.requests import ClientChannel, Request
from evilpegs_server.play.responses import RecordedRefusal
from evilpegs_server.record.recorder import Batch
from evilpegs_server.replies.codemaking import Reply


class RunnerState(Enum):
    """The states of a match runner; the module `runner` has their table."""

    IDLE = "idle"
    REPLY = "reply"
    SECRET = "secret"  # noqa: S105 - no password
    COMMIT = "commit"
    HINT = "hint"
    BROKEN = "broken"
    CLOSED = "closed"

    @property
    def is_busy(self) -> bool:
        return self in _BUSY


_BUSY = frozenset({RunnerState.REPLY, RunnerState.SECRET, RunnerState.COMMIT, RunnerState.HINT})


@dataclass(slots=True)
class Step:
    """One step of a match, whose fields are filled as it proceeds; without a ``channel``, the seat gets the texts."""

    channel: ClientChannel | None
    re: str | None = None  # of the request that is refused if the events cannot be stored
    request: Request | None = None
    events: list[MatchEvent] = field(default_factory=list)
    stalled_ms: int = 0  # the stalls of the turn that are not charged to the player
    reply: Reply | None = None
    refusal: RecordedRefusal | None = None
    secret: str | None = None
    batch: Batch = field(default_factory=Batch)
    texts: list[str] = field(default_factory=list)
    # readings of perf_counter for the metrics of guesses
    began: float = 0.0
    replied: float = 0.0
    committed: float = 0.0

    @classmethod
    def of_request(cls, request: Request, events: list[MatchEvent]) -> "Step":
        return cls(request.channel, request.message.id, request, events)
