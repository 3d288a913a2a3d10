"""The recorder of a match: events of the state machine become log entries and database writes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from evilpegs_game.codes import format_code
from evilpegs_protocol.codec import encode_feedback
from evilpegs_protocol.fields import Program
from evilpegs_protocol.server_messages import RecordEvent
from evilpegs_server.codemaking.game_secrets import GameSecrets
from evilpegs_server.codemaking.replies import Codemaking, Reply
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
from evilpegs_server.record.signing import RecordSigner
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
    """The author of one match's event log; ``wall_ms`` returns Unix time in milliseconds.

    The last event is signed by ``signer`` if there is one.
    """

    def __init__(
        self,
        key: MatchKey,
        event_log: EventLog,
        codemaking: Codemaking,
        wall_ms: Callable[[], int],
        signer: RecordSigner | None = None,
    ) -> None:
        self._key = key
        self._event_log = event_log
        self._codemaking = codemaking
        self._wall_ms = wall_ms
        self._signer = signer
        self._game_secrets: GameSecrets | None = None

    def open(self, events: Sequence[MatchEvent], player: str, client: Program) -> Batch:
        """Begin the record with the player and the client program, then record ``events``."""
        batch = Batch()
        self._append(batch, match_started_event(self._key, player, client, self._wall_ms()))
        return self._add_events(batch, events)

    def record(
        self,
        events: Sequence[MatchEvent],
        reply: Reply | None = None,
        stalled_ms: int = 0,
        witnesses: Mapping[int, str | None] = NO_WITNESSES,
    ) -> Batch:
        """Record ``events``; ``reply`` and ``stalled_ms`` belong to a `GuessAnswered` among them.

        ``witnesses`` holds, by game, the codes to be shown at the end of games, if they were computed before.
        """
        return self._add_events(Batch(), events, reply, stalled_ms, witnesses)

    def pending_witness(self, events: Sequence[MatchEvent]) -> GameEnded | None:
        """Return the end of a game that must show a witness which takes long to compute; None if there is none."""
        for event in events:
            if isinstance(event, GameEnded) and self._shows_secret(event):
                known = self._codemaking.knows_secret(self._key.ladder, event.history)
                return None if known else event
        return None

    def game_secrets(self, game: int, client_nonce: str | None) -> GameSecrets:
        """Return the values from which the secret and the ties of a game follow. Those of the last game are cached."""
        secrets = self._game_secrets
        if secrets is None or (secrets.game, secrets.client_nonce) != (game, client_nonce):
            nonce, tie_nonces = self._key.nonce(game), self._key.tie_nonces
            secrets = self._game_secrets = GameSecrets(self._key.id, game, nonce, client_nonce, tie_nonces)
        return secrets

    def _add_events(
        self,
        batch: Batch,
        events: Sequence[MatchEvent],
        reply: Reply | None = None,
        stalled_ms: int = 0,
        witnesses: Mapping[int, str | None] = NO_WITNESSES,
    ) -> Batch:
        for event in events:
            self._add_event(batch, event, reply, stalled_ms, witnesses)
        if batch.entries:
            batch.writes.append(writes.insert_events(self._key.id, batch.entries))
        return batch

    def _add_event(
        self,
        batch: Batch,
        event: MatchEvent,
        reply: Reply | None,
        stalled_ms: int,
        witnesses: Mapping[int, str | None],
    ) -> None:
        match event:
            case GuessAnswered() if reply is not None:
                batch.entries.append(self._feedback(event, reply, stalled_ms))
            case TurnOpened():
                batch.turn = event
            case GameBegun():
                batch.writes.append(writes.insert_game(self._key.id, event.game, event.client_nonce))
            case GameOpened():
                self._append(batch, game_started_event(self._key, event, *self._next()))
            case GameEnded():
                shown = witnesses[event.game] if event.game in witnesses else self._secret(event)
                over = game_over_event(self._key, event, shown, *self._next())
                batch.writes.append(writes.finish_game(over, self._event_log.guess_times(event.game)))
                self._append(batch, over)
            case MatchEnded():
                _, at = self._next()
                last = match_over_event(self._key, event, self._event_log, at)
                self._append(batch, self._signer.sign(last) if self._signer else last)
                batch.writes.append(writes.finish_match(self._key.id))

    def _feedback(self, event: GuessAnswered, reply: Reply, stalled_ms: int) -> LogEntry:
        seq, at = self._next()
        if reply.candidates is not None:
            return self._event_log.append(feedback_event(self._key, event, reply, stalled_ms, seq, at))
        code = format_code(event.guess)
        took_ms, left_ms = event.took_ms, event.left_ms
        text = encode_feedback(
            self._key.id,
            seq,
            at,
            event.game,
            event.turn,
            code,
            event.feedback,
            took_ms,
            left_ms,
            reply.method,
            stalled_ms or None,
        )
        return self._event_log.append_text(at, "feedback", text)

    def _secret(self, event: GameEnded) -> str | None:
        """Return the code to show at the end of a game; None if there is none."""
        if not self._shows_secret(event):
            return None
        secrets = self.game_secrets(event.game, event.client_nonce)
        return self._codemaking.secret(self._key.ladder, secrets, event.history)

    def _shows_secret(self, event: GameEnded) -> bool:
        """Return True if the end of a game shows a code. An evil codemaker that failed has no witness either."""
        evil = self._key.ladder.codemaker != "fixed"
        return event.begun and not (evil and event.outcome is Outcome.VOID)

    def _next(self) -> tuple[int, int]:
        """Return the number and the time of the next event.

        The time never falls within a record, even if the wall clock is set back during the match.
        """
        entries = self._event_log.entries
        return len(entries) + 1, max(self._wall_ms(), entries[-1].at) if entries else self._wall_ms()

    def _append(self, batch: Batch, event: RecordEvent) -> None:
        batch.entries.append(self._event_log.append(event))
