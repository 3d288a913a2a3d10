"""Who a player says he is: a token he keeps, else a name he claims, else a guest."""

from dataclasses import dataclass
from typing import Literal

from evilpegs_clients.connection.tokens import TokenFile
from evilpegs_clients.errors import ServerRefusedError
from evilpegs_protocol.client_messages import ClientInfo, Hello
from evilpegs_protocol.server_messages import ErrorCode, Welcome


@dataclass(frozen=True, slots=True)
class Identity:
    """The program that plays, and under what name; without ``name`` the server names a guest."""

    client: ClientInfo
    name: str | None = None
    kind: Literal["bot", "human"] = "bot"


class Introduction:
    """What to say in `hello` to one server, and what to keep of its answer."""

    def __init__(self, server: str, identity: Identity, tokens: TokenFile) -> None:
        self._server = server
        self._identity = identity
        self._tokens = tokens
        self._proven: str | None = None

    def hellos(self) -> list[Hello]:
        """The hellos to try in turn: the next one if the server does not know the token of the one before.

        Raises:
            TokenFileError: a name is to be claimed and its token could not be kept.
        """
        identity = self._identity
        if self._proven is not None:
            return [self._with_token(self._proven)]
        if identity.name is None:
            return [Hello(client=identity.client)]
        self._tokens.check_writable()
        kept = self._tokens.kept(self._server, identity.name)
        claim = Hello(client=identity.client, name=identity.name, kind=identity.kind)
        return [*map(self._with_token, kept), claim]

    def accepted(self, hello: Hello, welcome: Welcome) -> None:
        """Keep what proves who we are: for this session, and in the file if it is of a chosen name."""
        self._proven = welcome.token or hello.token
        if self._identity.name is not None and self._proven is not None:
            self._tokens.keep(self._server, self._identity.name, self._proven)

    def keep_guest(self, player: str) -> None:
        """Keep a guest's token too, under the name the server gave, so that he can come back."""
        if self._proven is not None:
            self._tokens.keep(self._server, player, self._proven)

    def explained(self, error: ServerRefusedError) -> ServerRefusedError:
        """The refusal, saying more where more is known here."""
        name = self._identity.name
        if error.code is not ErrorCode.NAME_TAKEN or name is None or not self._tokens.kept(self._server, name):
            return error
        message = f"the name {name} is taken, and no token in {self._tokens.path} proves it; choose another"
        return ServerRefusedError(error.code, message, fatal=error.fatal)

    def _with_token(self, token: str) -> Hello:
        return Hello(client=self._identity.client, token=token)
