"""Requests to a match, the channels of their senders, and the JSON texts that answer."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import orjson

from evilpegs_protocol.client_messages import Guess, Hint, Play, Ready, Resign, Resume
from evilpegs_protocol.codec import encode
from evilpegs_protocol.server_messages import ErrorCode, Resumed
from evilpegs_server.match.events import CodeRefused, MatchEvent, TurnOpened
from evilpegs_server.match.match import Match, RefusedError, State
from evilpegs_server.record.event_log import EventLog
from evilpegs_server.record.recorder import Changes

MatchMessage = Ready | Guess | Hint | Resign | Resume


class ClientChannel(Protocol):
    """The connection of a client; the methods neither wait nor raise, even if it is gone."""

    def is_over_limit(self) -> bool:
        """Return True if the client's address exceeded a limit in the last few seconds."""
        ...

    def send(self, texts: Sequence[str]) -> None:
        """Send each of ``texts`` as one message, all in one write."""
        ...

    def close(self, code: int, reason: str) -> None: ...


class Request(NamedTuple):
    """A message to a match; ``arrived`` is in milliseconds of the `StallFreeClock`."""

    channel: ClientChannel
    message: MatchMessage | Play
    arrived: float


def add_re(text: str, re: str | None) -> str:
    """Append the field `re` to a JSON object, which makes it the answer to the request with that id."""
    # The text is not encoded again: an event keeps the bytes that were hashed, and `re` comes after them.
    return text if re is None else f'{text[:-1]},"re":{orjson.dumps(re).decode()}}}'


def step_texts(
    match: str, request: MatchMessage | Play | None, changes: Changes, refusal: RefusedError | None = None
) -> list[str]:
    """Return the texts of a step in the order of sending; the first is the direct answer to its request."""
    texts = [entry.text for entry in changes.entries]
    if changes.turn is not None:
        texts.append(turn_text(match, changes.turn))
    re = None if request is None else request.id
    if refusal is not None:
        return [encode(refusal.answer(re)), *texts]
    if request is not None:
        texts[0] = add_re(texts[0], re)
    return texts


def turn_text(match: str, opened: TurnOpened) -> str:
    turn = {"type": "turn", "match": match, "game": opened.game, "turn": opened.turn, "left_ms": opened.left_ms}
    return orjson.dumps(turn).decode()


def recorded_refusal(message: MatchMessage, first: MatchEvent) -> RefusedError | None:
    """Return the error for a guess that was refused with the event ``first``, which must not be a `NeedReply`."""
    if isinstance(first, CodeRefused):
        left = first.strikes_left
        sanction = f"{left} more illegal {'code forfeits' if left == 1 else 'codes forfeit'} the game"
        why = f"{first.why}; {sanction if left else 'the game is forfeited'}"
        return RefusedError(ErrorCode.ILLEGAL_CODE, why)
    if isinstance(message, Guess):
        return RefusedError(ErrorCode.FLAGGED, "the guess came after your time was up")
    return None


def resume_texts(match: Match, event_log: EventLog, message: Resume, now: float) -> list[str]:
    """Return the state of the match, then the events that the player has missed, then the turn that is open."""
    state = Resumed(
        match=event_log.match,
        seq=event_log.seq,
        state=match.state.value,
        game=match.game,
        ready_by_ms=match.ready_by_ms(now) if match.state is State.READY else None,
        re=message.id,
    )
    texts = [encode(state), *(entry.text for entry in event_log.since(message.seq))]
    return [*texts, turn_text(event_log.match, match.open_turn(now))] if match.state is State.TURN else texts
