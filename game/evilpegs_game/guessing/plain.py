"""The best guess by numpy alone: many times slower than the kernels, but done before those would be compiled.

Where nothing waits for a clock, a command calls `allow_plain_work`. Small searches then begin at once after an
installation. A process that has computed `PLAIN_FEEDBACKS` in this way compiles the kernels; each counts anew.
"""

from typing import Any, Final

import numpy as np

from evilpegs_game.codes import Code, Columns, column_code
from evilpegs_game.guessing.criteria import Criterion
from evilpegs_game.guessing.ranking import TOTALS
from evilpegs_game.kernels import is_compiled
from evilpegs_game.partition import SizeTable

PLAIN_FEEDBACKS: Final = 1 << 28
"""The most feedbacks that numpy computes in one process; compiling takes longer."""

PLAIN_GUESSES: Final = 1 << 14
"""The most guesses among which numpy chooses: the table of their part sizes takes a few megabytes."""

_BLOCK: Final = 1 << 17  # feedbacks at a time


class Work:
    """What this process may do without kernels, and the feedbacks that it has computed so."""

    is_allowed: bool | None = None  # until somebody decides
    done = 0


def allow_plain_work(allowed: bool = True) -> None:
    """Let small searches of this process do without kernels; once forbidden, it cannot be allowed again."""
    if Work.is_allowed is not False:
        Work.is_allowed = allowed


def is_plain_work(kernel: Any, criterion: Criterion, guesses: int, feedbacks: int) -> bool:
    """Return True if ``feedbacks`` with ``guesses`` are few enough to compute before ``kernel`` would be compiled."""
    is_small = guesses <= PLAIN_GUESSES and Work.done + feedbacks <= PLAIN_FEEDBACKS
    return bool(Work.is_allowed and is_small and criterion.rule != TOTALS and not is_compiled(kernel))


def plain_best_guess(live: Columns, guesses: Columns, criterion: Criterion) -> Code:
    """Return the best of ``guesses``, which are in code order, by `evilpegs_game.guessing.selection`."""
    Work.done += live.shape[1] * guesses.shape[1]
    table = plain_size_table(live, guesses)
    best = criterion.best(table)
    candidates = best[table[-1, best] > 0]
    return column_code(guesses, int((candidates if candidates.size else best)[0]))


def plain_size_table(live: Columns, guesses: Columns) -> SizeTable:
    """Return what `evilpegs_game.partition.part_size_table` returns."""
    pegs, count = guesses.shape
    parts, step = (pegs + 1) * (pegs + 2) // 2, max(1, _BLOCK // live.shape[1])
    table = np.empty((parts, count), np.int32)
    present = np.unique(live)
    times = [(live == color).sum(axis=0, dtype=np.uint8)[:, None] for color in present]
    for start in range(0, count, step):
        some = guesses[:, start : start + step]
        black, numbers = np.zeros((2, live.shape[1], some.shape[1]), np.int64)
        for peg in range(pegs):
            black += live[peg][:, None] == some[peg]
        for color, time in zip(present, times, strict=True):
            numbers += np.minimum(time, (some == color).sum(axis=0, dtype=np.uint8))
        numbers += (black * (2 * pegs + 1 - black)) >> 1
        numbers += parts * np.arange(some.shape[1])
        counts = np.bincount(numbers.ravel(), minlength=parts * some.shape[1])
        table[:, start : start + step] = counts.reshape(-1, parts).T
    return table
