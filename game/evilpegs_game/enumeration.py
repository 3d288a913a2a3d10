"""Enumerating: the codes consistent with a history in code order, without going through all codes.

A search peg by peg. Each guess's blacks and matches so far are fields of two words, as in `counting_kernels`, and one
subtraction tells whether every guess can still come to its feedback with the pegs that are left.
"""

import numpy as np

from evilpegs_game.codes import Columns
from evilpegs_game.counting import Frame, History
from evilpegs_game.counting_kernels import Words
from evilpegs_game.kernel import kernel
from evilpegs_game.rules import Rules


def consistent_codes(rules: Rules, history: History, limit: int) -> Columns:
    """The first ``limit`` codes consistent with ``history``, or all if there are fewer: read-only columns.

    Takes rules.pegs x limit bytes.

    Raises:
        TooLargeError: as `Frame` does.
    """
    frame = Frame(rules, history, None)
    words = len(frame.targets)
    black_gains = np.zeros((rules.pegs, rules.colors, words), np.uint64)
    match_gains = np.zeros((rules.colors, rules.pegs, words), np.uint64)
    for guess, word, shift in zip(frame.guesses, frame.words.tolist(), frame.shifts.tolist(), strict=True):
        for peg, color in enumerate(guess):
            black_gains[peg, color, word] += np.uint64(1 << shift)
            match_gains[color, guess[:peg].count(color), word] += np.uint64(1 << shift)
    columns = np.empty((rules.pegs, limit), np.uint8)
    found = _search(columns, black_gains, match_gains, frame.targets, _least(frame), rules.repeats)
    if found < limit:
        columns = np.ascontiguousarray(columns[:, :found])
    columns.flags.writeable = False
    return columns


def _least(frame: Frame) -> Words:
    """The fewest blacks and matches that will do once so many pegs have a color: uint64 (pegs + 1, words, 2)."""
    pegs = frame.rules.pegs
    least = np.zeros((pegs + 1, len(frame.targets), 2), np.uint64)
    for black, match, word, shift in zip(
        frame.blacks.tolist(), frame.matches.tolist(), frame.words.tolist(), frame.shifts.tolist(), strict=True
    ):
        for done in range(pegs + 1):
            least[done, word, 0] += np.uint64(max(0, black - pegs + done) << shift)
            least[done, word, 1] += np.uint64(max(0, match - pegs + done) << shift)
    return least


@kernel
def _search(
    columns: Columns, black_gains: Words, match_gains: Words, targets: Words, least: Words, repeats: bool
) -> int:
    """Fill the columns in code order until they are full; returns how many codes were found.

    ``black_gains`` (pegs, colors, words) is what a color at a peg adds, ``match_gains`` (colors, pegs, words) what
    the first, second, ... peg of a color adds.
    """
    pegs, limit = columns.shape
    colors, words = match_gains.shape[0], targets.shape[0]
    blacks = np.zeros((pegs + 1, words), np.uint64)
    matches = np.zeros((pegs + 1, words), np.uint64)
    code = np.full(pegs, -1, np.int64)
    times = np.zeros(colors, np.int64)
    peg = found = 0
    while peg >= 0:
        if code[peg] >= 0:
            times[code[peg]] -= 1
        code[peg] += 1
        color = code[peg]
        if color == colors:
            code[peg] = -1
            peg -= 1
            continue
        nth = times[color]
        times[color] += 1
        if (nth and not repeats) or not _add(
            blacks, matches, peg, black_gains, match_gains, color, nth, targets, least
        ):
            continue
        if peg < pegs - 1:
            peg += 1
            continue
        if found == limit:
            return found
        for place in range(pegs):
            columns[place, found] = code[place]
        found += 1
        if found == limit:
            return found
    return found


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
