"""What the replies of a server may take, and which ladders fit: on these no sequence of guesses is too much."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from evilpegs_game.counting import part_counts as parts
from evilpegs_game.counting.memory import sufficient_bytes
from evilpegs_game.counting.problem import MAX_COUNT
from evilpegs_game.counting.solution_tables import LIST_BYTES
from evilpegs_game.live import live_sets
from evilpegs_game.live.live_sets import ENUMERATED_CODES, LiveSets, max_listed_codes
from evilpegs_game.rules import Rules
from evilpegs_server.match.ladders import Ladder

CACHE_BYTES: Final = live_sets.DEFAULT_BYTES
COUNT_BYTES: Final = parts.DEFAULT_BYTES
COUNT_WORK: Final = 20_000_000


def is_enumerated(rules: Rules) -> bool:
    """Whether codes are looked at one by one, which takes well under a millisecond, or counted together."""
    return rules.size <= ENUMERATED_CODES


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is kept in all, what one count takes besides, and the rows that one reply may take at worst.

    Of what is kept the process that counts has three quarters for live sets, the event loop a sixteenth, and as much
    for replies that it was told; the rest is for the part sizes that go with live sets, an eighth of these.
    """

    cache_bytes: int = CACHE_BYTES
    count_bytes: int = COUNT_BYTES
    count_work: int = COUNT_WORK

    @property
    def here_bytes(self) -> int:
        """Live sets of the event loop."""
        return self.cache_bytes // 16

    @property
    def known_bytes(self) -> int:
        """Part sizes that the event loop was told."""
        return self.cache_bytes // 16

    @property
    def elsewhere_bytes(self) -> int:
        """Live sets of the process that counts."""
        return self.cache_bytes * 3 // 4

    def misfit(self, ladder: Ladder) -> str | None:
        """Why a ladder cannot be offered, in one line that names the number; None if it can."""
        for needed, allowed, what in self._needs(ladder):
            if needed > allowed:
                return f"replies on {ladder.id} may take {needed:,} {what}; this server allows {allowed:,}"
        return None

    def _needs(self, ladder: Ladder) -> Iterator[tuple[int, int, str]]:
        """What may be needed, what is allowed, and of what."""
        rules = ladder.rules
        if ladder.codemaker == "fixed" and ladder.rated:
            return  # nothing is looked at but the secret
        if is_enumerated(rules):
            yield LiveSets.bytes_needed(rules) * 16, self.cache_bytes, "bytes for live sets (cache_bytes)"
            return
        yield rules.size, MAX_COUNT, "codes to count"
        listed = max_listed_codes(rules) * (rules.pegs + LIST_BYTES)
        yield -(-listed * 4 // 3), self.cache_bytes, "bytes for live sets (cache_bytes)"
        yield sufficient_bytes(rules), self.count_bytes, "bytes to count in (count_bytes)"
        yield ladder.worst_work, self.count_work, "rows of a count (count_work)"
