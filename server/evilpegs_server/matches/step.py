"""The data of one step of a match: everything that follows from one request, one deadline or one abandoned game."""

from dataclasses import dataclass, field
from enum import Enum

from evilpegs_server.codemaking.replies import Reply
from evilpegs_server.match.events import MatchEvent
from evilpegs_server.matches.requests import ClientChannel, Request
from evilpegs_server.matches.responses import RecordedRefusal
from evilpegs_server.record.recorder import Batch


class RunnerState(Enum):
    """The state of a match runner: idle, busy, or ended.

    In the busy states, the runner waits for what the name of the state says, such as the codemaker's reply. The
    docstring of the module `runner` has a table of the states.
    """

    IDLE = "idle"
    REPLY = "reply"
    SECRET = "secret"  # noqa: S105 - no password
    COMMIT = "commit"
    HINT = "hint"
    BROKEN = "broken"
    CLOSED = "closed"

    @property
    def is_busy(self) -> bool:
        """True in the states in which a request, a timeout or a hint is in progress, so that further requests wait."""
        return self in _BUSY


_BUSY = frozenset({RunnerState.REPLY, RunnerState.SECRET, RunnerState.COMMIT, RunnerState.HINT})


@dataclass(slots=True)
class Step:
    """One step of a match, the handling of a request or a deadline. The fields are filled as the step proceeds.

    ``events`` come from the state machine, and ``batch`` has the log entries made of them. ``reply`` is the codemaker's
    reply to a guess, and ``secret`` the code that the end of a game shows. Stalls are times in which the event loop did
    not run; ``stalled_ms`` is the part of the stalls in the turn, in milliseconds, that is not charged to the player.
    ``texts`` are sent to ``channel``, or to the connection on which the match is played if ``channel`` is None. ``re``
    is the id of the request that is refused if the events cannot be stored. ``began``, ``replied`` and ``committed``
    are readings of `perf_counter` in seconds for the metrics of guesses.
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
        """Return a new step for ``request`` and the ``events`` that the request has produced so far."""
        return cls(request.channel, request.message.id, request, events)
