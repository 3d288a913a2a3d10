from typing import Final

PATH: Final = "/v1"
SUBPROTOCOL: Final = "evilpegs.v1"
FRAME_BYTES: Final = 4096
"""The most bytes of a message from a client."""
NESTING: Final = 8
"""The most levels of arrays and objects in a message from a client, the message itself included."""
SERVER_FRAME_BYTES: Final = 1 << 20
"""The most bytes of a message from the server; clients must accept that many."""
CLOSE_SEAT_TAKEN: Final = 4003
