"""The bounds on what comes over the wire."""

from typing import Final

PATH: Final = "/v1"
SUBPROTOCOL: Final = "evilpegs.v1"
FRAME_BYTES: Final = 4096
"""The longest message of a client."""
NESTING: Final = 8
"""How deep arrays and objects may nest."""
SERVER_FRAME_BYTES: Final = 1 << 20
"""The longest message a client need expect of a server."""
CLOSE_SEAT_TAKEN: Final = 4003
