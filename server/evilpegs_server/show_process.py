"""The server's side of the show process: its start, what players have, its replacement if it fails, and its stop."""

import asyncio
import os
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, Final, NamedTuple

from structlog.stdlib import BoundLogger

from evilpegs_protocol.backoff import Backoff
from evilpegs_protocol.broker import Broker, load_broker, require_aiomqtt
from evilpegs_server.hosts import PublicAddress
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.settings import Settings
from evilpegs_server.storage.derived.snapshots import process_name, snapshot_holders
from evilpegs_server.storage.location import database_file, side_files, size_of
from evilpegs_server.timing import Timing
from evilpegs_server.work.child_process import ChildProcess, Retries

ALIVE: Final = "alive"
ALIVE_SECONDS: Final = 1.0
PROGRAM: Final = "evilpegs_server.show_server"
_BACKOFF: Final = Backoff(first=0.05, longest=5.0)
# events that follow one another are told at once: a message per commit would take one percent of a busy event loop
GATHER_SECONDS: Final = 0.01
MAX_WAL_BYTES: Final = 64 << 20
"""SQLite cannot empty the side file of the database while a reader stays in it; if it is ours, it is replaced."""
STAYING_LOOKS: Final = 3
"""Looks, one after another, at which a process reads that stays in a snapshot."""


@dataclass(slots=True)
class ShowSetup:
    """What a show starts from; ``sent`` is the id of the last event that players have, None without a server."""

    settings: Settings
    ladders: Mapping[str, Ladder]
    offered: frozenset[str]
    game: PublicAddress
    sent: int | None
    sockets: tuple[int, ...] = ()
    """The file descriptors on which the site listens, in the show process."""
    timing: Timing = Timing()


class LogLine(NamedTuple):
    level: str
    event: str
    fields: Mapping[str, Any]


def find_broker(settings: Settings) -> Broker | None:
    """Return the broker of the feed; raises BrokerUnusableError if the settings or the MQTT library are unusable."""
    if settings.mqtt is None:
        return None
    require_aiomqtt()
    password = settings.mqtt_password.get_secret_value() if settings.mqtt_password else None
    return load_broker(settings.mqtt, settings.mqtt_user, password, settings.mqtt_password_file, settings.mqtt_ca_file)


@asynccontextmanager
async def show_apart(
    setup: ShowSetup, sockets: list[socket.socket], log: BoundLogger
) -> AsyncIterator[Callable[[int], None]]:
    """Run a show in a process of its own within the block, as `running_show` does in this one."""
    process = ShowProcess(setup, sockets, log)
    process.start()
    try:
        yield process.note_sent
    finally:
        await process.close()


class ShowProcess:
    """A show process that is replaced whenever it ends, hangs, or keeps the database from shrinking its side file."""

    def __init__(
        self,
        setup: ShowSetup,
        sockets: list[socket.socket],
        log: BoundLogger,
        max_wal_bytes: int = MAX_WAL_BYTES,
    ) -> None:
        setup.sockets = tuple(each.fileno() for each in sockets)
        self._setup, self._timing = setup, setup.timing
        self._sockets = sockets  # open until the end, so that their clients wait for the next process
        self._log = log
        self._max_wal_bytes = self._wal_step = max_wal_bytes
        self._wal, self._shm = side_files(database_file(setup.settings.database))
        self._readers: deque[set[int]] = deque(maxlen=STAYING_LOOKS)  # at the latest looks
        self._is_telling = False
        self._looks, self.was_heard = 0, False
        self._watching: asyncio.Task[None] | None = None
        self._child = ChildProcess(
            "show process",
            PROGRAM,
            setup,
            Retries(_BACKOFF, Random()),  # noqa: S311 - jitter
            self._handle,
            self._handle_end,
            self._handle_start,
            setup.sockets,
        )

    @property
    def pid(self) -> int | None:
        return self._child.pid

    def start(self) -> None:
        self._child.start()
        self._watching = asyncio.create_task(self._watch())

    def note_sent(self, last: int) -> None:
        """Note that players have all events up to the id ``last``."""
        self._setup.sent = last
        if not self._is_telling:
            self._is_telling = True
            asyncio.get_running_loop().call_later(GATHER_SECONDS, self._tell)

    async def close(self) -> None:
        """Let the process show the last events and end, for ``show_stop_seconds``; then kill it."""
        if self._watching is not None:
            self._watching.cancel()
        self._tell()
        self._child.send(None)
        await self._child.close(self._timing.show_stop_seconds)
        for each in self._sockets:
            each.close()

    def _tell(self) -> None:
        self._is_telling = False
        self._child.send(self._setup.sent)

    def _handle_start(self) -> None:
        self._looks, self.was_heard = 0, False

    def _handle(self, message: Any) -> None:
        self._looks, self.was_heard = 0, True
        if isinstance(message, LogLine):
            getattr(self._log, message.level)(message.event, **message.fields)

    def _handle_end(self, why: str, _was_started: bool) -> None:
        self._log.warning("no show process; starting another, and games go on", why=why)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._timing.show_look_seconds)
            self._looks += 1
            if self._looks > (self._timing.silent_looks if self.was_heard else self._timing.starting_looks):
                self._replace("it hangs")
            elif self.was_heard and (size := size_of(self._wal)) > self._max_wal_bytes:
                self._find_reader(size)

    def _find_reader(self, size: int) -> None:
        own = set() if self.pid is None else {self.pid}
        holders = snapshot_holders(self._shm)
        # ours reads most, if the system does not say; this process reads nothing for long
        self._readers.append(own if holders is None else holders - {os.getpid()})
        others, staying = set.union(*self._readers) - own, set.intersection(*self._readers)
        # a list of locks that change meanwhile may lack one, so a process that is listed once may be the one that stays
        if len(self._readers) < STAYING_LOOKS or not staying or (others and not others & staying):
            return
        # the file shrinks only when its last reader is gone, so the next one gets as much again
        self._max_wal_bytes = size + self._wal_step
        self._readers.clear()
        if others:
            who = ", ".join(f"{process_name(pid)}, pid {pid}" for pid in sorted(others & staying))
            self._log.warning("another program reads the database, whose -wal file grows until it ends", who=who)
        else:
            self._replace("it keeps the database from emptying its side file")

    def _replace(self, why: str) -> None:
        self._log.warning("the show process is replaced", why=why)
        self._looks = 0
        self._child.abort()
