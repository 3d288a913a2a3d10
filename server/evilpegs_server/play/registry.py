"""The registry of matches, which opens them, finds them, and restores them after a restart."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

import orjson
from sqlalchemy.exc import SQLAlchemyError
from structlog.stdlib import BoundLogger

from evilpegs_protocol.client_messages import Play
from evilpegs_protocol.commitment import TIE_NONCES
from evilpegs_protocol.fields import Program
from evilpegs_protocol.server_messages import ErrorCode, OpenMatch
from evilpegs_protocol.suggestions import unknown_ladder_text
from evilpegs_server.match.clock import Times
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.match.match import Match, RefusedError
from evilpegs_server.play.counts import PRACTICE_LIMIT, ServerCounts
from evilpegs_server.play.messages import ClientChannel
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

if TYPE_CHECKING:
    from evilpegs_server.play.nodes import Nodes

# a match of 100 games takes about a megabyte
MAX_FINISHED_MATCHES: Final = 32
MAX_OPEN_MATCHES: Final = 8
"""Per player."""
RELOAD_SECONDS: Final = 1.0
"""Between two attempts to read a match from the database whose events could not be stored."""
RESTART_GRACE_MS: Final = 60_000
"""The time after a restart to resume a match, before its clock runs without the player."""


class MatchRegistry:
    def __init__(
        self,
        ladders: dict[str, Ladder],
        codemaking: Codemaking,
        writer: Writer,
        engine: Reader,
        clock: StallFreeClock,
        wall_ms: Callable[[], int],
        log: BoundLogger,
        reload_seconds: float = RELOAD_SECONDS,
        signer: RecordSigner | None = None,
    ) -> None:
        self.ladders = ladders
        current = [ladder for ladder in ladders.values() if not ladder.former]
        self.offered_ladders = [ladder for ladder in current if codemaking.unavailable_reason(ladder) is None]
        """New matches can begin on these; older ones may exist on other ladders too."""
        self.counts = ServerCounts()
        self.draining = False
        self._codemaking = codemaking
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
        self._open: dict[str, MatchRunner] = {}
        # by player: a scan would grow with the number of open matches
        self._open_by_player: dict[int, dict[str, MatchRunner]] = {}
        self.practice_matches = 0  # open ones
        self._last_id = 0
        self._reads = Reads(threads=1)
        self._read = partial(read_match, engine, ladders)
        self._finished: dict[str, ReplayedMatch] = {}
        self._reload_seconds = reload_seconds
        self.nodes: Nodes | None = None  # the other ones, on PostgreSQL only
        self._reload_tasks: set[asyncio.Task[None]] = set()
        # called with a player whose last open match has ended; must not raise
        self.on_last_match: Callable[[int], None] = lambda _: None
        # asked before each new match of a round, with the player and the round; raises RefusedError
        self.check_entry: Callable[[int, str], None] = lambda _player, _round: None
        # asked, with the number of open practice matches, before each new one
        self.admit_practice: Callable[[int], bool] = lambda _: True

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
        ladder = self._check_play(player, request.ladder, [each.match for each in elsewhere])
        tie_nonces = TIE_NONCES if ladder.tie == "largest/seeded" else None  # None if no reply is drawn
        key = MatchKey(self._new_id(), ladder, secrets.token_bytes(32), tie_nonces)
        runner = self._add_runner(key, player.id, Match(ladder), EventLog(key.id))
        runner.open(channel, request, player, client, first)

    def add_ladder(self, ladder: Ladder) -> None:
        """Offer another ladder, whose matches may be among those that are read later."""
        self.ladders[ladder.id] = ladder
        if self._codemaking.unavailable_reason(ladder) is None:
            self.offered_ladders.append(ladder)

    @property
    def runners(self) -> tuple[MatchRunner, ...]:
        return tuple(self._open.values())

    def open_matches(self, player: Player) -> list[OpenMatch]:
        return [_open_match(runner) for runner in self.runners_of(player.id)]

    def runners_of(self, player: int) -> list[MatchRunner]:
        return list(self._open_by_player.get(player, {}).values())

    def abandon(self, player: int) -> None:
        for runner in self.runners_of(player):
            runner.abandon()

    def get(self, match: str) -> MatchRunner | None:
        """Return the runner of an open match."""
        return self._open.get(match)

    async def find(self, match: str, player: int) -> MatchRunner | None:
        """Return the runner of any match, from the database if not open. Raises BusyError or RefusedError."""
        try:
            if self.nodes is not None and match not in self._open and match not in self._finished:
                await self.nodes.find(match, player)
            if (runner := self._open.get(match)) is not None:
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
        elif self.nodes is not None:
            return None  # another player's, on another node
        return self._adopt(replayed)

    async def resume(self, match: str, times: Times | None) -> None:
        """Play an open match that this node has taken, with the times that were handed over."""
        self._adopt(await self._reads.run(self._read, match), times)

    def restore(self, stored: StoredMatch) -> None:
        """Resume a match that was open at the last stop; log and skip it if it cannot be read."""
        try:
            self._adopt(replay_match(stored, self.ladders))
        except Exception:  # noqa: BLE001 - one bad record must not stop the server
            self._log.exception("a match cannot be read and was left alone", match=stored.id)

    def skip_unreadable(self, match: str, error: Exception) -> None:
        self._log.error("a match cannot be read and was left alone", match=match, why=str(error)[:MAX_REASON])

    def leave(self, channel: ClientChannel, player: Player | None) -> None:
        """Forget a connection that is gone; the clocks of its matches run on."""
        for runner in self.runners_of(player.id) if player is not None else ():
            runner.leave(channel)

    async def drain(self) -> None:
        """Refuse new requests, stop all deadlines, and return when the requests in progress are stored."""
        self.draining = True
        for runner in self.runners:
            runner.drain()
        while any(runner.busy for runner in self.runners):  # noqa: ASYNC110 - once in the life of a server
            await asyncio.sleep(0.01)

    def close(self) -> None:
        """Stop every match for good, even if `drain` has not finished."""
        for runner in self.runners:
            runner.close()
        for task in self._reload_tasks:
            task.cancel()
        self._reads.close()

    def __len__(self) -> int:
        return len(self._open)

    def _check_play(self, player: Player, ladder_id: str, elsewhere: Sequence[str]) -> Ladder:
        if self.draining:
            raise RefusedError(ErrorCode.DRAINING, "the server is about to stop; come back later")
        ladder = self.ladders.get(ladder_id)
        if ladder is None or ladder.former:
            offered = [each.id for each in self.offered_ladders]
            raise RefusedError(ErrorCode.UNKNOWN_LADDER, unknown_ladder_text(ladder_id, offered))
        now = self._wall_ms()
        opens, closes = ladder.opens or 0, ladder.closes or now + 1
        if not opens <= now < closes:
            which, ms = ("opens", opens) if now < opens else ("closed", closes)
            why = f"{ladder_id} {which} at {utc(ms)}; play {'then' if now < opens else 'another ladder'}"
            raise RefusedError(ErrorCode.ROUND_CLOSED, why)
        reason = self._codemaking.unavailable_reason(ladder)
        if reason is not None:
            raise RefusedError(ErrorCode.TOO_LARGE, reason)
        if ladder.rated and player.is_guest:
            raise RefusedError(ErrorCode.AUTH_REQUIRED, "guests play practice ladders; claim a name for rated ones")
        if ladder.kind not in {None, player.kind}:
            why = f"{ladder_id} is for names of the kind {ladder.kind}, yours is a {player.kind}; play another ladder"
            raise RefusedError(ErrorCode.NOT_AN_ENTRANT, why)
        matches = [*(runner.key.id for runner in self.runners_of(player.id)), *elsewhere]
        if len(matches) >= MAX_OPEN_MATCHES:
            why = f"you have {len(matches)} open matches; resume or resign one of them first: {', '.join(matches)}"
            raise RefusedError(ErrorCode.TOO_MANY_MATCHES, why)
        if not ladder.rated and not self.admit_practice(self.practice_matches):
            self.counts.limits[PRACTICE_LIMIT] += 1
            why = f"{self.practice_matches} practice matches are open here (limit {PRACTICE_LIMIT}); come back later"
            raise RefusedError(ErrorCode.TOO_MANY_MATCHES, why)
        if ladder.is_round:
            self.check_entry(player.id, ladder.id)
        return ladder

    def _new_id(self) -> str:
        # 11 hexadecimal digits for the Unix time in milliseconds, and 5 random ones. The time comes first: rows of
        # current matches are neighbors in the database, and a commit touches few pages.
        proposed = int(f"{self._wall_ms():011x}{secrets.token_hex(3)[:5]}", 16)
        self._last_id = max(self._last_id + 1, proposed)  # greater than the last, even if the clock was set back
        return f"{self._last_id:016x}"

    def _add_runner(self, key: MatchKey, player: int, match: Match, event_log: EventLog) -> MatchRunner:
        runner = self._new_runner(player, match, Recorder(key, event_log, self._wall_ms, self._signer))
        if not match.over:
            self._open[key.id] = runner
            self._open_by_player.setdefault(player, {})[key.id] = runner
            self.practice_matches += not key.ladder.rated
        return runner

    def _adopt(self, replayed: ReplayedMatch | None, times: Times | None = None) -> MatchRunner | None:
        if replayed is None:
            return None
        if (runner := self._open.get(replayed.key.id)) is None:
            runner = self._add_runner(*replayed)
            if times is not None:
                runner.take_over(times)
            elif not replayed.match.over:
                runner.recover(RESTART_GRACE_MS)
        return runner

    def _retire(self, runner: MatchRunner) -> None:
        if self._open.pop(runner.key.id, None) is not None:
            self.practice_matches -= not runner.key.ladder.rated
            own = self._open_by_player[runner.player]
            del own[runner.key.id]
            if not own:
                del self._open_by_player[runner.player]
        if runner.player not in self._open_by_player:
            self.on_last_match(runner.player)
        if self.nodes is not None and not runner.broken:
            self.nodes.forget(runner.key.id)
        if runner.broken and not self.draining:
            self.reload(runner.key.id, runner.player)

    def reload(self, match: str, player: int) -> None:
        """Read a match again soon, of which it is not known what is stored."""
        task = asyncio.get_running_loop().create_task(self._reload(match, player))
        self._reload_tasks.add(task)
        task.add_done_callback(self._reload_tasks.discard)

    async def _reload(self, match: str, player: int) -> None:
        while True:
            await asyncio.sleep(self._reload_seconds)
            try:
                if self.nodes is not None:
                    await self.nodes.reclaim(match, player)
                else:
                    self._adopt(await self._reads.run(self._read, match))
            except Exception as error:  # noqa: BLE001 - the disk may be better a second later
                self.faults.report("cannot read a match yet", error, match=match)
            else:
                return


def utc(unix_ms: int) -> str:
    return datetime.fromtimestamp(unix_ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _open_match(runner: MatchRunner) -> OpenMatch:
    client = Program(**orjson.loads(runner.event_log.entries[0].text)["client"])
    return OpenMatch(match=runner.key.id, seq=runner.sent_count, ladder=runner.key.ladder.id, client=client)
