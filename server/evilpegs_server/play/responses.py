"""Builders of the JSON texts that a match sends to its player: events, turns and direct answers to requests."""

from typing import Final, NamedTuple

import orjson

from evilpegs_protocol.client_messages import Guess, Ready, Resume
from evilpegs_protocol.codec import encode
from evilpegs_protocol.server_messages import ErrorCode, HintGiven, Notice, Resumed
from evilpegs_server.match.events import CodeRefused, MatchEvent, TurnOpened
from evilpegs_server.match.match import Match, State
from evilpegs_server.play.requests import MatchMessage, Request, error_text
from evilpegs_server.record.event_log import EventLog
from evilpegs_server.record.recorder import Batch
from evilpegs_server.work.hints import HintResult

_ANSWERED_BY: Final = {"guess": "feedback", "resign": "game_over"}


class RecordedRefusal(NamedTuple):
    """An error that answers a request although its events are recorded, as after an illegal code."""

    code: ErrorCode
    why: str
    re: str | None

    @property
    def text(self) -> str:
        return error_text(self.code, self.why, self.re)


def step_texts(match: str, request: Request | None, batch: Batch, refusal: RecordedRefusal | None) -> list[str]:
    """Return the texts of a step in the order of sending; the direct answer to ``request`` gets its id."""
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
    texts = [entry.text for entry in batch.entries]
    if refusal:
        texts.insert(0, refusal.text)
    if batch.turn is not None:
        texts.append(turn_text(match, batch.turn))
    return texts


def turn_text(match: str, opened: TurnOpened, re: str | None = None) -> str:
    turn = {"type": "turn", "match": match, "game": opened.game, "turn": opened.turn, "left_ms": opened.left_ms}
    return add_re(orjson.dumps(turn).decode(), re)


def add_re(text: str, re: str | None) -> str:
    """Append the field `re` to a JSON object, which makes it the answer to the request with that id."""
    # The text is not encoded again: an event keeps the bytes that were hashed, and `re` comes after them.
    return text if re is None else f'{text[:-1]},"re":{orjson.dumps(re).decode()}}}'


def refusal(message: MatchMessage, first: MatchEvent) -> RecordedRefusal | None:
    """Return the error for a guess that was refused with the event ``first``, which must not be a `NeedReply`."""
    if isinstance(first, CodeRefused):
        return RecordedRefusal(ErrorCode.ILLEGAL_CODE, f"{first.why}; {_sanction(first.strikes_left)}", message.id)
    if isinstance(message, Guess):
        return RecordedRefusal(ErrorCode.FLAGGED, "the guess came after your time was up", message.id)
    return None


def _sanction(strikes_left: int) -> str:
    if not strikes_left:
        return "the game is forfeited"
    return f"{strikes_left} more illegal {'code forfeits' if strikes_left == 1 else 'codes forfeit'} the game"


def resume_texts(match: Match, event_log: EventLog, message: Resume, now: float) -> list[str]:
    """Return the state of the match, and then the events that the player has missed."""
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
    return encode(HintGiven(match=match, code=hint.code, candidates=hint.candidates, why=hint.why, re=re))


def seat_taken_text() -> str:
    return encode(Notice(kind="seat_taken", message="another connection took over this match"))
