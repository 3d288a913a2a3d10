"""What reads the log of a database, for a show or a published site: opened in order, and closed in reverse order."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from structlog.stdlib import BoundLogger

from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_server.leaderboard.live_leaderboards import LiveLeaderboards
from evilpegs_server.leaderboard.luck import LuckKeeper
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.settings import Settings
from evilpegs_server.show.follower import Follower
from evilpegs_server.show.rounds import ShownRounds
from evilpegs_server.show.streams import Streams
from evilpegs_server.show_process import ShowSetup
from evilpegs_server.site.analysis import MatchAnalyses
from evilpegs_server.storage.copies.mirror import LocalCopy
from evilpegs_server.storage.derived.file import PROGRESS_SECONDS, DerivedFile
from evilpegs_server.storage.location import is_remote
from evilpegs_server.storage.log.archive import load_log_id
from evilpegs_server.storage.log.ladders import known_ladders
from evilpegs_server.storage.queries import Reader
from evilpegs_server.storage.reads import Reads, keep_looking
from evilpegs_server.storage.server_key import key_path, load_public_keys
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.scheduler import ONE_AT_A_TIME
from evilpegs_server.work.worker_process import WorkerProcess
from evilpegs_server.work.workspace import WorkerSetup

CACHE_BYTES: Final = 32 << 20
"""For the live sets of the worker that analyzes matches and measures luck."""


@dataclass(frozen=True, slots=True)
class Readers:
    copy: LocalCopy | None
    """Of a database in PostgreSQL."""
    sent_before: int | None
    """The last event that players had at the start; None where nobody says what they have."""
    engine: Reader
    ladders: Mapping[str, Ladder]
    """With those of rounds."""
    lasting: Mapping[str, Ladder]
    offered: frozenset[str]
    follower: Follower
    leaderboards: LiveLeaderboards
    luck: LuckKeeper
    rounds: ShownRounds
    streams: Streams
    reads: Reads
    pools: Mapping[str, TaskPool]
    analyses: MatchAnalyses
    public_keys: Sequence[str]


@asynccontextmanager
async def running_readers(setup: ShowSetup, log: BoundLogger) -> AsyncIterator[Readers]:
    """Count, measure luck and look at the rounds within the block; the follower is started by the caller."""
    settings, timing = setup.settings, setup.timing
    async with AsyncExitStack() as stack:
        copy = await _open_copy(stack, settings.database, log) if is_remote(settings.database) else None
        # nodes say nothing of what others have sent
        sent, look = (setup.sent, None) if copy is None else (None, copy.follow)
        derived = DerivedFile(settings.database, log)
        stack.callback(derived.close)
        await asyncio.to_thread(derived.prepare)
        engine = derived.engine
        ladders = dict(setup.ladders or known_ladders(engine))  # without a server
        lasting = {ladder.id: ladder for ladder in ladders.values() if not ladder.is_round}
        follower = Follower(engine, log, sent, look, timing)
        pools = _open_pools(stack, setup, log)
        reads = Reads()
        stack.callback(reads.close)

        leaderboards = LiveLeaderboards(derived, ladders, log, lambda: follower.sent, timing)
        stack.push_async_callback(leaderboards.close)
        luck = LuckKeeper(derived, pools["luck"], ladders, log, leaderboards.wake, timing)
        stack.push_async_callback(luck.close)
        follower.wake(leaderboards.wake)
        await leaderboards.start(luck.wake)
        luck.start()

        streams = Streams(engine, follower, reads, load_log_id(engine), settings.site_streams, timing.heartbeat_seconds)
        rounds = ShownRounds(engine, ladders, luck, streams)
        await rounds.read()
        looking = keep_looking(timing.look_seconds, rounds.look, "at the rounds", log, {})
        stack.callback(asyncio.create_task(looking).cancel)
        analyses = MatchAnalyses(engine, pools["analyses"])
        stack.callback(analyses.close)
        yield Readers(
            copy=copy,
            sent_before=sent,
            engine=engine,
            ladders=ladders,
            lasting=lasting,
            offered=setup.offered or frozenset(lasting),
            follower=follower,
            leaderboards=leaderboards,
            luck=luck,
            rounds=rounds,
            streams=streams,
            reads=reads,
            pools=pools,
            analyses=analyses,
            public_keys=_public_keys(settings, copy),
        )


async def _open_copy(stack: AsyncExitStack, url: str, log: BoundLogger) -> LocalCopy:
    copy = await asyncio.to_thread(LocalCopy, url, log)
    stack.push_async_callback(asyncio.to_thread, copy.close)
    said_at = time.monotonic()

    def report(share: float) -> None:
        nonlocal said_at
        if time.monotonic() > said_at + PROGRESS_SECONDS:
            said_at = time.monotonic()
            log.info("copying the events to this machine", done=f"{share:.0%}")

    await asyncio.to_thread(copy.follow, report)
    return copy


def _public_keys(settings: Settings, copy: LocalCopy | None) -> list[str]:
    known = load_public_keys(key_path(settings.database, settings.server_key))
    return known or ([copy.mirror.key] if copy is not None and copy.mirror.key is not None else [])


def _open_pools(stack: AsyncExitStack, setup: ShowSetup, log: BoundLogger) -> dict[str, TaskPool]:
    limits = WorkerSetup(CACHE_BYTES, setup.settings.count_bytes, SolvedPositions().to_bytes())
    worker = WorkerProcess(limits, log, setup.timing.export_seconds)
    stack.push_async_callback(worker.close)
    pools = {name: TaskPool(ONE_AT_A_TIME, worker, time.monotonic) for name in ("analyses", "luck")}
    for pool in pools.values():
        stack.callback(pool.close)
    return pools
