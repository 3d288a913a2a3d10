"""The recorder of a match, which turns the events of the state machine into entries of the event log.

A recorder computes nothing about the game and stores nothing. Its callers give it the code that the end of a game
shows, and store the `Batch` that the recorder returns.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evilpegs_protocol.fields import Program
from evilpegs_server.match.events import (
    GameBegun,
    GameEnded,
    GameOpened,
    GuessAnswered,
    MatchEnded,
    MatchEvent,
    TurnOpened,
)
from evilpegs_server.record.encoding import (
    MatchKey,
    feedback_event,
    game_over_event,
    game_started_event,
    match_over_event,
    match_started_event,
)
from evilpegs_server.record.event_log import EventLog, LogEntry
from evilpegs_server.record.signing import RecordSigner
from evilpegs_server.replies.codemaking import Reply


@dataclass(slots=True)
class Batch:
    """The changes of one step."""

    entries: list[LogEntry] = field(default_factory=list)
    turn: TurnOpened | None = None
    begun: GameBegun | None = None
    ended: list[GameEnded] = field(default_factory=list)
    is_last: bool = False
    """True if the match is over."""

    @property
    def is_stored(self) -> bool:
        """True if the batch has anything to store."""
        return bool(self.entries) or self.begun is not None


class Recorder:
    def __init__(
        self, key: MatchKey, event_log: EventLog, wall_ms: Callable[[], int], signer: RecordSigner | None = None
    ) -> None:
        self._key = key
        self._event_log = event_log
        self._wall_ms = wall_ms
        self._signer = signer

    def open(self, events: Sequence[MatchEvent], player: str, client: Program) -> Batch:
        """Append the first event of the match and then ``events``."""
        batch = Batch()
        self._append(batch, match_started_event(self._key, player, client, self._wall_ms()))
        return self._add_events(batch, events, None, 0, None)

    def record(
        self,
        events: Sequence[MatchEvent],
        reply: Reply | None = None,
        stalled_ms: int = 0,
        secret: str | None = None,
    ) -> Batch:
        """Append ``events``; ``secret`` is shown at the end of the game that `shows_secret` returns."""
        return self._add_events(Batch(), events, reply, stalled_ms, secret)

    def shows_secret(self, events: Iterable[MatchEvent]) -> GameEnded | None:
        """Return the first event that ends a game whose end shows a code."""
        for event in events:
            if isinstance(event, GameEnded) and event.shows_secret(self._key.ladder.codemaker):
                return event
        return None

    def _add_events(
        self, batch: Batch, events: Sequence[MatchEvent], reply: Reply | None, stalled_ms: int, secret: str | None
    ) -> Batch:
        for event in events:
            match event:
                case GuessAnswered() if reply is not None:
                    self._append(batch, feedback_event(self._key, event, reply, stalled_ms, *self._next()))
                case TurnOpened():
                    batch.turn = event
                case GameBegun():
                    batch.begun = event
                case GameOpened():
                    self._append(batch, game_started_event(self._key, event, *self._next()))
                case GameEnded():
                    shown = secret if event.shows_secret(self._key.ladder.codemaker) else None
                    batch.ended.append(event)
                    self._append(batch, game_over_event(self._key, event, shown, *self._next()))
                case MatchEnded():
                    self._end_match(batch, event)
        return batch

    def _end_match(self, batch: Batch, event: MatchEnded) -> None:
        _, at = self._next()
        last = match_over_event(self._key, event, self._event_log, at)
        if self._signer is not None:
            last["signature"] = self._signer.sign(last)
        self._append(batch, last)
        batch.is_last = True

    def _next(self) -> tuple[int, int]:
        entries = self._event_log.entries
        # times never decrease within a record, even if the wall clock is set back
        return len(entries) + 1, max(self._wall_ms(), entries[-1].at) if entries else self._wall_ms()

    def _append(self, batch: Batch, event: Mapping[str, Any]) -> None:
        batch.entries.append(self._event_log.append(event))
