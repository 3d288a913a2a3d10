"""The caches that several verifications share; they are freed with the object that holds them."""

from typing import Final

from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules

CACHE_BYTES: Final = 64 << 20
"""The most bytes of the live sets that a `VerificationCache` creates for itself."""


class VerificationCache:
    """A cache for verifications: the codes possible at each turn, and the positions that a devil's solver has solved.

    A devil is a codemaker that searches ahead for the reply that needs the most guesses. Its solver may hold about
    105 MB of solved positions, so only the solver of the latest rules is kept. Without ``live_sets``, a new
    cache of `CACHE_BYTES` holds the codes. Two threads must not use one `VerificationCache` at once.
    """

    def __init__(self, live_sets: LiveSets | None = None) -> None:
        self.live_sets = live_sets or LiveSets(CACHE_BYTES)
        self._worst_case: tuple[Rules, WorstCase] | None = None

    def worst_case(self, rules: Rules) -> WorstCase:
        """Return the solver that finds a devil's replies on ``rules``.

        Calls with the same rules share one solver, which remembers the positions that it has solved. A call with other
        rules than the last call discards that solver and begins a new one.
        """
        if self._worst_case is None or self._worst_case[0] != rules:
            self._worst_case = rules, WorstCase(rules)
        return self._worst_case[1]
