"""Logging in to a server: with a stored token, else by claiming a name, else as a guest."""

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from evilpegs_clients.connection.connection import Deliver, ProtocolConnection, dial, server_url
from evilpegs_clients.connection.tokens import ServerKeyFile, TokenFile
from evilpegs_clients.errors import (
    ClientError,
    ConnectionLostError,
    GivenTokenError,
    NameTakenElsewhereError,
    ServerRefusedError,
    ServerUnreachableError,
    TokenFileError,
    UnreachableReason,
)
from evilpegs_clients.strategies.strategy import token_seed
from evilpegs_protocol.client_messages import ClientInfo, Hello
from evilpegs_protocol.fields import ClaimedKind
from evilpegs_protocol.server_messages import ErrorCode, Welcome

_TOKEN: Final = re.compile(r"[0-9a-f]{64}")
BeforeClaim = Callable[[], Awaitable[None]]
TEMPORARY_ERRORS: Final = frozenset({ErrorCode.DRAINING, ErrorCode.STORAGE_UNAVAILABLE, ErrorCode.RATE_LIMITED})
"""Refusals after which the same request may be accepted a little later."""
CLOSED_REGISTRATION: Final = "this server takes no new names; use the name you registered"


@dataclass(frozen=True, slots=True)
class Credentials:
    """The identity that a client logs in with; without ``name`` the player is a guest."""

    client: ClientInfo
    name: str | None = None
    kind: ClaimedKind = "bot"
    token_from: str | None = None  # a former address of the server, whose stored tokens are tried too
    token: str | None = field(default=None, repr=False)  # of the operator: nothing else is tried


class LoginSequence:
    """The `hello` messages to try at ``server``, the token that succeeds, and the server's key (trust on first use)."""

    def __init__(self, server: str, credentials: Credentials, tokens: TokenFile) -> None:
        self._server = server
        self._credentials = credentials
        self._tokens = tokens
        self._proven: str | None = None
        self._keys = ServerKeyFile.beside(tokens)
        self.former_key: str | None = None
        """The stored key before the latest login, if the server has another now."""
        self.known_keys: tuple[str, ...] = ()
        """The stored public keys of the server, newest first; empty before a login."""

    def hellos(self) -> list[Hello]:
        """Return the messages to try: each stored token, newest first, then a claim. Raises TokenFileError."""
        credentials = self._credentials
        proven = [] if self._proven is None else [self._with_token(self._proven)]
        if credentials.name is None:
            # last without a token: a server forgets guests who leave without having played
            return [*proven, Hello(client=credentials.client)]
        if proven:
            return proven
        self._tokens.check_writable()
        if credentials.token is not None:
            if _TOKEN.fullmatch(credentials.token) is None:
                raise GivenTokenError("the given token is not one: a token is 64 of 0-9 and a-f")
            return [self._with_token(credentials.token)]
        stored = [*self._tokens.get(self._server, credentials.name), *self._former_tokens(credentials.name)]
        claim = Hello(client=credentials.client, name=credentials.name, kind=credentials.kind)
        return [*map(self._with_token, stored), claim]

    def accept(self, hello: Hello, welcome: Welcome) -> None:
        is_first = self._proven is None  # later, the operator may have renamed the player
        if is_first and self._credentials.token is not None and welcome.player != self._credentials.name:
            raise GivenTokenError(f"this token is that of {welcome.player}, not of {self._credentials.name}")
        self._proven = welcome.token or hello.token
        if self._credentials.name is not None and self._proven is not None:
            name, key = self._credentials.name, welcome.server.key
            self._tokens.add(self._server, name, self._proven)
            known = self._keys.get(self._server, name)
            self.former_key = known[0] if known and known[0] != key else None
            if key is not None and known[:1] != (key,):
                self._keys.add(self._server, name, key)
            self.known_keys = self._keys.get(self._server, name)

    @property
    def rng_seed(self) -> int:
        """Derived from the token, so it is the same in each session."""
        return token_seed(self._proven or "")

    def keep_guest(self, player: str) -> None:
        """Store a guest's token under ``player``, the name that the server gave, so that they can come back."""
        if self._proven is not None:
            self._tokens.add(self._server, player, self._proven)

    def explain(self, error: ServerRefusedError) -> ServerRefusedError:
        """Return an error that says what to do if ``error`` refuses the player's name; else ``error`` itself."""
        name = self._credentials.name
        if name is None:
            return error
        if error.code is ErrorCode.AUTH_FAILED and self._credentials.token is not None:
            return error.with_message(f"{self._server} does not know this token; ask its operator for another")
        if error.code is ErrorCode.AUTH_REQUIRED:
            names = ", ".join(self._tokens.names_at(self._server))
            known = f"; {self._tokens.path} has tokens for: {names}" if names else ""
            return error.with_message(CLOSED_REGISTRATION + known)
        if error.code is not ErrorCode.NAME_TAKEN:
            return error
        stored_for = self._tokens.servers_with(name)
        tried = {*self._tokens.get(self._server, name), *self._former_tokens(name)}
        others = [server for server in stored_for if not set(self._tokens.get(server, name)) <= tried]
        if others:
            return NameTakenElsewhereError(name, self._server, others, self._tokens.path)
        if not stored_for:
            why = error.message.removesuffix("; choose another")
            return error.with_message(f"{self._server} refuses the name: {why}; choose another with --name")
        return error.with_message(
            f"the name {name} is taken, and no token in {self._tokens.path} proves it; choose another"
        )

    def _former_tokens(self, name: str) -> tuple[str, ...]:
        former = self._credentials.token_from
        if former is None:
            return ()
        tokens = self._tokens.get(server_url(former), name)
        if not tokens:
            servers = ", ".join(self._tokens.servers_with(name))
            known = f"it has one at: {servers}" if servers else "it has none for this name at any address"
            raise TokenFileError(f"{self._tokens.path} has no token for {name} at {former[:200]}; {known}")
        return tokens

    def _with_token(self, token: str) -> Hello:
        return Hello(client=self._credentials.client, token=token)


async def connect_and_log_in(
    server: str, login: LoginSequence, deliver: Deliver, seconds: float, before_claim: BeforeClaim | None = None
) -> tuple[ProtocolConnection, Welcome]:
    """Log in with the first `hello` that is accepted, each on a new connection that has ``seconds`` to answer."""
    *earlier, last = login.hellos()
    for hello in earlier:
        try:
            return await _try_hello(server, login, hello, deliver, seconds)
        except ServerRefusedError as error:
            if error.code is not ErrorCode.AUTH_FAILED:
                raise
    if last.name is not None and before_claim is not None:
        await before_claim()
    try:
        return await _try_hello(server, login, last, deliver, seconds)
    except ServerRefusedError as error:
        raise login.explain(error) from None


async def log_in_at_any(
    urls: deque[str], login: LoginSequence, deliver: Deliver, seconds: float, before_claim: BeforeClaim | None = None
) -> tuple[ProtocolConnection, Welcome]:
    """Log in at the first of ``urls`` that takes players now, to which they are rotated."""
    errors: list[ClientError] = []
    while True:
        try:
            return await connect_and_log_in(urls[0], login, deliver, seconds, before_claim)
        except (ServerUnreachableError, ConnectionLostError, ServerRefusedError) as error:
            is_final = isinstance(error, ServerRefusedError) and error.code not in TEMPORARY_ERRORS
            if is_final or len(urls) == 1:
                raise
            errors.append(error)
        urls.rotate(-1)
        if len(errors) == len(urls):
            raise ServerUnreachableError("; ".join(map(str, errors)), UnreachableReason.NETWORK)


async def _try_hello(
    server: str, login: LoginSequence, hello: Hello, deliver: Deliver, seconds: float
) -> tuple[ProtocolConnection, Welcome]:
    connection = await dial(server, deliver, seconds)
    try:
        async with asyncio.timeout(seconds):
            welcome = await connection.ask(hello)
        if not isinstance(welcome, Welcome):
            raise TimeoutError
        login.accept(hello, welcome)
    except TimeoutError:
        await connection.close()
        raise ServerUnreachableError(
            f"{server} does not answer hello with welcome: not an evilpegs server", UnreachableReason.OTHER_SERVER
        ) from None
    except BaseException:
        await connection.close()
        raise
    return connection, welcome
