"""The memory and work that replies may take, and the check that no sequence of guesses on a ladder exceeds them.

Costs are in units of work; a unit is about 2 nanoseconds of processor time.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from evilpegs_game.counting.part_counts import DEFAULT_BYTES as DEFAULT_COUNT_BYTES
from evilpegs_game.counting.problem import MAX_COUNT, sufficient_bytes
from evilpegs_game.counting.solution_tables import LIST_BYTES
from evilpegs_game.live.live_sets import DEFAULT_BYTES as DEFAULT_CACHE_BYTES
from evilpegs_game.live.live_sets import ENUMERATED_CODES, LiveSets, max_listed_codes
from evilpegs_game.rules import Rules
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.work.hints import HINT_BUDGET
from evilpegs_server.work.scheduler import SchedulerLimits

CACHE_BYTES: Final = DEFAULT_CACHE_BYTES
COUNT_BYTES: Final = DEFAULT_COUNT_BYTES
COUNT_WORK: Final = 20_000_000
# the most for the pool's slots for cheap jobs: about 5 ms
CHEAP_COST: Final = 2_000_000
# 0.1 s without solved positions; later replies usually take less than a few milliseconds
_DEVIL_FIRST_COST: Final = 50_000_000

CORES: Final = os.cpu_count() or 1
# about 10 seconds of work per minute and player; heavy replies leave one core to the event loop
REPLY_LIMITS: Final = SchedulerLimits(
    budget=5_000_000_000, window=60.0, cheap=CHEAP_COST, heavy_slots=max(1, CORES - 1), cheap_slots=max(1, CORES // 2)
)
# one hint at a time, beside the replies, so that hints never take the place of a reply
HINT_LIMITS: Final = SchedulerLimits(budget=10 * HINT_BUDGET, window=60.0, cheap=0, heavy_slots=1, cheap_slots=0)


def is_enumerated(rules: Rules) -> bool:
    """Return True if replies compare all codes, in well under a millisecond, instead of counting them."""
    return rules.size <= ENUMERATED_CODES


def reply_cost(ladder: Ladder, turns: int) -> int:
    if ladder.codemaker == "devil":
        return CHEAP_COST if turns else _DEVIL_FIRST_COST
    if is_enumerated(ladder.rules):
        return ladder.rules.size
    # measured: 1 ms with 6 pegs, 4 ms with 8, 100 ms with 10, and 3 s with 12
    return max(400_000, round(1_600_000 * 5.2 ** (ladder.rules.pegs - 8)))


@dataclass(frozen=True, slots=True)
class ReplyCapacity:
    # besides what the properties say, 1/8 is for part sizes that are kept with live sets: at most 1/8 of their bytes
    cache_bytes: int = CACHE_BYTES
    count_bytes: int = COUNT_BYTES  # of one count, besides the caches
    count_work: int = COUNT_WORK  # table rows of one reply; a row stands for many partial codes

    @property
    def server_live_set_bytes(self) -> int:
        return self.cache_bytes // 16

    @property
    def reply_cache_bytes(self) -> int:
        return self.cache_bytes // 16

    @property
    def worker_live_set_bytes(self) -> int:
        return self.cache_bytes * 3 // 4

    def unavailable_reason(self, ladder: Ladder) -> str | None:
        """Return a line with numbers if a reply on ``ladder`` may take more memory or work than allowed."""
        for needed, allowed, what in self._requirements(ladder):
            if needed > allowed:
                return f"replies on {ladder.id} may take {needed:,} {what}; this server allows {allowed:,}"
        return None

    def _requirements(self, ladder: Ladder) -> Iterator[tuple[int, int, str]]:
        rules = ladder.rules
        if ladder.codemaker == "fixed" and ladder.rated:
            return  # a reply needs only the secret
        if is_enumerated(rules):
            yield LiveSets.bytes_needed(rules) * 16, self.cache_bytes, "bytes for live sets (cache_bytes)"
            return
        yield rules.size, MAX_COUNT, "codes to count"
        listed = max_listed_codes(rules) * (rules.pegs + LIST_BYTES)
        yield -(-listed * 4 // 3), self.cache_bytes, "bytes for live sets (cache_bytes)"
        yield sufficient_bytes(rules), self.count_bytes, "bytes for counting (count_bytes)"
        yield ladder.worst_work, self.count_work, "rows to count (count_work)"
