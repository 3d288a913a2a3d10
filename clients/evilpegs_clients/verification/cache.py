"""The caches that several verifications share."""

from typing import Final

from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules

CACHE_BYTES: Final = 64 << 20
"""The most bytes of the live sets that a `VerificationCache` creates for itself."""


class VerificationCache:
    """Live sets, and a devil's solver, of the latest rules only: it may hold about 105 MB of solved positions.

    Two threads must not use one cache at once.
    """

    def __init__(self, live_sets: LiveSets | None = None) -> None:
        self.live_sets = live_sets or LiveSets(CACHE_BYTES)
        self._worst_case: tuple[Rules, WorstCase] | None = None

    def worst_case(self, rules: Rules) -> WorstCase:
        """Return the solver of a devil's replies, which remembers its positions until other rules are asked for."""
        if self._worst_case is None or self._worst_case[0] != rules:
            self._worst_case = rules, WorstCase(rules)
        return self._worst_case[1]
