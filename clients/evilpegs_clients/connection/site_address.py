"""The address of the game, asked of the site of its server."""

import re
from typing import Final

import httpx

from evilpegs_clients.connection.connection import server_url
from evilpegs_clients.connection.proxies import proxy_for
from evilpegs_clients.errors import ServerUnreachableError, UnreachableReason
from evilpegs_clients.printable import printable
from evilpegs_game.errors import quoted
from evilpegs_protocol.constants import PATH
from evilpegs_protocol.tls import tls_context

ASK_SECONDS: Final = 10.0


def game_address(site: str) -> str:
    """Return the WebSocket URL of the game that a site at an http(s) URL shows. Raises ServerUnreachableError."""
    try:
        proxy, tls = proxy_for(site), tls_context()
        with httpx.Client(timeout=ASK_SECONDS, verify=tls, proxy=proxy, trust_env=False) as client:
            answer = client.get(f"{site.rstrip('/')}/api/v1/game").raise_for_status()
        return server_url(str(answer.json()["url"]))
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, TypeError, KeyError, ImportError) as error:
        is_told = isinstance(error, httpx.HTTPError | OSError)
        why = re.sub(r"^\[Errno \d+\] |\.?\n.*|\.$", "", str(error)) if is_told else "it is no site of a server"
    except ServerUnreachableError:
        why = "it names none"
    message = f"cannot ask {quoted(site, 80)} where its game is: {printable(why)}; write ws://HOST:PORT{PATH}"
    raise ServerUnreachableError(message, UnreachableReason.OTHER_SERVER)
