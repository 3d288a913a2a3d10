"""The first code in code order that is consistent with a history, on rules of any size.

A search colors one peg after another, with the scores packed into words as in `layout`. One subtraction shows whether
every guess can still reach its feedback with the pegs that are left. This test misses contradictions between several
guesses. So when the search finds no code within its limit, counting decides the color of the next peg: the first color
with which some consistent code continues.
"""

from typing import Final

import numpy as np

from evilpegs_game.codes import Code
from evilpegs_game.counting.layout import GUARDS, NEEDED_BLACK, NEEDED_WHITE, Index, Words
from evilpegs_game.counting.part_counts import has_candidates
from evilpegs_game.counting.problem import CountingProblem
from evilpegs_game.errors import ContradictionError
from evilpegs_game.feedback import History
from evilpegs_game.kernels import ZERO, kernel
from evilpegs_game.rules import Rules

MAX_NODES: Final = 300_000
"""The colors that a search tries at pegs before a count decides; trying them takes some milliseconds."""


def first_code(rules: Rules, history: History, max_bytes: int, *, max_nodes: int = MAX_NODES) -> Code:
    """Return the first code in code order that is consistent with ``history``; ``max_bytes`` bounds a count.

    Raises ContradictionError, or TooLargeError if a count is needed and refused.
    """
    tables = _tables(rules, history)
    prefix: Code = ()
    while len(prefix) < rules.pegs:
        code = np.full(rules.pegs, -1, np.int64)
        if _search(code, np.array(prefix, np.int64), *tables, rules.repeats, max_nodes):
            return tuple(code.tolist())
        prefix = _extend_prefix(rules, history, prefix, max_bytes)
    return prefix


def _extend_prefix(rules: Rules, history: History, prefix: Code, max_bytes: int) -> Code:
    for color in range(rules.colors):
        longer = (*prefix, color)
        if (rules.repeats or color not in prefix) and has_candidates(rules, history, longer, max_bytes):
            return longer
    raise ContradictionError(f"no code of {rules} is consistent with the feedback so far")


def _tables(rules: Rules, history: History) -> tuple[Words, Words, Words, Words]:
    problem = CountingProblem(rules, history, None)
    lanes = problem.layout.lanes
    words = len(lanes.targets)
    black_increments = np.zeros((rules.pegs, rules.colors, words), np.uint64)
    match_increments = np.zeros((rules.colors, rules.pegs, words), np.uint64)
    least = np.zeros((rules.pegs + 1, words, 2), np.uint64)
    of_guesses = (each.tolist() for each in (lanes.blacks, lanes.matches, lanes.words, lanes.shifts))
    for guess, black, match, word, shift in zip(problem.guesses, *of_guesses, strict=True):
        for peg, color in enumerate(guess):
            black_increments[peg, color, word] += np.uint64(1 << shift)
            match_increments[color, guess[:peg].count(color), word] += np.uint64(1 << shift)
        for left in range(rules.pegs + 1):
            least[rules.pegs - left, word] += np.array([max(0, black - left), max(0, match - left)], np.uint64) << shift
    return black_increments, match_increments, lanes.targets, least


@kernel
def _search(
    code: Index,
    prefix: Index,
    black_increments: Words,
    match_increments: Words,
    targets: Words,
    least: Words,
    repeats: bool,
    max_nodes: int,
) -> bool:
    pegs, colors, words = code.size, match_increments.shape[0], targets.shape[0]
    blacks = np.zeros((pegs + 1, words), np.uint64)
    matches = np.zeros((pegs + 1, words), np.uint64)
    used = np.zeros(colors, np.int64)
    peg = ZERO
    for _ in range(max_nodes):
        if code[peg] >= 0:
            used[code[peg]] -= 1
        code[peg] += 1
        color = code[peg]
        if color == colors:
            code[peg] = -1
            peg -= 1
            if peg < 0:
                return False
            continue
        nth = used[color]
        used[color] += 1
        if (peg < prefix.size and color != prefix[peg]) or (nth and not repeats):
            continue
        if _place_color(blacks, matches, peg, black_increments, match_increments, color, nth, targets, least):
            peg += 1
            if peg == pegs:
                return True
    return False


@kernel
def _place_color(
    blacks: Words,
    matches: Words,
    peg: int,
    black_increments: Words,
    match_increments: Words,
    color: int,
    nth: int,
    targets: Words,
    least: Words,
) -> bool:
    for word in range(targets.shape[0]):
        guards = targets[word, GUARDS]
        black = blacks[peg, word] + black_increments[peg, color, word]
        match = matches[peg, word] + match_increments[color, nth, word]
        blacks[peg + 1, word], matches[peg + 1, word] = black, match
        enough = ((black | guards) - least[peg + 1, word, 0]) & ((match | guards) - least[peg + 1, word, 1])
        # A white can become a black when its color occurs again, so the whites alone decide nothing yet.
        needed = targets[word, NEEDED_BLACK]
        not_over = ((needed | guards) - black) & (((needed + targets[word, NEEDED_WHITE]) | guards) - match)
        if (enough & not_over & guards) != guards:
            return False
    return True
