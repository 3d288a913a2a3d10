"""The fixed values of the protocol: path and name of the WebSocket, sizes of messages, ports."""

import re
from typing import Final

PATH: Final = "/v1"
SUBPROTOCOL: Final = "evilpegs.v1"
FRAME_BYTES: Final = 4096  # the most bytes of a message from a client
NESTING: Final = 8  # the most levels of arrays and objects in a message from a client, the message itself included
SERVER_FRAME_BYTES: Final = 1 << 20  # the most bytes of a message from the server; clients must accept that many
CLOSE_SEAT_TAKEN: Final = 4003
MAX_PORT: Final = 65535
_PORT: Final = re.compile(r"[a-z]+://[^/?#@]*:([0-9]{1,20})(?:[/?#].*)?")


def port_fault(address: str) -> str | None:
    """Return an error message if the port of ``SCHEME://HOST:PORT`` is not 1 to 65535; None for other texts."""
    match = _PORT.fullmatch(address.strip())
    if match is None or 1 <= int(match[1]) <= MAX_PORT:
        return None
    return f"port {match[1]} is not 1 to {MAX_PORT}"
