"""The recorder of a match: events of the state machine become log entries and database writes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from evilpegs_game.codes import format_code
from evilpegs_protocol.codec import plain_feedback
from evilpegs_protocol.fields import Program
from evilpegs_protocol.server_messages import RecordEvent
from evilpegs_server.codemaking.replies import Answer, Codemaking, Draw
from evilpegs_server.match.events import (
    GameBegun,
    GameEnded,
    GameOpened,
    GuessAnswered,
    MatchEnded,
    MatchEvent,
    Outcome,
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
from evilpegs_server.storage import writes
from evilpegs_server.storage.writer import Write

NO_WITNESSES: Final[Mapping[int, str | None]] = {}


@dataclass(slots=True)
class Batch:
    """The log entries and database writes of one step of a match. ``turn`` is the turn that the step opened, if any."""

    entries: list[LogEntry] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    turn: TurnOpened | None = None


class Recorder:
    """The author of one match's event log; ``wall_ms`` returns Unix time in milliseconds."""

    def __init__(self, key: MatchKey, event_log: EventLog, codemaking: Codemaking, wall_ms: Callable[[], int]) -> None:
        self._key = key
        self._event_log = event_log
        self._codemaking = codemaking
        self._wall_ms = wall_ms
        self._draw: Draw | None = None

    def open(self, events: Sequence[MatchEvent], player: str, client: Program) -> Batch:
        """Begin the record with the player and the client program, then record ``events``."""
        batch = Batch()
        self._append(batch, match_started_event(self._key, player, client, self._wall_ms()))
        return self._add_events(batch, events)

    def record(
        self,
        events: Sequence[MatchEvent],
        answer: Answer | None = None,
        stalled_ms: int = 0,
        witnesses: Mapping[int, str | None] = NO_WITNESSES,
    ) -> Batch:
        """Record ``events``; ``answer`` and ``stalled_ms`` belong to a `GuessAnswered` among them.

        ``witnesses`` holds, by game, the codes to be shown at the end of games, if they were computed before.
        """
        return self._add_events(Batch(), events, answer, stalled_ms, witnesses)

    def pending_witness(self, events: Sequence[MatchEvent]) -> GameEnded | None:
        """Return the end of a game that must show a witness which takes long to compute; None if there is none."""
        for event in events:
            if isinstance(event, GameEnded) and self._shows_secret(event):
                known = self._codemaking.knows_secret(self._key.ladder, event.history)
                return None if known else event
        return None

    def draw(self, game: int, client_nonce: str | None) -> Draw:
        """Return the values from which the secret and the ties of a game follow. Those of the last game are cached."""
        drawn = self._draw
        if drawn is None or (drawn.game, drawn.client_nonce) != (game, client_nonce):
            drawn = self._draw = Draw(self._key.id, game, self._key.nonce(game), client_nonce)
        return drawn

    def _add_events(
        self,
        batch: Batch,
        events: Sequence[MatchEvent],
        answer: Answer | None = None,
        stalled_ms: int = 0,
        witnesses: Mapping[int, str | None] = NO_WITNESSES,
    ) -> Batch:
        for event in events:
            self._add_event(batch, event, answer, stalled_ms, witnesses)
        if batch.entries:
            batch.writes.append(writes.recorded(self._key.id, batch.entries))
        return batch

    def _add_event(
        self,
        batch: Batch,
        event: MatchEvent,
        answer: Answer | None,
        stalled_ms: int,
        witnesses: Mapping[int, str | None],
    ) -> None:
        match event:
            case GuessAnswered() if answer is not None:
                batch.entries.append(self._feedback(event, answer, stalled_ms))
            case TurnOpened():
                batch.turn = event
            case GameBegun():
                batch.writes.append(writes.game_begun(self._key.id, event.game, event.client_nonce))
            case GameOpened():
                self._append(batch, game_started_event(self._key, event, *self._next()))
            case GameEnded():
                shown = witnesses[event.game] if event.game in witnesses else self._secret(event)
                over = game_over_event(self._key, event, shown, *self._next())
                batch.writes.append(writes.game_over(over))
                self._append(batch, over)
            case MatchEnded():
                self._append(batch, match_over_event(self._key, event, self._event_log, self._wall_ms()))
                batch.writes.append(writes.match_over(self._key.id))

    def _feedback(self, event: GuessAnswered, answer: Answer, stalled_ms: int) -> LogEntry:
        seq, at = self._next()
        if answer.candidates is not None:
            return self._event_log.append(feedback_event(self._key, event, answer, stalled_ms, seq, at))
        code = format_code(event.guess)
        took_ms, left_ms = event.took_ms, event.left_ms
        text = plain_feedback(
            self._key.id,
            seq,
            at,
            event.game,
            event.turn,
            code,
            event.feedback,
            took_ms,
            left_ms,
            answer.method,
            stalled_ms or None,
        )
        return self._event_log.append_text(at, "feedback", text)

    def _secret(self, event: GameEnded) -> str | None:
        """Return the code to show at the end of a game; None if there is none."""
        if not self._shows_secret(event):
            return None
        draw = self.draw(event.game, event.client_nonce)
        return self._codemaking.secret(self._key.ladder, draw, event.history)

    def _shows_secret(self, event: GameEnded) -> bool:
        """Return True if the end of a game shows a code. An evil codemaker that failed has no witness either."""
        evil = self._key.ladder.codemaker != "fixed"
        return event.begun and not (evil and event.outcome is Outcome.VOID)

    def _next(self) -> tuple[int, int]:
        return self._event_log.seq + 1, self._wall_ms()

    def _append(self, batch: Batch, event: RecordEvent) -> None:
        batch.entries.append(self._event_log.append(event))
