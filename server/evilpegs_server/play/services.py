"""The services that the runners of all matches of a server share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from structlog.stdlib import BoundLogger

from evilpegs_server.play.counts import ServerCounts
from evilpegs_server.play.requests import ClientChannel
from evilpegs_server.play.stall_free_clock import StallFreeClock
from evilpegs_server.record.encoding import MatchKey
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.record.signing import RecordSigner
from evilpegs_server.replies.codemaking import Codemaking
from evilpegs_server.storage.fault_log import FaultLog
from evilpegs_server.storage.writer import Writer

if TYPE_CHECKING:
    from evilpegs_server.play.runner import MatchRunner


@dataclass(frozen=True, slots=True)
class MatchServices:
    codemaking: Codemaking
    writer: Writer
    clock: StallFreeClock
    wall_ms: Callable[[], int]
    # `publish` gets durable entries that the player has received; `retire`, a match that is over or must be read again
    publish: Callable[[MatchKey, list[LogEntry], ClientChannel | None], None]
    retire: Callable[["MatchRunner"], None]
    log: BoundLogger
    counts: ServerCounts
    faults: FaultLog
    signer: RecordSigner | None = None
