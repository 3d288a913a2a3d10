"""The leaderboards of a running server, in memory and up to date.

They are the sum of all stored events up to some id. At the start the database groups and counts the events of all time
in chunks; from then on, new events are counted in the same way at most once per second. The database does this
in a thread without the interpreter lock, so running games are not disturbed. A chunk of events never changes once it is
stored, so no long transaction is needed. While nobody reads, listens or publishes them, nothing is counted after the
start; the next reader waits until the rest is counted.

A match whose chain of hashes is broken does not count at all. Every event is verified once before it is counted, at the
start too, because a mark up to which events were verified could not notice what was changed below it later.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final

import orjson
from sqlalchemy import Engine
from structlog.stdlib import BoundLogger

from evilpegs_protocol.server_messages import LadderInfo
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.scoring.leaderboard import Leaderboard, LeaderboardRow, leaderboard_document
from evilpegs_server.storage.archive import load_last_event_id
from evilpegs_server.storage.chains import find_broken_matches
from evilpegs_server.storage.result_counts import ResultCount, load_player_names, load_result_counts

UPDATE_SECONDS: Final = 1.0
"""The shortest time between two updates."""
REST_SECONDS: Final = 60.0
"""The time without a reader after which new events are no longer counted, until the next reader comes.

Counting takes a sixth of the processor time of a guess, so that a server which nobody looks at answers more guesses.
"""
CHUNK: Final = 4_000
"""The number of events that the database counts at a time. More would hold the interpreter lock for too long."""


class LiveLeaderboards:
    """The leaderboards of all rated ladders. Every method is called on the thread of the event loop."""

    def __init__(
        self,
        engine: Engine,
        ladders: Mapping[str, Ladder],
        log: BoundLogger,
        update_seconds: float = UPDATE_SECONDS,
        rest_seconds: float = REST_SECONDS,
    ) -> None:
        self._counting = _CountedLeaderboards(engine, ladders)
        self._log = log
        self._update_seconds = update_seconds
        self._thread = ThreadPoolExecutor(1, "leaderboards")
        self._rows: dict[str, tuple[LeaderboardRow, ...]] = {}
        self._versions: dict[str, int] = {}
        self._bodies: dict[str, tuple[int, bytes]] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._known_broken = 0
        self._listeners: list[Callable[[], None]] = []
        self._filled, self._woken = asyncio.Event(), asyncio.Event()
        self._rest_seconds = rest_seconds
        self._read_at = 0.0
        self._resting = self._never_rests = False
        self._read = asyncio.Event()
        self._catching_up: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to count the stored events. `rows` waits until all of them are counted."""
        self._following = asyncio.create_task(self._follow())

    async def close(self) -> None:
        """Stop, at the latest when the current chunk of events is counted."""
        self._counting.stopped = True
        if self._following is not None:
            self._following.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._following
        await asyncio.to_thread(self._thread.shutdown)

    def wake(self) -> None:
        """Count new events soon; this is meant for `MatchRegistry.listen`."""
        self._woken.set()

    def listen(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` whenever the rows of some ladder have changed. It must not raise or wait."""
        self._listeners.append(listener)
        self.keep_counting()

    def keep_counting(self) -> None:
        """Count new events from now on, also while nobody calls `rows`; this is meant for the live feed."""
        self._never_rests = True
        self._read.set()

    async def update(self) -> None:
        """Count every event that is stored now.

        Raises:
            SQLAlchemyError: the database cannot be read. The leaderboards are as they were before.
        """
        changed = await asyncio.get_running_loop().run_in_executor(self._thread, self._counting.advance)
        if len(self._counting.broken) > self._known_broken:
            self._known_broken = len(self._counting.broken)
            what = "matches do not count, because their hashes are broken; evilpegs database check lists them"
            self._log.error(what, matches=self._known_broken)
        for ladder, rows in changed.items():
            self._rows[ladder] = rows
            self._versions[ladder] = self.version(ladder) + 1
        self._filled.set()
        if changed:
            for listener in self._listeners:
                listener()

    async def refresh(self) -> None:
        """Note that somebody reads, and count what was left uncounted while nobody did. Call it before `version`."""
        await self._filled.wait()
        self._read_at = asyncio.get_running_loop().time()
        if self._resting and self._catching_up is None:
            self._catching_up = asyncio.create_task(self._catch_up())
        if self._catching_up is not None:
            await asyncio.shield(self._catching_up)

    @property
    def filled(self) -> bool:
        """True once all events of the time before the start are counted; until then `rows` waits."""
        return self._filled.is_set()

    async def rows(self, ladder: str) -> tuple[LeaderboardRow, ...]:
        """Return the rows of a ladder, best first; there are none if the ladder is unknown or for practice."""
        await self.refresh()
        return self._rows.get(ladder, ())

    async def player_rows(self, player: str) -> list[tuple[str, LeaderboardRow]]:
        """Return the results of a player: a row for each ladder and each client version, with the id of the ladder.

        Only the row that is on the leaderboard of its ladder has a rank.
        """
        await self.refresh()
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._counting.player_rows, player)

    async def has_rows(self, ladder: str) -> bool:
        """Return True if a leaderboard is not empty."""
        return bool(await self.rows(ladder))

    async def body(self, info: LadderInfo) -> bytes:
        """Return the JSON text of a leaderboard, which is made once for each version, for the site and the feed.

        It is made in a thread, because long ones take milliseconds. Many callers at once wait for the same text.
        """
        await self.refresh()
        async with self._locks.setdefault(info.id, asyncio.Lock()):
            version = self.version(info.id)
            known = self._bodies.get(info.id)
            if known is not None and known[0] == version:
                return known[1]
            rows = await self.rows(info.id)
            body = await asyncio.to_thread(_encode, info, rows)
            self._bodies[info.id] = version, body
            return body

    def version(self, ladder: str) -> int:
        """Return a number that grows whenever the rows of ``ladder`` have changed."""
        return self._versions.get(ladder, 0)

    async def _follow(self) -> None:
        while True:
            self._woken.clear()
            await self._try_to_update()
            await asyncio.sleep(self._update_seconds)
            await self._woken.wait()
            if not self._never_rests and asyncio.get_running_loop().time() - self._read_at >= self._rest_seconds:
                self._read.clear()
                self._resting = True
                await self._read.wait()

    async def _catch_up(self) -> None:
        await self._try_to_update()
        self._resting, self._catching_up = False, None
        self._read.set()

    async def _try_to_update(self) -> None:
        try:
            await self.update()
        except Exception as error:  # noqa: BLE001 - the disk may be better a second later
            self._log.warning("cannot update the leaderboards yet", error=type(error).__name__)
            self._woken.set()


class _CountedLeaderboards:
    """The leaderboards of rated ladders as sums of stored events. All methods are called on one thread."""

    def __init__(self, engine: Engine, ladders: Mapping[str, Ladder]) -> None:
        self.stopped = False
        self._engine = engine
        self._ladders = {ladder.id: ladder for ladder in ladders.values() if ladder.rated}
        self._leaderboards = self._empty_leaderboards()
        self.broken: set[int] = set()
        """The numbers of the matches that do not count, because their chains of hashes are broken."""
        self._names: dict[int, str] = {}
        self._verified_event = self._last_event = 0
        self._changed: set[str] = set()
        self._ranked: dict[str, dict[str, LeaderboardRow]] = {}

    def advance(self) -> dict[str, tuple[LeaderboardRow, ...]]:
        """Count all new events and return the rows of each ladder that has some."""
        last = load_last_event_id(self._engine)
        self._verify(last)
        while self._last_event < last and not self.stopped:
            chunk_end = min(self._last_event + CHUNK, last)
            counts = load_result_counts(self._engine, self._last_event, chunk_end, self._ladders, self.broken)
            self._load_names({count.player for count in counts})
            for count in counts:
                self._add(count)
            self._last_event = chunk_end
            self._changed |= {count.ladder for count in counts}
        rows = {ladder: tuple(self._leaderboards[ladder].rows()) for ladder in self._changed}
        self._ranked |= {ladder: {row.player: row for row in rows[ladder]} for ladder in rows}
        self._changed.clear()
        return rows

    def _verify(self, last: int) -> None:
        """Verify all events up to ``last``. If a match that was counted turns out to be broken, count all again."""
        while self._verified_event < last and not self.stopped:
            chunk_end = min(self._verified_event + CHUNK, last)
            found = find_broken_matches(self._engine, self._verified_event, chunk_end) - self.broken
            self.broken |= found
            self._verified_event = chunk_end
            if found and self._last_event:
                self._leaderboards, self._last_event = self._empty_leaderboards(), 0
                self._changed = set(self._ladders)

    def _empty_leaderboards(self) -> dict[str, Leaderboard]:
        return {ladder.id: Leaderboard(by_version=ladder.codemaker == "fixed") for ladder in self._ladders.values()}

    def player_rows(self, player: str) -> list[tuple[str, LeaderboardRow]]:
        """Return the rows of a player by ladder and client version."""
        return [
            (ladder, _with_rank_of(row, self._ranked.get(ladder, {}).get(player)))
            for ladder, leaderboard in self._leaderboards.items()
            for row in leaderboard.version_rows(player)
        ]

    def _load_names(self, players: set[int]) -> None:
        unknown = players - self._names.keys()
        if unknown:
            self._names |= load_player_names(self._engine, unknown)

    def _add(self, count: ResultCount) -> None:
        name = self._names[count.player]
        tally = self._leaderboards[count.ladder].tally(name, count.client)
        match count.type:
            case "match_started":
                tally.add_start(count.at)
            case "feedback":
                tally.add_guesses(count.value, count.events)
            case "game_over":
                guess_limit = self._ladders[count.ladder].guess_limit
                tally.add_games(count.outcome or "void", count.value, guess_limit, count.events)


def _encode(info: LadderInfo, rows: tuple[LeaderboardRow, ...]) -> bytes:
    return orjson.dumps(leaderboard_document(info, rows))


def _with_rank_of(row: LeaderboardRow, ranked: LeaderboardRow | None) -> LeaderboardRow:
    """Return the row of a version with the rank of the player's row on the leaderboard if both are the same games."""
    if ranked is None or (row.client, row.games) != (ranked.client, ranked.games):
        return row
    return replace(row, rank=ranked.rank, rank_worst=ranked.rank_worst)
