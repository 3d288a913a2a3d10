"""The address of a server, as people type it."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from evilpegs_clients.errors import ServerUnreachableError, Unreachable
from evilpegs_protocol.limits import PATH


def server_url(text: str) -> str:
    """The WebSocket URL that ``text`` means; without a path it is the path of version 1.

    Raises:
        ServerUnreachableError: it is not a URL of a server.
    """
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError:
        raise _not_a_url(text) from None
    if parts.scheme not in {"ws", "wss"} or not parts.hostname or parts.username or port == 0:
        raise _not_a_url(text)
    return parts._replace(path=PATH if parts.path in {"", "/"} else parts.path, fragment="").geturl()


def is_loopback(url: str) -> bool:
    """Whether the server is on this very machine, where no proxy has a place."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _not_a_url(text: str) -> ServerUnreachableError:
    message = f"not the address of a server: {text[:80]!r}; write ws://HOST:PORT{PATH}"
    return ServerUnreachableError(message, Unreachable.ADDRESS)
