"""The caches that verifications of one owner share. They are freed with the object."""

from typing import Final

from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules

CACHE_BYTES: Final = 64 << 20
"""The bound of the live sets that a cache makes for itself."""


class VerificationCache:
    """Live sets, by default new ones of `CACHE_BYTES`, and the solver of the devil verified last.

    A solver may hold about 105 MB of solved positions, so that of other rules is dropped when the rules change. Not to
    be used by two threads at once.
    """

    def __init__(self, live_sets: LiveSets | None = None) -> None:
        self.live_sets = live_sets or LiveSets(CACHE_BYTES)
        self._worst_case: tuple[Rules, WorstCase] | None = None

    def worst_case(self, rules: Rules) -> WorstCase:
        """Return the solver for the rules, with what it has solved since the rules changed last."""
        if self._worst_case is None or self._worst_case[0] != rules:
            self._worst_case = rules, WorstCase(rules)
        return self._worst_case[1]
