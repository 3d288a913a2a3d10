"""How much work a guess may take: a part of the time that is left, counted in feedback evaluations.

A strategy never sees a clock. What it may spend follows from the time left at the start of the turn and the turns
that a game of these rules still needs, at a speed that machines of today reach with room to spare.
"""

import math
from typing import Final

from evilpegs_game.rules import Rules

EVALUATIONS_PER_MS: Final = 200_000
"""Feedback evaluations in a millisecond; a modern core does three to six times as many."""
RESERVE_MS: Final = 250
"""Kept for the way to the server and back."""
UNTIMED_MS: Final = 20_000
"""What a guess may take where no clock runs: as long as somebody likes to watch."""


def evaluations(rules: Rules, turn: int, guess_limit: int, left_ms: int | None, increment_ms: int = 0) -> int:
    """The budget of the guess at ``turn``; at least one evaluation."""
    if left_ms is None:
        return UNTIMED_MS * EVALUATIONS_PER_MS
    share = max(0, left_ms - RESERVE_MS) / turns_to_come(rules, turn, guess_limit)
    return max(1, int((share + increment_ms / 2) * EVALUATIONS_PER_MS))


def turns_to_come(rules: Rules, turn: int, guess_limit: int) -> int:
    """How many guesses a game still takes, this one included: a rough guess, rather too many than too few.

    A guess halves the candidates about twice.
    """
    usual = 2 + math.ceil(math.log2(rules.size) / 2)
    return min(max(2, usual - turn + 1), max(1, guess_limit - turn + 1))
