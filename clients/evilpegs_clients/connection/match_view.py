"""A match as its player sees it: the record so far, without gaps, and the phase that says whose move it is.

The view follows from the server's messages alone. Each event is applied once: a repeated event is compared with the
first one and dropped. An event after a gap raises ConnectionLostError, because the missing events must be requested
with `resume`. The phase of a resumed match is `Phase.WAITING` until all missed events have arrived.
"""

from enum import StrEnum
from typing import Any

from evilpegs_clients.connection.connection import ReceivedMessage
from evilpegs_clients.errors import BrokenRecordError, ConnectionLostError
from evilpegs_clients.printable import printable
from evilpegs_game.codes import parse_code
from evilpegs_game.errors import GameError
from evilpegs_game.feedback import History
from evilpegs_game.rules import Rules
from evilpegs_protocol.record import Record
from evilpegs_protocol.server_messages import (
    FeedbackGiven,
    GameOver,
    GameStarted,
    MatchOver,
    MatchStarted,
    RecordEvent,
    Resumed,
    ServerEvent,
    TurnStarted,
)


class Phase(StrEnum):
    """The next thing that a match waits for, as far as the player knows."""

    READY = "ready"
    """The player's `ready`."""
    TURN = "turn"
    """The player's guess."""
    WAITING = "waiting"
    """The server."""
    OVER = "over"


SETTLED_PHASES = frozenset({Phase.READY, Phase.TURN, Phase.OVER})
"""It is the player's move, or the match is over."""


class MatchView:
    """The state of a match, as far as its messages have been passed to `apply`."""

    def __init__(self, id: str) -> None:  # noqa: A002 - it is the match's id
        self.id = id
        self.phase = Phase.WAITING
        self.game = 0
        self.turn = 0  # opened or answered last
        self.left_ms: int | None = None  # as the server sent it last
        self.ready_by_ms = 0  # from its latest announcement on
        self.announcements = 0
        """Times that the server has announced the time left, for a guess or for `ready`."""
        self.record: list[dict[str, Any]] = []
        """Every event so far, as the JSON object that was received."""
        self.events: list[RecordEvent] = []
        """The events of ``record``, parsed."""
        self._match: Record | None = None
        self._resumed: Resumed | None = None

    @property
    def match(self) -> Record:
        """The games and turns of ``events``; raises LookupError if the first event has not arrived yet."""
        if self._match is None:
            raise LookupError("the first event is match_started")
        return self._match

    @property
    def started(self) -> MatchStarted:
        return self.match.started

    @property
    def rules(self) -> Rules:
        return Rules.parse(self.started.rules)

    @property
    def history(self) -> History:
        """The answered turns of the current game."""
        game = self.match.games.get(self.game)
        return game.history(self.rules) if game else ()

    @property
    def seq(self) -> int:
        """The number of the last event received; 0 before the first."""
        return len(self.record)

    @property
    def is_catching_up(self) -> bool:
        """True until the first event has arrived, and while events of a resumed match are missing."""
        return self._resumed is not None or self._match is None

    def apply(self, received: ReceivedMessage) -> bool:
        """Return True if the message changed the view. Raises ConnectionLostError after a gap, or BrokenRecordError."""
        message = received.message
        if getattr(message, "match", None) != self.id:
            return False
        if isinstance(message, RecordEvent):
            return self._apply_event(message, dict(received.fields))
        return self._apply_state(message)

    def game_events(self, game: int) -> list[dict[str, Any]]:
        """Return the first event of the match and those of one game."""
        return [event for event in self.record if event.get("game", game) == game and event["type"] != "match_over"]

    def _apply_event(self, event: RecordEvent, fields: dict[str, Any]) -> bool:
        if event.seq <= self.seq:
            if event.seq < 1 or self.record[event.seq - 1] != fields:
                raise BrokenRecordError(
                    f"the server contradicts its own record: event {event.seq} of match {self.id} has changed"
                )
            return False
        if event.seq > self.seq + 1:
            raise ConnectionLostError(f"event {self.seq + 1} of match {self.id} is missing")
        try:
            self._fold(event)
        except (GameError, LookupError) as error:
            raise BrokenRecordError(
                f"event {event.seq} of match {self.id} does not fit the ones before it: {printable(str(error))}"
            ) from error
        self.record.append(fields)
        self.events.append(event)
        self._catch_up()
        return True

    def _apply_state(self, message: ServerEvent) -> bool:
        match message:
            case TurnStarted():
                self.announcements += 1
                self.phase, self.left_ms = Phase.TURN, message.left_ms
                self.game, self.turn = message.game, message.turn
            case Resumed():
                if message.seq < self.seq:
                    raise BrokenRecordError(
                        f"the server lost events: match {self.id} had {self.seq}, now {message.seq}"
                    )
                self._resumed = message
                self._catch_up()
            case _:
                return False
        return True

    def _catch_up(self) -> None:
        resumed = self._resumed
        if resumed is None:
            return
        self.phase = Phase.WAITING
        if self.seq >= resumed.seq:
            self._resumed = None
            # an open turn is WAITING until the server sends `turn`
            self.phase = {"ready": Phase.READY, "over": Phase.OVER}.get(resumed.state, Phase.WAITING)
            self.announcements += 1
            self.ready_by_ms = resumed.ready_by_ms or self.ready_by_ms

    def _fold(self, event: RecordEvent) -> None:
        match event:
            case MatchStarted():
                self._match = Record(event)
            case GameStarted():
                self.phase, self.game, self.turn = Phase.READY, event.game, 0
                self.announcements += 1
                self.ready_by_ms = event.ready_by_ms
            case FeedbackGiven():
                self.phase, self.turn, self.left_ms = Phase.WAITING, event.turn, event.left_ms
                parse_code(event.code, self.rules)
            case GameOver():
                self.phase = Phase.WAITING
            case MatchOver():
                self.phase = Phase.OVER
        self.match.add(event)
