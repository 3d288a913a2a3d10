"""The control of tests/abuse: a server without the bounds that hold an attacker, as servers once were.

It parses a whole read at once, keeps whatever is unread, credits every stall of the event loop, and reads finished
matches in any number of threads.
"""

import math
import os

from evilpegs.main import main
from evilpegs_server.gateway.bounded_connection import BoundedConnection
from evilpegs_server.matches import finished_matches, player_clock, stall_free_clock
from evilpegs_server.storage import reads

if __name__ == "__main__":
    os.environ["EVILPEGS_REQUESTS_PER_SECOND"] = "100000000"
    BoundedConnection.slice_bytes = BoundedConnection.max_unsent_bytes = 1 << 60
    finished_matches.FinishedMatches.find = finished_matches.FinishedMatches.read
    finished_matches.Reads = lambda threads: reads.Reads(threads=32, max_pending=1 << 30)
    player_clock.TURN_CREDIT_MS = player_clock.GAME_CREDIT_MS = math.inf
    if os.environ.get("COUNT_STOPS"):
        player_clock.TURN_CREDIT_MS, stall_free_clock.LONG_STALL_MS = 0.0, math.inf
    main()
