from itertools import combinations
from typing import Final

import numpy as np

from evilpegs_game.errors import ContradictionError
from evilpegs_game.feedback import History, feedback_number
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.partition import feedback_numbers
from evilpegs_game.rules import Rules

MAX_CODES: Final = 1 << 21  # for the smallest contradiction, which takes comparing every code

MAX_TURNS: Final = 16  # for the smallest contradiction, which takes comparing every set of turns


def contradiction(rules: Rules, history: History, live_sets: LiveSets) -> tuple[int, ...]:
    """Return the indices of turns that no code satisfies together; empty if some code satisfies them all.

    The result is minimal: if any one of these turns is left out, some code satisfies all others. With at most
    `MAX_CODES` codes and `MAX_TURNS` turns, it is the smallest contradiction and, of several smallest ones, that with
    the latest turns. Raises TooLargeError if there are too many codes to count.
    """
    if _is_consistent(rules, history, live_sets):
        return ()
    if rules.size <= MAX_CODES and len(history) <= MAX_TURNS:
        return _smallest(rules, history, live_sets)
    indices = list(range(len(history)))
    for index in range(len(history)):
        others = [other for other in indices if other != index]
        if not _is_consistent(rules, tuple(history[other] for other in others), live_sets):
            indices = others
    return tuple(indices)


def _is_consistent(rules: Rules, history: History, live_sets: LiveSets) -> bool:
    try:
        return bool(live_sets.count(rules, history))
    except ContradictionError:
        return False


def _smallest(rules: Rules, history: History, live_sets: LiveSets) -> tuple[int, ...]:
    satisfied = np.zeros(rules.size, np.uint32)  # a bit per turn
    columns = live_sets.all_codes(rules)
    for index, (guess, feedback) in enumerate(history):
        fits = feedback_numbers(columns, guess) == feedback_number(feedback, rules.pegs)
        satisfied |= fits.astype(np.uint32) << np.uint32(index)
    masks = np.unique(satisfied)
    for size in range(1, len(history) + 1):
        for indices in combinations(range(len(history) - 1, -1, -1), size):  # sets of late turns first
            wanted = np.uint32(sum(1 << index for index in indices))
            if not ((masks & wanted) == wanted).any():
                return indices[::-1]
    raise AssertionError("all turns together are a contradiction")
