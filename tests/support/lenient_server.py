"""A server without the limits that protect it from attackers, as a control for tests/abuse.

It parses everything that it has read at once, keeps whatever is unread, credits every stall of the event loop,
and replays finished matches on the event loop.
"""

import math
import os

from evilpegs.main import main
from evilpegs_server.gateway import connection
from evilpegs_server.play import stall_free_clock
from evilpegs_server.storage.reads import Reads


async def read_at_once(_reads, function, *args):
    """Read on the event loop."""
    return function(*args)


if __name__ == "__main__":
    os.environ["EVILPEGS_REQUESTS_PER_SECOND"] = "100000000"
    connection.SLICE_BYTES = connection.MAX_UNSENT_BYTES = 1 << 60
    Reads.run = read_at_once
    stall_free_clock.TURN_CREDIT_MS = stall_free_clock.GAME_CREDIT_MS = math.inf
    if os.environ.get("COUNT_STOPS"):
        stall_free_clock.TURN_CREDIT_MS, stall_free_clock.LONG_STALL_MS = 0.0, math.inf
    main()
