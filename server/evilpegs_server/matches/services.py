"""The services that the runners of all matches of a server share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from structlog.stdlib import BoundLogger

from evilpegs_server.codemaking.replies import Codemaking
from evilpegs_server.matches.counts import ServerCounts
from evilpegs_server.matches.requests import ClientChannel
from evilpegs_server.matches.stall_free_clock import StallFreeClock
from evilpegs_server.record.encoding import MatchKey
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.record.signing import RecordSigner
from evilpegs_server.storage.fault_log import FaultLog
from evilpegs_server.storage.writer import Writer

if TYPE_CHECKING:
    from evilpegs_server.matches.runner import MatchRunner


@dataclass(frozen=True, slots=True)
class MatchServices:
    """The services of a server that its match runners use.

    ``publish`` is called with the key of a match, its new log entries, which are durable, and the channel of its
    player, who has received the entries already; the channel is None without a connection. ``retire`` is called with a
    runner whose match is over or must be read from storage again. ``wall_ms`` returns Unix time in milliseconds.
    ``faults`` is the log of database failures. If ``signer`` is None, records are not signed.
    """

    codemaking: Codemaking
    writer: Writer
    clock: StallFreeClock
    wall_ms: Callable[[], int]
    publish: Callable[[MatchKey, list[LogEntry], ClientChannel | None], None]
    retire: Callable[["MatchRunner"], None]
    log: BoundLogger
    counts: ServerCounts
    faults: FaultLog
    signer: RecordSigner | None = None
