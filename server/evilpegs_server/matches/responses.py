"""Builders of the JSON texts that a match sends to its player: events, turns and direct answers to requests."""

from typing import Final, NamedTuple

from evilpegs_protocol.client_messages import Guess, Ready, Resume
from evilpegs_protocol.codec import encode
from evilpegs_protocol.server_messages import ErrorCode, HintGiven, Notice, Resumed
from evilpegs_server.fast_path import add_re, turn_json
from evilpegs_server.match.events import CodeRefused, MatchEvent, TurnOpened
from evilpegs_server.match.match import Match, State
from evilpegs_server.matches.requests import MatchMessage, Request, error_text
from evilpegs_server.record.event_log import EventLog
from evilpegs_server.record.recorder import Batch
from evilpegs_server.work.hints import HintResult

_ANSWERED_BY: Final = {"guess": "feedback", "resign": "game_over"}
"""The type of the event that is the direct answer to a request, by the type of the request."""


class RecordedRefusal(NamedTuple):
    """An error that answers the request with the id ``re``, although the events of the request are recorded.

    Illegal codes, guesses after the time was up, and guesses to which no reply could be found are answered with this
    error. ``why`` is a text for people.
    """

    code: ErrorCode
    why: str
    re: str | None

    @property
    def text(self) -> str:
        """The JSON text of the `error` message."""
        return error_text(self.code, self.why, self.re)


def step_texts(match: str, request: Request | None, batch: Batch, refusal: RecordedRefusal | None) -> list[str]:
    """Return the JSON texts that answer ``request`` in the match with the id ``match``, in the order of sending.

    ``batch`` holds the new log entries that the request has caused, and the turn that it has opened, if any. The texts
    are the ``refusal``, unless it is None, the entries, and the turn. The text that answers ``request`` directly gets
    the id of the request. ``request`` is None if a deadline or the absence of the player caused the entries.
    """
    if request is None or request.message.id is None:
        return _texts_without_id(match, batch, refusal)
    re = request.message.id
    awaited = _ANSWERED_BY.get(request.message.type) if not refusal else None
    texts = [refusal.text] if refusal else []
    for entry in batch.entries:
        texts.append(add_re(entry.text, re) if entry.type == awaited else entry.text)
        awaited = None if entry.type == awaited else awaited
    if batch.turn is not None:
        texts.append(turn_text(match, batch.turn, re if isinstance(request.message, Ready) else None))
    return texts


def _texts_without_id(match: str, batch: Batch, refusal: RecordedRefusal | None) -> list[str]:
    """Return the result of `step_texts` for a request without an id, or without a request.

    ``batch`` holds the new log entries and the turn that was opened, if any.
    """
    texts = [entry.text for entry in batch.entries]
    if refusal:
        texts.insert(0, refusal.text)
    if batch.turn is not None:
        texts.append(turn_text(match, batch.turn))
    return texts


def turn_text(match: str, opened: TurnOpened, re: str | None = None) -> str:
    """Return the JSON text of a `turn` message; ``re`` is the id of the request that it answers, or None."""
    return add_re(turn_json(match, opened.game, opened.turn, opened.left_ms), re)


def refusal(message: MatchMessage, first: MatchEvent) -> RecordedRefusal | None:
    """Return the error that answers ``message`` if it is a guess that was refused, else None.

    A guess is refused if its code is illegal or the time was up. ``first`` is the first event that ``message`` has
    caused; it is not a `NeedReply` or an `AnswerRepeated`.
    """
    if isinstance(first, CodeRefused):
        return RecordedRefusal(ErrorCode.ILLEGAL_CODE, f"{first.why}; {_sanction(first.strikes_left)}", message.id)
    if isinstance(message, Guess):
        return RecordedRefusal(ErrorCode.FLAGGED, "the guess came after the time was up", message.id)
    return None


def _sanction(strikes_left: int) -> str:
    """Return a text that says how many more illegal codes forfeit the game.

    ``strikes_left`` is this number; at 0 the text says that the game is forfeited.
    """
    if not strikes_left:
        return "the game is forfeited"
    return f"{strikes_left} more illegal {'code forfeits' if strikes_left == 1 else 'codes forfeit'} the game"


def resume_texts(match: Match, event_log: EventLog, message: Resume, now: float) -> list[str]:
    """Return the JSON texts that answer ``message``: the state of the match, and the events that the player has missed.

    The state comes first. The missed events are those with a number above ``message.seq``, the number of the last event
    that the player has received. ``now`` is the time in milliseconds of the clock of the match.
    """
    state = Resumed(
        match=event_log.match,
        seq=event_log.seq,
        state=match.state.value,
        game=match.game,
        ready_by_ms=match.ready_by_ms(now) if match.state is State.READY else None,
        re=message.id,
    )
    return [encode(state), *(entry.text for entry in event_log.since(message.seq))]


def hint_text(match: str, hint: HintResult, re: str | None) -> str:
    """Return the JSON text of a `hint` message, with a good guess and the reason why it is good.

    ``match`` is the id of the match, and ``re`` the id of the request, or None.
    """
    return encode(HintGiven(match=match, code=hint.code, candidates=hint.candidates, why=hint.why, re=re))


def seat_taken_text() -> str:
    """Return the JSON text of the notice to a connection from which another connection has taken over a match."""
    return encode(Notice(kind="seat_taken", message="another connection took the seat of this match"))
