"""The first code in code order that a history allows, on rules of any size.

A search peg by peg. Each guess's blacks and matches so far are fields of two words, as in `layout`, and one
subtraction tells whether every guess can still come to its feedback with the pegs that are left. That misses when
guesses exclude each other only together; a search that finds nothing for long has the next peg settled by counting:
is there a code at all that begins so?
"""

from typing import Final

import numpy as np

from evilpegs_game.codes import Code
from evilpegs_game.compiled import kernel
from evilpegs_game.counting.layout import Fields, Index, Words
from evilpegs_game.counting.part_counts import count_beginning
from evilpegs_game.counting.problem import Frame
from evilpegs_game.errors import ContradictionError
from evilpegs_game.history import History
from evilpegs_game.rules import Rules

MOST_NODES: Final = 300_000
"""Colors tried at pegs before a count is asked: some milliseconds."""


def first_code(rules: Rules, history: History, max_bytes: int, *, most_nodes: int = MOST_NODES) -> Code:
    """The first code consistent with ``history``; ``max_bytes`` bounds what counting may take.

    A search tries ``most_nodes`` colors before a count is asked; both give the same code.

    Raises:
        ContradictionError: there is none.
        TooLargeError: as `parts` does.
    """
    tables = _tables(rules, history)
    beginning: Code = ()
    while len(beginning) < rules.pegs:
        code = np.full(rules.pegs, -1, np.int64)
        if _search(code, np.array(beginning, np.int64), *tables, rules.repeats, most_nodes):
            return tuple(code.tolist())
        beginning = _one_more(rules, history, beginning, max_bytes)
    return beginning


def _one_more(rules: Rules, history: History, beginning: Code, max_bytes: int) -> Code:
    """The beginning of the first code with one peg more."""
    for color in range(rules.colors):
        longer = (*beginning, color)
        if (rules.repeats or color not in beginning) and count_beginning(rules, history, longer, max_bytes):
            return longer
    message = f"no code of {rules} is consistent with the feedback so far"
    raise ContradictionError(message)


def _tables(rules: Rules, history: History) -> tuple[Words, Words, Words, Words]:
    """What colors at pegs add to blacks and to matches, the targets, and the least that will do: see `_search`."""
    frame = Frame(rules, history, None)
    fields = frame.layout.fields
    words = len(fields.targets)
    black_gains = np.zeros((rules.pegs, rules.colors, words), np.uint64)
    match_gains = np.zeros((rules.colors, rules.pegs, words), np.uint64)
    for guess, word, shift in zip(frame.guesses, fields.words.tolist(), fields.shifts.tolist(), strict=True):
        for peg, color in enumerate(guess):
            black_gains[peg, color, word] += np.uint64(1 << shift)
            match_gains[color, guess[:peg].count(color), word] += np.uint64(1 << shift)
    return black_gains, match_gains, fields.targets, _least(fields, rules.pegs)


def _least(fields: Fields, pegs: int) -> Words:
    """The fewest blacks and matches that will do once so many pegs have a color: uint64 (pegs + 1, words, 2)."""
    least = np.zeros((pegs + 1, len(fields.targets), 2), np.uint64)
    for black, match, word, shift in zip(
        fields.blacks.tolist(), fields.matches.tolist(), fields.words.tolist(), fields.shifts.tolist(), strict=True
    ):
        for done in range(pegs + 1):
            least[done, word, 0] += np.uint64(max(0, black - pegs + done) << shift)
            least[done, word, 1] += np.uint64(max(0, match - pegs + done) << shift)
    return least


@kernel
def _search(
    code: Index,
    beginning: Index,
    black_gains: Words,
    match_gains: Words,
    targets: Words,
    least: Words,
    repeats: bool,
    most_nodes: int,
) -> bool:
    """Fill ``code``, all -1, with the first code that begins so; False if none was found with so many nodes.

    ``black_gains`` (pegs, colors, words) is what a color at a peg adds, ``match_gains`` (colors, pegs, words) what
    the first, second, ... peg of a color adds.
    """
    pegs, colors, words = code.size, match_gains.shape[0], targets.shape[0]
    blacks = np.zeros((pegs + 1, words), np.uint64)
    matches = np.zeros((pegs + 1, words), np.uint64)
    times = np.zeros(colors, np.int64)
    peg = 0
    for _ in range(most_nodes):
        if code[peg] >= 0:
            times[code[peg]] -= 1
        code[peg] += 1
        color = code[peg]
        if color == colors:
            code[peg] = -1
            peg -= 1
            if peg < 0:
                return False
            continue
        nth = times[color]
        times[color] += 1
        if (peg < beginning.size and color != beginning[peg]) or (nth and not repeats):
            continue
        if _add(blacks, matches, peg, black_gains, match_gains, color, nth, targets, least):
            peg += 1
            if peg == pegs:
                return True
    return False


@kernel
def _add(
    blacks: Words,
    matches: Words,
    peg: int,
    black_gains: Words,
    match_gains: Words,
    color: int,
    nth: int,
    targets: Words,
    least: Words,
) -> bool:
    """Enter what a color at ``peg`` leads to in row ``peg + 1``; whether every guess can still come out right."""
    for word in range(targets.shape[0]):
        guards = targets[word, 2]
        black = blacks[peg, word] + black_gains[peg, color, word]
        match = matches[peg, word] + match_gains[color, nth, word]
        blacks[peg + 1, word], matches[peg + 1, word] = black, match
        enough = ((black | guards) - least[peg + 1, word, 0]) & ((match | guards) - least[peg + 1, word, 1])
        # A white can still become a black, when its color comes once more, so whites alone say nothing yet.
        not_over = ((targets[word, 0] | guards) - black) & (((targets[word, 0] + targets[word, 1]) | guards) - match)
        if (enough & not_over & guards) != guards:
            return False
    return True
