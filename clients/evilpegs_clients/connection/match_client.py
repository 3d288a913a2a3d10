"""A player's moves in one match; a cut connection can delay a move but neither lose nor repeat it.

Moves do not return their result: read it from ``view``. If the connection was cut during a move, the match is resumed,
and the view shows whether the server had received the move.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final, Self

from pydantic import ValidationError

from evilpegs_clients.connection.match_view import SETTLED_PHASES, MatchView, Phase
from evilpegs_clients.connection.session import PlayerSession
from evilpegs_clients.errors import BrokenRecordError, ConnectionLostError, ServerRefusedError
from evilpegs_clients.printable import printable
from evilpegs_protocol.client_messages import Guess, Hint, Play, Ready, Resign
from evilpegs_protocol.fields import ClientMessage
from evilpegs_protocol.server_messages import ErrorCode, FeedbackGiven, HintGiven, LadderInfo, ServerEvent
from evilpegs_protocol.suggestions import unknown_ladder_text

RESYNC_ERRORS: Final = frozenset(
    {
        ErrorCode.STALE_TURN,
        ErrorCode.FUTURE_TURN,
        ErrorCode.NOT_READY,
        ErrorCode.FLAGGED,
        ErrorCode.GAME_OVER,
        ErrorCode.INTERNAL,
    }
)
"""Refusals of a move after which the missed events are requested: the match has changed."""
MAX_RESYNCS: Final = 3
"""Refusals in `RESYNC_ERRORS` that are accepted in a row without a new event; the next one is raised."""


class MatchClient:
    """The moves of a player in one match, created with `play` or `resume`; ``view`` is its state."""

    def __init__(self, session: PlayerSession, view: MatchView) -> None:
        self.view = view
        self.session = session
        self._resyncs = 0
        self._resync_seq = 0

    @classmethod
    async def play(cls, session: PlayerSession, ladder: str) -> Self:
        """Start a match; raises ServerRefusedError, whose message says what to do instead."""
        try:
            request = Play(ladder=ladder)
        except ValidationError:  # no ladder can have this id
            raise refused_ladder(ladder, session.welcome.ladders, session.addresses) from None
        known = {match.match for match in session.welcome.open}
        session.view = None
        while session.view is None:
            try:
                await session.ask(request)
            except ServerRefusedError as error:
                raise explain_play_refusal(error, ladder, session) from None
            except ConnectionLostError:
                await session.restore()
                # the cut may have swallowed the answer only: then the new match is among the open ones
                begun = [match.match for match in session.welcome.open if match.match not in known]
                if begun:
                    return await cls.resume(session, begun[-1])
        return cls(session, session.view)

    @classmethod
    async def resume(cls, session: PlayerSession, match: str) -> Self:
        """Take over a match, and return once all its events have arrived."""
        view = session.view = MatchView(match)
        await session.resume()
        while view.is_catching_up:
            await session.wait_for_change()
        return cls(session, view)

    async def wait_for_move(self) -> Phase:
        """Wait until it is the player's move or the match is over; return one of `SETTLED_PHASES`."""
        while self.view.phase not in SETTLED_PHASES:
            await self.session.wait_for_change()
        return self.view.phase

    async def ends_in_time(self, work: "asyncio.Future[Any]", on_change: Callable[[], object] = lambda: None) -> bool:
        """Wait until ``work``, which is never cancelled, or the turn ends; return True if ``work`` is done."""
        progress = asyncio.create_task(self._wait_for_progress(on_change))
        try:
            await asyncio.wait([work, progress], return_when=asyncio.FIRST_COMPLETED)
        finally:
            progress.cancel()
            await asyncio.wait([progress])
        if not progress.cancelled():
            progress.result()  # raises what ended the connection for good
        return work.done()

    async def ready(self, nonce: str) -> None:
        """Start the game that waits for `ready`; ``nonce`` has 1 to 64 letters, digits, - and _."""
        await self._move(Ready(match=self.view.id, game=self.view.game, nonce=nonce))

    async def guess(self, code: str) -> None:
        """Guess ``code``; ``view`` shows the feedback afterwards, unless the guess was lost or too late."""
        view = self.view
        answer = await self._move(Guess(match=view.id, game=view.game, turn=view.turn, code=code))
        if isinstance(answer, FeedbackGiven) and answer.code != code.upper():
            raise BrokenRecordError(f"the guess was {code}, and the server answers {printable(answer.code)}")

    async def resign(self, game: int | None = None) -> None:
        """Resign game number ``game``, or all games that are left."""
        await self._move(Resign(match=self.view.id, game=game))

    async def hint(self) -> HintGiven | None:
        """Return a hint, which only practice ladders give; None if a cut or the end of the turn was faster."""
        answer = await self._move(Hint(match=self.view.id))
        return answer if isinstance(answer, HintGiven) else None

    async def _move(self, request: ClientMessage) -> ServerEvent | None:
        try:
            return await self.session.ask(request)
        except ConnectionLostError:
            await self.session.restore()
        except ServerRefusedError as error:
            if error.code not in RESYNC_ERRORS or self._too_many_resyncs():
                raise
            await self.session.resume()
        return None

    async def _wait_for_progress(self, on_change: Callable[[], object]) -> None:
        progress = self._progress()
        while self._progress() == progress:
            on_change()
            await self.session.wait_for_change()

    def _progress(self) -> tuple[int, int, int]:
        return self.view.game, len(self.view.history), len(self.view.match.games_over)

    def _too_many_resyncs(self) -> bool:
        self._resyncs = self._resyncs + 1 if self._resync_seq == self.view.seq else 1
        self._resync_seq = self.view.seq
        return self._resyncs > MAX_RESYNCS


def refused_ladder(ladder: str, offered: Iterable[LadderInfo], server: str) -> ServerRefusedError:
    text = unknown_ladder_text(ladder, (info.id for info in offered), f" on {server}")
    return ServerRefusedError(ErrorCode.UNKNOWN_LADDER, f"{text}; see: evilpegs ladders --server {server}")


def explain_play_refusal(error: ServerRefusedError, ladder: str, session: PlayerSession) -> ServerRefusedError:
    """Return ``error``, the refusal of a new match, with a message that says what to do."""
    welcome, message = session.welcome, error.message
    if error.code is ErrorCode.UNKNOWN_LADDER:
        return refused_ladder(ladder, welcome.ladders, session.addresses)
    if error.code is ErrorCode.AUTH_REQUIRED:
        message = f"{message}: --name NAME"
    elif error.code is ErrorCode.TOO_MANY_MATCHES and len(welcome.open) >= welcome.limits.open_matches:
        message = (
            f"{message}; evilpegs play --name {welcome.player} --server {session.addresses} offers each of them, "
            f"to go on with or to resign"
        )
    return error.with_message(message)
