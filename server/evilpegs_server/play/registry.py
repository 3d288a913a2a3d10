"""The registry of matches, which opens them, finds them, and restores them after a restart."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from sqlalchemy.exc import SQLAlchemyError
from structlog.stdlib import BoundLogger

from evilpegs_protocol.client_messages import Play
from evilpegs_protocol.commitment import TIE_NONCES
from evilpegs_protocol.fields import Program
from evilpegs_protocol.server_messages import ErrorCode, OpenMatch
from evilpegs_server.match.clock import Times
from evilpegs_server.match.match import Match, RefusedError
from evilpegs_server.play.eligibility import Eligibility
from evilpegs_server.play.messages import ClientChannel
from evilpegs_server.play.node import PlayingNode
from evilpegs_server.play.recovery import ReplayedMatch, read_match, replay_match
from evilpegs_server.play.runner import MatchRunner
from evilpegs_server.play.stall_free_clock import StallFreeClock
from evilpegs_server.record.event_log import EventLog
from evilpegs_server.record.recorder import Recorder, RecordSigner
from evilpegs_server.replies.codemaking import Codemaking
from evilpegs_server.replies.game_secrets import MatchKey
from evilpegs_server.storage.errors import MAX_REASON, DatabaseUnusableError, FaultLog
from evilpegs_server.storage.log.archive import StoredMatch
from evilpegs_server.storage.log.players import Player
from evilpegs_server.storage.log.writer import Write, Writer
from evilpegs_server.storage.queries import Reader
from evilpegs_server.storage.reads import Reads
from evilpegs_server.timing import Timing

# a match of 100 games takes about a megabyte
MAX_FINISHED_MATCHES: Final = 32


class MatchRegistry:
    """The matches of a server; ``node`` makes its node."""

    def __init__(
        self,
        eligibility: Eligibility,
        codemaking: Codemaking,
        writer: Writer,
        engine: Reader,
        clock: StallFreeClock,
        wall_ms: Callable[[], int],
        log: BoundLogger,
        node: Callable[["MatchRegistry", Reader], PlayingNode] = PlayingNode,
        signer: RecordSigner | None = None,
        timing: Timing = Timing(),
    ) -> None:
        self.ladders, self.open, self.counts = eligibility.ladders, eligibility.open, eligibility.counts
        self.draining = False
        self._eligibility = eligibility
        self._wall_ms = wall_ms
        self._signer = signer
        self._log = log
        self.faults = FaultLog(log, self.counts.faults)
        self._new_runner = partial(
            MatchRunner,
            codemaking=codemaking,
            writer=writer,
            clock=clock,
            counts=self.counts,
            faults=self.faults,
            retire=self._retire,
            log=log,
        )
        self._last_id = 0
        self._reads = Reads(threads=1)
        self._read = partial(read_match, engine, self.ladders.known)
        self._finished: dict[str, ReplayedMatch] = {}
        self._timing = timing
        self._reload_tasks: set[asyncio.Task[None]] = set()
        self.node = node(self, engine)

    def play(
        self,
        channel: ClientChannel,
        player: Player,
        client: Program,
        request: Play,
        first: Sequence[Write] = (),
        elsewhere: Sequence[OpenMatch] = (),
    ) -> None:
        """Begin a match; the writes ``first`` are committed with its first events. Raises RefusedError.

        ``elsewhere`` are the open matches of the player on other nodes.
        """
        if self.draining:
            raise RefusedError(ErrorCode.DRAINING, "the server is about to stop; come back later")
        ladder = self._eligibility.check(player, request.ladder, [each.match for each in elsewhere])
        tie_nonces = TIE_NONCES if ladder.tie == "largest/seeded" else None  # None if no reply is drawn
        key = MatchKey(self._new_id(), ladder, secrets.token_bytes(32), tie_nonces)
        runner = self._add_runner(key, player.id, Match(ladder), EventLog(key.id))
        runner.open(channel, request, player, client, first)

    async def find(self, match: str, player: int) -> MatchRunner | None:
        """Return the runner of any match, from the database if not open. Raises BusyError or RefusedError."""
        try:
            if self.open.get(match) is None and match not in self._finished:
                await self.node.find(match, player)
            if (runner := self.open.get(match)) is not None:
                return runner
            replayed = self._finished.get(match) or await self._reads.run(self._read, match)
        except (DatabaseUnusableError, SQLAlchemyError) as error:
            self.faults.report("cannot read a match", error, match=match)
            why = "the server cannot read this match now; try again later"
            raise RefusedError(ErrorCode.STORAGE_UNAVAILABLE, why) from None
        if replayed is not None and replayed.match.over:
            self._finished[match] = replayed
            if len(self._finished) > MAX_FINISHED_MATCHES:
                del self._finished[next(iter(self._finished))]
        elif not self.node.is_alone:
            return None  # another player's, on another node
        return self._adopt(replayed)

    async def resume(self, match: str, times: Times | None) -> None:
        """Play an open match that this node has taken, with the times that were handed over."""
        self._adopt(await self._reads.run(self._read, match), times)

    def restore(self, stored: StoredMatch) -> None:
        """Resume a match that was open at the last stop; log and skip it if it cannot be read."""
        try:
            self._adopt(replay_match(stored, self.ladders.known))
        except Exception:  # noqa: BLE001 - one bad record must not stop the server
            self._log.exception("a match cannot be read and was left alone", match=stored.id)

    def skip_unreadable(self, match: str, error: Exception) -> None:
        self._log.error("a match cannot be read and was left alone", match=match, why=str(error)[:MAX_REASON])

    def leave(self, channel: ClientChannel, player: Player | None) -> None:
        """Forget a connection that is gone; the clocks of its matches run on."""
        for runner in self.open.of_player(player.id) if player is not None else ():
            runner.leave(channel)

    async def drain(self) -> None:
        """Refuse new requests, stop all deadlines, and return when the requests in progress are stored."""
        self.draining = True
        for runner in self.open.runners:
            runner.drain()
        while any(runner.busy for runner in self.open.runners):  # noqa: ASYNC110 - once in the life of a server
            await asyncio.sleep(0.01)

    def close(self) -> None:
        """Stop every match for good, even if `drain` has not finished."""
        for runner in self.open.runners:
            runner.close()
        for task in self._reload_tasks:
            task.cancel()
        self._reads.close()

    def _new_id(self) -> str:
        # 11 hexadecimal digits for the Unix time in milliseconds, and 5 random ones. The time comes first: rows of
        # current matches are neighbors in the database, and a commit touches few pages.
        proposed = int(f"{self._wall_ms():011x}{secrets.token_hex(3)[:5]}", 16)
        self._last_id = max(self._last_id + 1, proposed)  # greater than the last, even if the clock was set back
        return f"{self._last_id:016x}"

    def _add_runner(self, key: MatchKey, player: int, match: Match, event_log: EventLog) -> MatchRunner:
        runner = self._new_runner(player, match, Recorder(key, event_log, self._wall_ms, self._signer))
        if not match.over:
            self.open.add(runner)
        return runner

    def _adopt(self, replayed: ReplayedMatch | None, times: Times | None = None) -> MatchRunner | None:
        if replayed is None:
            return None
        if (runner := self.open.get(replayed.key.id)) is None:
            runner = self._add_runner(*replayed)
            if times is not None:
                runner.take_over(times)
            elif not replayed.match.over:
                runner.recover(self._timing.restart_grace_ms)
        return runner

    def _retire(self, runner: MatchRunner) -> None:
        self.open.remove(runner)
        self._eligibility.presence.forget_if_gone(runner.player)
        if not runner.broken:
            self.node.forget(runner.key.id)
        if runner.broken and not self.draining:
            self.reload(runner.key.id, runner.player)

    def reload(self, match: str, player: int) -> None:
        """Read a match again soon, of which it is not known what is stored."""
        task = asyncio.get_running_loop().create_task(self._reload(match, player))
        self._reload_tasks.add(task)
        task.add_done_callback(self._reload_tasks.discard)

    async def _reload(self, match: str, player: int) -> None:
        while True:
            await asyncio.sleep(self._timing.reload_seconds)
            try:
                await self.node.reclaim(match, player)
            except Exception as error:  # noqa: BLE001 - the disk may be better a second later
                self.faults.report("cannot read a match yet", error, match=match)
            else:
                return
