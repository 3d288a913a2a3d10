"""The first code in code order that is consistent with a history, on rules of any size.

A search colors one peg after another. The blacks and matches (black + white) so far of all guesses are packed into
words, as in `layout`. One subtraction shows whether every guess can still reach its feedback with the pegs that are
left. This test misses contradictions between several guesses. So when the search finds no code within its limit,
counting decides the color of the next peg: the first color with which some consistent code continues.
"""

from typing import Final

import numpy as np

from evilpegs_game.codes import Code
from evilpegs_game.compiled import kernel
from evilpegs_game.counting.layout import GUARDS, NEEDED_BLACK, NEEDED_WHITE, Index, ScoreLanes, Words
from evilpegs_game.counting.part_counts import count_prefix
from evilpegs_game.counting.problem import CountingProblem
from evilpegs_game.errors import ContradictionError
from evilpegs_game.history import History
from evilpegs_game.rules import Rules

MAX_NODES: Final = 300_000
"""The most colors that a search tries at pegs before a count decides; trying them takes some milliseconds."""


def first_code(rules: Rules, history: History, max_bytes: int, *, max_nodes: int = MAX_NODES) -> Code:
    """Return the first code in code order that is consistent with ``history``.

    A search tries at most ``max_nodes`` colors at pegs. If it finds no code, codes are counted to decide the color of
    the next peg, and the search begins again. Both methods find the same code. ``max_bytes`` bounds the memory of a
    count.

    Raises:
        ContradictionError: no code is consistent with the history.
        TooLargeError: a count is needed and refused, under the conditions of `part_counts.count_parts`.
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
    """Return ``prefix`` with one more color: that of the next peg in the first consistent code.

    ``prefix`` must be the beginning of this code. ``max_bytes`` bounds the memory of a count.

    Raises:
        ContradictionError: no code that begins with ``prefix`` is consistent with ``history``.
    """
    for color in range(rules.colors):
        longer = (*prefix, color)
        if (rules.repeats or color not in prefix) and count_prefix(rules, history, longer, max_bytes):
            return longer
    message = f"no code of {rules} is consistent with the feedback so far"
    raise ContradictionError(message)


def _tables(rules: Rules, history: History) -> tuple[Words, Words, Words, Words]:
    """Return the scores that colors add, the scores that the feedback requires, and the least scores on the way.

    They are four arguments of `_search`: ``black_increments``, ``match_increments``, ``targets`` and ``least``.
    """
    problem = CountingProblem(rules, history, None)
    lanes = problem.layout.lanes
    words = len(lanes.targets)
    black_increments = np.zeros((rules.pegs, rules.colors, words), np.uint64)
    match_increments = np.zeros((rules.colors, rules.pegs, words), np.uint64)
    for guess, word, shift in zip(problem.guesses, lanes.words.tolist(), lanes.shifts.tolist(), strict=True):
        for peg, color in enumerate(guess):
            black_increments[peg, color, word] += np.uint64(1 << shift)
            match_increments[color, guess[:peg].count(color), word] += np.uint64(1 << shift)
    return black_increments, match_increments, lanes.targets, _least_scores(lanes, rules.pegs)


def _least_scores(lanes: ScoreLanes, pegs: int) -> Words:
    """Return the fewest blacks and matches (black + white) from which guesses can still reach their feedback.

    The result is uint64 (pegs + 1, words, 2). Its first axis is the number of pegs that have a color; the last axis has
    the blacks at 0 and the matches at 1. Each element is a word with the scores of several guesses, as ``lanes``
    describes.
    """
    least = np.zeros((pegs + 1, len(lanes.targets), 2), np.uint64)
    for black, match, word, shift in zip(
        lanes.blacks.tolist(), lanes.matches.tolist(), lanes.words.tolist(), lanes.shifts.tolist(), strict=True
    ):
        for done in range(pegs + 1):
            least[done, word, 0] += np.uint64(max(0, black - pegs + done) << shift)
            least[done, word, 1] += np.uint64(max(0, match - pegs + done) << shift)
    return least


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
    """Fill ``code``, all -1, with the first consistent code that begins with ``prefix``; return True if one was found.

    The search tries at most ``max_nodes`` colors at pegs, so a result of False may only mean that these were too few.
    ``black_increments`` (pegs, colors, words) are the blacks that a color at a peg adds. ``match_increments``
    (colors, pegs, words) are the matches (black + white) that the first, second, ... peg of a color adds. ``targets``
    are the scores required, as in `ScoreLanes`, and ``least`` is the result of `_least_scores`. ``repeats`` is that of
    the rules.
    """
    pegs, colors, words = code.size, match_increments.shape[0], targets.shape[0]
    blacks = np.zeros((pegs + 1, words), np.uint64)
    matches = np.zeros((pegs + 1, words), np.uint64)
    used = np.zeros(colors, np.int64)
    peg = 0
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
    """Write the scores with ``color`` at ``peg`` to row ``peg + 1`` of ``blacks`` and ``matches`` (black + white).

    Row ``peg`` has the scores of the pegs before, as words with the scores of several guesses. Return True if every
    guess can still reach its feedback. ``nth`` is the number of earlier pegs with this color. The blacks grow by
    ``black_increments[peg, color]``, the matches by ``match_increments[color, nth]``. ``targets`` has the scores that
    the feedback requires, as in `ScoreLanes`, and ``least`` is the result of `_least_scores`.
    """
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
