"""Reading from a server without playing: leaderboards, the newest finished match, and the record of any match.

A reader is a guest. A request that a cut connection interrupted is sent again, because reading changes nothing.
"""

from collections.abc import Callable
from importlib.metadata import version
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from evilpegs_clients.connection.login import Credentials
from evilpegs_clients.connection.match_view import MatchView
from evilpegs_clients.connection.retry import RetryPolicy
from evilpegs_clients.connection.session import PlayerSession
from evilpegs_clients.connection.session_events import SessionEvent
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_clients.errors import (
    ConnectionLostError,
    ServerRefusedError,
    ServerUnreachableError,
    UnreachableReason,
)
from evilpegs_clients.printable import printable
from evilpegs_protocol.client_messages import ClientInfo, ListMatches, Ping, ReadStandings, Watch
from evilpegs_protocol.fields import ClientMessage, ServerMessage
from evilpegs_protocol.listings import FinishedMatch, MatchList, Standings
from evilpegs_protocol.server_messages import ErrorCode, ServerEvent, Welcome

_Answer = TypeVar("_Answer", bound=ServerMessage)

MAX_PAGES: Final = 1_000
"""The most pages of a leaderboard that are read, even if the server says that there are more."""


class ServerReader:
    """A guest's session on the URL ``server`` that only reads; it is open during an `async with` block.

    ``program`` is the name of the client program that the server is given. ``on_event`` is called with each event of
    the session, such as a cut or restored connection. A method that fails raises a `ClientError` with a message of one
    line.
    """

    def __init__(
        self, server: str, program: str, retry_policy: RetryPolicy, on_event: Callable[[SessionEvent], None]
    ) -> None:
        credentials = Credentials(ClientInfo(name=program, version=version("evilpegs")))
        self._session = PlayerSession(server, credentials, TokenFile(default_token_file()), retry_policy, on_event)

    async def __aenter__(self) -> Self:
        await self._session.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._session.close()

    @property
    def server(self) -> str:
        """The URL of the server."""
        return self._session.server

    @property
    def welcome(self) -> Welcome:
        """The answer of the server to the latest `hello`."""
        return self._session.welcome

    async def standings(self, ladder: str) -> Standings:
        """Return the leaderboard of the ladder with the id ``ladder``, all pages joined, at most `MAX_PAGES`.

        A player whose row moves to a later page while the pages are read has one row, the first that was read.
        """
        first = await self._ask(ReadStandings(ladder=ladder), Standings)
        rows = {row.player: row for row in first.rows}
        for number in range(2, min(first.pages, MAX_PAGES) + 1):
            page = await self._ask(ReadStandings(ladder=ladder, page=number), Standings)
            for row in page.rows:
                rows.setdefault(row.player, row)
        return first.model_copy(update={"rows": tuple(rows.values()), "pages": 1})

    async def newest_match(self) -> FinishedMatch | None:
        """Return the finished match that began last, or None if the server has no finished match."""
        newest = await self._ask(ListMatches(), MatchList)
        return newest.matches[0] if newest.matches else None

    async def record(self, match: str) -> list[dict[str, Any]]:
        """Return all events so far of the match with the id ``match``, in order, as the JSON objects received.

        The events are requested with `watch`, and then a `ping` is sent. The server answers the `ping` only after it
        has sent the events, so the answer shows that they are complete.
        """
        while True:
            view = self._session.view = MatchView(match)
            try:
                await self._session.ask(Watch(match=match))
                await self._session.ask(Ping(c=0))
            except ConnectionLostError:
                self._session.view = None
                await self._session.restore()
            else:
                return view.record
            finally:
                self._session.view = None

    async def _ask(self, request: ClientMessage, answer_type: type[_Answer]) -> _Answer:
        while True:
            try:
                answer = await self._session.ask(request)
            except ConnectionLostError:
                await self._session.restore()
            except ServerRefusedError as error:
                raise self._explain(error, answer_type) from None
            else:
                return self._check(answer, answer_type)

    def _explain(self, error: ServerRefusedError, answer_type: type[ServerMessage]) -> ServerRefusedError:
        """Return ``error``, or another error if the server is too old to know the type of the request.

        ``answer_type`` is the type of the expected answer, which the message of the other error names.
        """
        if error.code is not ErrorCode.UNKNOWN_TYPE:
            return error
        kind = answer_type.model_fields["type"].default
        program = self.welcome.server
        message = f"{self.server} runs {program.name} {program.version}, which is too old to be asked for {kind}"
        return error.with_message(message)

    def _check(self, answer: ServerEvent, answer_type: type[_Answer]) -> _Answer:
        if isinstance(answer, answer_type):
            return answer
        kind = answer_type.model_fields["type"].default
        message = f"{self.server} answers with {printable(answer.type)[:40]} instead of {kind}: not an evilpegs server"
        raise ServerUnreachableError(message, UnreachableReason.OTHER_SERVER)
