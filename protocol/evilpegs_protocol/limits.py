"""The fixed values and bounds of the protocol."""

from typing import Final

PATH: Final = "/v1"
SUBPROTOCOL: Final = "evilpegs.v1"
FRAME_BYTES: Final = 4096
"""The most bytes in a message of a client."""
NESTING: Final = 8
"""The most levels of nested arrays and objects in a message of a client."""
SERVER_FRAME_BYTES: Final = 1 << 20
"""The most bytes in a message of the server; clients must accept that many."""
CLOSE_SEAT_TAKEN: Final = 4003
