"""Matches that come back from the database: open ones after a stop or a kill, and finished ones when asked for.

A record is replayed: its events give the facts from which the state machine is rebuilt, in 1 ms for a short match and
10 ms for a long one. At the start, `MatchRegistry.restore` opens the matches that were open. Later the registry reads
through `FinishedMatches` those that are over, and those whose events could not be stored.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from sqlalchemy import Engine

from evilpegs_game.codes import parse_code
from evilpegs_game.feedback import Feedback
from evilpegs_protocol.codec import decode_record_event
from evilpegs_protocol.server_messages import (
    FeedbackGiven,
    GameOver,
    GameStarted,
    MatchOver,
    MatchStarted,
    RecordEvent,
)
from evilpegs_server.match.events import Fact, GameBegun, GameEnded, GameOpened, GuessAnswered, MatchEnded, Outcome
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.match.match import Match
from evilpegs_server.storage.archive import StoredMatch, load_match
from evilpegs_server.storage.reads import Reads

MAX_MATCHES: Final = 32  # a match of 100 games takes about a megabyte
MAX_MISSES: Final = 1_000
"""Ids that no match has."""


class ReplayedMatch(NamedTuple):
    stored: StoredMatch
    match: Match
    tie_nonces: int | None


def read_match(engine: Engine, ladders: Mapping[str, Ladder], match: str) -> ReplayedMatch | None:
    """Read and replay a match; None if there is no such match, or if its ladder is not in ``ladders``."""
    stored = load_match(engine, match)
    if stored is None or stored.ladder not in ladders:
        return None
    return replay_match(stored, ladders[stored.ladder])


def replay_match(stored: StoredMatch, ladder: Ladder) -> ReplayedMatch:
    events = [decode_record_event(entry.text) for entry in stored.entries]
    match = Match.from_facts(ladder, facts_from_events(ladder, events, stored.client_nonces))
    started = events[0] if events else None
    return ReplayedMatch(stored, match, started.tie_nonces if isinstance(started, MatchStarted) else None)


def facts_from_events(
    ladder: Ladder, events: Iterable[RecordEvent], client_nonces: Mapping[int, str | None]
) -> Iterator[Fact]:
    """Yield the facts that the events of a record state; a game not in ``client_nonces`` has no `GameBegun`.

    Raises EvilpegsError if a guess is not a code under the rules of ``ladder``.
    """
    for event in events:
        match event:
            case GameStarted():
                yield GameOpened(event.game, ladder.ready_ms)
                if event.game in client_nonces:
                    yield GameBegun(event.game, client_nonces[event.game])
            case FeedbackGiven():
                guess = parse_code(event.code, ladder.rules)
                feedback = Feedback(event.black, event.white)
                yield GuessAnswered(event.game, event.turn, guess, feedback, event.took_ms, event.left_ms)
            case GameOver():
                outcome = Outcome(event.outcome)
                yield GameEnded(
                    event.game,
                    outcome,
                    event.guesses,
                    event.elapsed_ms,
                    (),
                    None,
                    begun=True,
                    opened=event.nonce is not None,
                )
            case MatchOver():
                yield MatchEnded(tuple(map(Outcome, event.outcomes)), event.guesses, event.elapsed_ms)


class FinishedMatches:
    """A cache of what ``read`` returns, by match id; None means no such match.

    Reads happen in a thread, one at a time, and clients that ask for the same match at the same time share one.
    """

    def __init__(self, read: Callable[[str], ReplayedMatch | None]) -> None:
        self._read = read
        self._reads = Reads(threads=1)
        self._known: OrderedDict[str, ReplayedMatch] = OrderedDict()
        self._missing: OrderedDict[str, None] = OrderedDict()
        self._reading: dict[str, asyncio.Task[ReplayedMatch | None]] = {}

    async def find(self, match: str) -> ReplayedMatch | None:
        """Return the value from the cache or the database; only `keep` adds to the cache. Raises BusyError."""
        if match in self._known:
            self._known.move_to_end(match)
            return self._known[match]
        if match in self._missing:
            return None
        if match not in self._reading:
            task = self._reading[match] = asyncio.get_running_loop().create_task(self.read(match))
            task.add_done_callback(lambda _: self._reading.pop(match, None))
        return await asyncio.shield(self._reading[match])

    async def read(self, match: str) -> ReplayedMatch | None:
        """Return the value from the database, without the cache. Raises BusyError."""
        value = await self._reads.run(self._read, match)
        if value is None:
            self._missing[match] = None
            if len(self._missing) > MAX_MISSES:
                self._missing.popitem(last=False)
        return value

    def keep(self, match: str, value: ReplayedMatch) -> None:
        self._known[match] = value
        if len(self._known) > MAX_MATCHES:
            self._known.popitem(last=False)

    def forget(self, match: str) -> None:
        """Forget the value or the miss of an id, because the match with this id is open now."""
        self._missing.pop(match, None)
        self._known.pop(match, None)

    def close(self) -> None:
        """Cancel the waiting reads, and return when the running read is finished."""
        self._reads.close()
