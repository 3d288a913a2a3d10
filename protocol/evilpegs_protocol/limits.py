"""The fixed values and bounds of the protocol."""

from typing import Final

PATH: Final = "/v1"
SUBPROTOCOL: Final = "evilpegs.v1"
FRAME_BYTES: Final = 4096
"""The largest size in bytes of a message from a client."""
NESTING: Final = 8
"""The largest number of levels of nested arrays and objects in a message from a client; the message itself is one."""
SERVER_FRAME_BYTES: Final = 1 << 20
"""The largest size in bytes of a message from the server. Clients must accept messages of this size."""
CLOSE_SEAT_TAKEN: Final = 4003
