"""The limits of the task pools for replies and hints. A unit of work is about 2 nanoseconds."""

import os
from typing import Final

from evilpegs_server.replies.codemaking import CHEAP_COST
from evilpegs_server.work.hints import HINT_BUDGET
from evilpegs_server.work.scheduler import SchedulerLimits

CORES: Final = os.cpu_count() or 1
# about 10 seconds of work per minute and player; heavy replies leave one core to the event loop
REPLY_LIMITS: Final = SchedulerLimits(
    budget=5_000_000_000, window=60.0, cheap=CHEAP_COST, heavy_slots=max(1, CORES - 1), cheap_slots=max(1, CORES // 2)
)
# one hint at a time, beside the replies, so that hints never take the place of a reply
HINT_LIMITS: Final = SchedulerLimits(budget=10 * HINT_BUDGET, window=60.0, cheap=0, heavy_slots=1, cheap_slots=0)
