"""The player's place at a match: his moves, which a cut connection can delay but neither lose nor double.

Nothing here answers with what a move brought: look at ``view`` after each. A move that a cut swallowed leaves
the view as it was, or further on if the server had it; the match is resumed either way.
"""

import asyncio
from typing import Any, Final, Self

from evilpegs_clients.connection.match_view import SETTLED_PHASES, MatchView, Phase
from evilpegs_clients.connection.session import PlayerSession
from evilpegs_clients.errors import BrokenRecordError, ConnectionLostError, ServerRefusedError
from evilpegs_protocol.client_messages import Guess, Hint, Play, Ready, Resign
from evilpegs_protocol.fields import ClientMessage
from evilpegs_protocol.server_messages import ErrorCode, FeedbackGiven, HintGiven, ServerEvent

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
"""The match went on, or went wrong, while the move was under way: what the view misses is fetched."""
MAX_RESYNCS: Final = 3
"""So often in a row without an event between; more would be a server that makes no sense."""


class MatchClient:
    """A seat at the match that ``view`` shows; made by `play` or `resume`."""

    def __init__(self, session: PlayerSession, view: MatchView) -> None:
        self.view = view
        self._session = session
        self._behind = 0
        self._behind_at = 0

    @classmethod
    async def play(cls, session: PlayerSession, ladder: str) -> Self:
        """Begin a match on ``ladder``.

        If the answer is lost, the match it was about is found among the open ones.
        """
        known = {match.match for match in session.welcome.open}
        session.view = None
        while session.view is None:
            try:
                await session.ask(Play(ladder=ladder))
            except ServerRefusedError as error:
                raise _explained(error, ladder, session) from None
            except ConnectionLostError:
                await session.restore()
                begun = [match.match for match in session.welcome.open if match.match not in known]
                if begun:
                    return await cls.resume(session, begun[-1])
        return cls(session, session.view)

    @classmethod
    async def resume(cls, session: PlayerSession, match: str) -> Self:
        """Take the seat at a match that was begun earlier, and learn all that happened in it."""
        view = session.view = MatchView(match)
        await session.resume()
        while view.is_catching_up:
            await session.wait_for_change()
        return cls(session, view)

    async def wait_for_move(self) -> Phase:
        """Wait until the player is to move or the match is over; the phase says which."""
        while self.view.phase not in SETTLED_PHASES:
            await self.wait_for_change()
        return self.view.phase

    async def wait_for_change(self) -> None:
        """Wait for news of the match."""
        await self._session.wait_for_change()

    async def ends_in_time(self, work: "asyncio.Future[Any]") -> bool:
        """Wait until ``work`` ends or the match goes on without it; whether it has ended. It is not cancelled."""
        progress = asyncio.create_task(self._wait_for_progress())
        try:
            await asyncio.wait([work, progress], return_when=asyncio.FIRST_COMPLETED)
        finally:
            progress.cancel()
            await asyncio.wait([progress])
        if not progress.cancelled():
            progress.result()  # raises what ended the connection for good
        return work.done()

    async def ready(self, nonce: str) -> None:
        """Begin the game that waits; ``nonce`` is our share in the draw of its secret."""
        await self._move(Ready(match=self.view.id, game=self.view.game, nonce=nonce))

    async def guess(self, code: str) -> None:
        """Guess in the open turn.

        Raises:
            ServerRefusedError: illegal_code, and whatever else no waiting can mend.
            BrokenRecordError: the server answers another guess.
        """
        view = self.view
        answer = await self._move(Guess(match=view.id, game=view.game, turn=view.turn, code=code))
        if isinstance(answer, FeedbackGiven) and answer.code != code.upper():
            message = f"the guess was {code}, and the server answers {answer.code}"
            raise BrokenRecordError(message)

    async def resign(self, game: int | None = None) -> None:
        """Give up one game, or without ``game`` every game left."""
        await self._move(Resign(match=self.view.id, game=game))

    async def hint(self) -> HintGiven | None:
        """A good guess, on a practice ladder; None if the answer was lost."""
        answer = await self._move(Hint(match=self.view.id))
        return answer if isinstance(answer, HintGiven) else None

    async def _move(self, request: ClientMessage) -> ServerEvent | None:
        try:
            return await self._session.ask(request)
        except ConnectionLostError:
            await self._session.restore()
        except ServerRefusedError as error:
            if error.code not in RESYNC_ERRORS or self._is_stuck():
                raise
            await self._session.resume()
        return None

    async def _wait_for_progress(self) -> None:
        """Wait until the match has left this turn, as its record says."""
        mark = self._mark()
        while self._mark() == mark:
            await self.wait_for_change()

    def _mark(self) -> tuple[int, int, int]:
        return self.view.game, len(self.view.history), len(self.view.games_over)

    def _is_stuck(self) -> bool:
        self._behind = self._behind + 1 if self._behind_at == self.view.seq else 1
        self._behind_at = self.view.seq
        return self._behind > MAX_RESYNCS


def _explained(error: ServerRefusedError, ladder: str, session: PlayerSession) -> ServerRefusedError:
    """Why no match begins, with what to do instead."""
    message = error.message
    if error.code is ErrorCode.UNKNOWN_LADDER:
        ladders = ", ".join(known.id for known in session.welcome.ladders)
        message = f"there is no ladder {ladder!r} on {session.server}; it has: {ladders}"
    elif error.code is ErrorCode.AUTH_REQUIRED:
        message = f"{message}: --name NAME"
    return ServerRefusedError(error.code, message, fatal=error.fatal)
