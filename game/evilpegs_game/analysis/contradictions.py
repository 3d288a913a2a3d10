"""Turns that contradict each other: which of them no code satisfies together."""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.errors import ContradictionError
from evilpegs_game.feedback import feedback_number
from evilpegs_game.history import History
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.partition import feedback_numbers
from evilpegs_game.rules import Rules

MAX_CODES: Final = 1 << 21
MAX_TURNS: Final = 16
"""Up to here every code is looked at, and every set of turns: the fewest are found."""


def contradiction(
    rules: Rules, history: History, live_sets: LiveSets, *, max_turns: int = MAX_TURNS
) -> tuple[int, ...]:
    """The places (from 0) of turns that no code satisfies together; none if some code satisfies all.

    Without any one of them the rest can be satisfied. They are the fewest such turns, and of those the latest, where
    there are at most `MAX_CODES` codes and ``max_turns`` turns; otherwise some that cannot be reduced.

    Raises:
        TooLargeError: there are too many codes to count.
    """
    if _is_consistent(rules, history, live_sets):
        return ()
    if rules.size <= MAX_CODES and len(history) <= max_turns:
        return _fewest(rules, history, live_sets)
    return _irreducible(rules, history, live_sets)


def _is_consistent(rules: Rules, history: History, live_sets: LiveSets) -> bool:
    try:
        return bool(live_sets.count(rules, history))
    except ContradictionError:
        return False


def _irreducible(rules: Rules, history: History, live_sets: LiveSets) -> tuple[int, ...]:
    """Leave out every turn that can be left out, the oldest first."""
    places = list(range(len(history)))
    for place in range(len(history)):
        others = [other for other in places if other != place]
        if not _is_consistent(rules, tuple(history[other] for other in others), live_sets):
            places = others
    return tuple(places)


def _fewest(rules: Rules, history: History, live_sets: LiveSets) -> tuple[int, ...]:
    """Go through the sets of turns, small ones first, until one is satisfied by no code."""
    satisfied = np.zeros(rules.size, np.uint32)
    columns = live_sets.all_codes(rules)
    for place, (guess, given) in enumerate(history):
        fits = feedback_numbers(columns, guess) == feedback_number(given, rules.pegs)
        satisfied |= fits.astype(np.uint32) << np.uint32(place)
    masks = np.unique(satisfied)
    return next(
        places for places in _sets(len(history)) if not _is_met(masks, np.uint32(sum(1 << place for place in places)))
    )


def _sets(turns: int) -> Iterator[tuple[int, ...]]:
    """All sets of turns, the smaller first, and of one size those with late turns first."""
    late_first = range(turns - 1, -1, -1)
    return (places[::-1] for size in range(1, turns + 1) for places in combinations(late_first, size))


def _is_met(masks: NDArray[np.uint32], wanted: np.uint32) -> bool:
    return bool(((masks & wanted) == wanted).any())
