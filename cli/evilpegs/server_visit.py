"""A look at what a server offers, as a guest who plays nothing."""

from importlib.metadata import version
from random import Random

from evilpegs_clients.identity import Identity
from evilpegs_clients.session import Patience, Session
from evilpegs_clients.tokens import TokenFile, default_token_file
from evilpegs_protocol.client_messages import ClientInfo
from evilpegs_protocol.server_messages import Welcome


async def welcome(server: str) -> Welcome:
    """What the server answers to `hello`; raises ClientError."""
    identity = Identity(ClientInfo(name="evilpegs ladders", version=version("evilpegs")))
    patience = Patience(Random())  # noqa: S311 - jitter
    session = Session(server, identity, TokenFile(default_token_file()), patience, lambda _: None)
    try:
        return await session.open()
    finally:
        await session.close()
