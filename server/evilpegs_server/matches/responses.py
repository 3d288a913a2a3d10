"""What a match says to its player, as texts: the direct answer to a request, and the events and turns around it.

A request that is refused, from wherever that is noticed.

What a match knows of a connection: it takes texts, and it can be closed.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from evilpegs_protocol.client_messages import Guess, Hint, Ready, Resign, Resume
from evilpegs_protocol.codec import answer, encode, plain_turn
from evilpegs_protocol.server_messages import Error, ErrorCode, Expected, HintGiven, Notice, Resumed
from evilpegs_server.match.events import CodeRefused, MatchEvent, TurnOpened
from evilpegs_server.match.match import Match, RefusedError, State
from evilpegs_server.matches.recorder import Batch
from evilpegs_server.record.event_log import Record
from evilpegs_server.work.tasks import HintAnswer


class RefusedRequestError(Exception):
    """A request is refused with this error code; the message is for people."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class Link(Protocol):
    """One connection of a player. Neither method waits or raises, also when the connection is gone."""

    def send(self, texts: Sequence[str]) -> None:
        """Hand these messages to the socket, in one write."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Begin to close the connection."""
        ...


def error_text(
    code: ErrorCode,
    message: str,
    re: str | None,
    *,
    fatal: bool = False,
    expected: Expected | None = None,
    retry_after_ms: int | None = None,
) -> str:
    """An `error` as text."""
    return encode(
        Error(code=code, message=message, re=re, fatal=fatal, expected=expected, retry_after_ms=retry_after_ms)
    )


MatchRequest = Ready | Guess | Hint | Resign | Resume

_ANSWERED_BY: Final = {"guess": "feedback", "resign": "game_over"}
"""The event that is the direct answer to a request."""


class Asked(NamedTuple):
    """A request, who sent it, and when it arrived (stall-free milliseconds)."""

    link: Link
    message: MatchRequest
    arrived: float

    def refuse(self, code: ErrorCode, why: str, expected: Expected | None = None) -> None:
        """Answer with an error."""
        self.link.send([error_text(code, why, self.message.id, expected=expected)])

    def refuse_as(self, refused: RefusedError) -> None:
        """Answer with what the match says against it."""
        where = Expected(game=refused.game, turn=refused.turn)
        self.refuse(ErrorCode(refused.refusal), str(refused), where)


def told(match: str, asked: Asked | None, batch: Batch, objection: str | None) -> list[str]:
    """The texts of one step, in order; the direct answer to ``asked`` carries its id."""
    if asked is None or asked.message.id is None:
        return _told_without_id(match, batch, objection)
    re = asked.message.id
    awaited = _ANSWERED_BY.get(asked.message.type) if not objection else None
    texts = [objection] if objection else []
    for entry in batch.entries:
        texts.append(answer(entry.text, re) if entry.type == awaited else entry.text)
        awaited = None if entry.type == awaited else awaited
    if batch.turn is not None:
        texts.append(turn(match, batch.turn, re if isinstance(asked.message, Ready) else None))
    return texts


def _told_without_id(match: str, batch: Batch, objection: str | None) -> list[str]:
    """The same where no answer has to name its request."""
    texts = [entry.text for entry in batch.entries]
    if objection:
        texts.insert(0, objection)
    if batch.turn is not None:
        texts.append(turn(match, batch.turn))
    return texts


def turn(match: str, opened: TurnOpened, re: str | None = None) -> str:
    """An open turn."""
    return answer(plain_turn(match, opened.game, opened.turn, opened.left_ms), re)


def objection(message: MatchRequest, first: MatchEvent) -> str | None:
    """Why a guess brought no feedback, where it brought something else."""
    if isinstance(first, CodeRefused):
        left = f"; {first.strikes_left} more may be illegal" if first.strikes_left else "; the game is forfeited"
        return error_text(ErrorCode.ILLEGAL_CODE, first.why + left, message.id)
    if isinstance(message, Guess):
        return error_text(ErrorCode.FLAGGED, "the guess came after the time was up", message.id)
    return None


def resumed(match: Match, record: Record, request: Resume, now: float) -> list[str]:
    """Where the match stands, and every event after the one the player saw last."""
    standing = Resumed(
        match=record.match,
        seq=record.seq,
        state=match.state.value,
        game=match.game,
        ready_by_ms=match.ready_by_ms(now) if match.state is State.READY else None,
        re=request.id,
    )
    return [encode(standing), *(entry.text for entry in record.since(request.seq))]


def hint(match: str, given: HintAnswer, re: str | None) -> str:
    """A good guess and why."""
    return encode(HintGiven(match=match, code=given.code, candidates=given.candidates, why=given.why, re=re))


def seat_taken() -> str:
    """Told to the older of two connections."""
    return encode(Notice(kind="seat_taken", message="another connection took the seat of this match"))
