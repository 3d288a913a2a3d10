"""Into a server: connect, and say who we are until it knows us."""

import asyncio

from evilpegs_clients.connection import Connection, Deliver, dial
from evilpegs_clients.errors import ServerRefusedError, ServerUnreachableError, Unreachable
from evilpegs_clients.identity import Introduction
from evilpegs_protocol.client_messages import Hello
from evilpegs_protocol.server_messages import ErrorCode, Welcome


async def enter(
    server: str, introduction: Introduction, deliver: Deliver, seconds: float
) -> tuple[Connection, Welcome]:
    """A connection on which the server has welcomed us, and what it said; each step takes ``seconds`` at most.

    Raises:
        ClientError: nobody there, or none of our hellos is good enough.
    """
    *earlier, last = introduction.hellos()
    for hello in earlier:
        try:
            return await _say(server, introduction, hello, deliver, seconds)
        except ServerRefusedError as error:
            if error.code is not ErrorCode.AUTH_FAILED:
                raise
    try:
        return await _say(server, introduction, last, deliver, seconds)
    except ServerRefusedError as error:
        raise introduction.explained(error) from None


async def _say(
    server: str, introduction: Introduction, hello: Hello, deliver: Deliver, seconds: float
) -> tuple[Connection, Welcome]:
    """One hello on a connection of its own, closed unless it is welcomed."""
    connection = await dial(server, deliver, seconds)
    try:
        async with asyncio.timeout(seconds):
            welcome = await connection.ask(hello)
        if not isinstance(welcome, Welcome):
            raise TimeoutError
        introduction.accepted(hello, welcome)
    except TimeoutError:
        await connection.close()
        message = f"{server} does not answer hello with welcome: not an evilpegs server"
        raise ServerUnreachableError(message, Unreachable.OTHER_SERVER) from None
    except BaseException:
        await connection.close()
        raise
    return connection, welcome
