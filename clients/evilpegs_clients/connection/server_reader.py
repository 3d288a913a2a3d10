"""Reading from a server without playing: leaderboards, the newest finished match, and the record of any match.

A reader is a guest. A request that a cut connection interrupted is sent again, because reading changes nothing.
"""

from collections.abc import Callable
from importlib.metadata import version
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from evilpegs_clients.connection.connection import RetryPolicy
from evilpegs_clients.connection.login import Credentials
from evilpegs_clients.connection.session import PlayerSession, SessionEvent
from evilpegs_clients.connection.tokens import TokenFile, default_token_file
from evilpegs_clients.errors import (
    ConnectionLostError,
    ServerRefusedError,
    ServerUnreachableError,
    UnreachableReason,
)
from evilpegs_clients.printable import printable
from evilpegs_protocol.client_messages import ClientInfo, ListMatches, ReadStandings
from evilpegs_protocol.fields import ClientMessage, ServerMessage
from evilpegs_protocol.listings import FinishedMatch, MatchList, Standings
from evilpegs_protocol.server_messages import ErrorCode, ServerEvent, Welcome

_Answer = TypeVar("_Answer", bound=ServerMessage)

MAX_PAGES: Final = 1_000
"""The most pages of a leaderboard that are read, whatever the server says."""


class ServerReader:
    """A guest's session that only reads, open during an `async with` block; its methods raise `ClientError`."""

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
        return self._session.server

    @property
    def welcome(self) -> Welcome:
        return self._session.welcome

    async def standings(self, ladder: str) -> Standings:
        """Return the leaderboard, all pages joined."""
        first = await self._ask(ReadStandings(ladder=ladder), Standings)
        rows = {row.player: row for row in first.rows}
        for number in range(2, min(first.pages, MAX_PAGES) + 1):
            page = await self._ask(ReadStandings(ladder=ladder, page=number), Standings)
            for row in page.rows:
                # a player whose row moves to a later page meanwhile keeps the first
                rows.setdefault(row.player, row)
        return first.model_copy(update={"rows": tuple(rows.values()), "pages": 1})

    async def newest_match(self) -> FinishedMatch | None:
        """Return the finished match that started last."""
        newest = await self._ask(ListMatches(), MatchList)
        return newest.matches[0] if newest.matches else None

    async def record(self, match: str) -> list[dict[str, Any]]:
        """Return all events of the match so far."""
        return (await self._session.watch(match)).record

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
        if error.code is not ErrorCode.UNKNOWN_TYPE:
            return error
        kind = answer_type.model_fields["type"].default
        program = self.welcome.server
        return error.with_message(
            f"{self.server} runs {program.name} {program.version}, which is too old to be asked for {kind}"
        )

    def _check(self, answer: ServerEvent, answer_type: type[_Answer]) -> _Answer:
        if isinstance(answer, answer_type):
            return answer
        kind = answer_type.model_fields["type"].default
        raise ServerUnreachableError(
            f"{self.server} answers with {printable(answer.type)[:40]} instead of {kind}: not an evilpegs server",
            UnreachableReason.OTHER_SERVER,
        )
