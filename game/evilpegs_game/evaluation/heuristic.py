"""Compiled evaluation of a heuristic, a strategy that plays the best guess under a criterion, against every candidate.

The guesses are those of `evilpegs_game.guessing.selection`, so the distribution equals that of `evaluate`, without a
call of Python code per turn. Large live sets are searched one by one by all threads; the trees below them are evaluated
in batches, each by one thread.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.codes import Code, Columns, check_code
from evilpegs_game.errors import TooLargeError
from evilpegs_game.evaluation.heuristic_kernels import count_solved_codes
from evilpegs_game.feedback import feedbacks
from evilpegs_game.guessing.criteria import Criterion
from evilpegs_game.guessing.ranking import Measure
from evilpegs_game.guessing.selection import best_guess_at, color_mask, guessed_color_mask
from evilpegs_game.history import History
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.partition import Sizes, feedback_numbers, sort_into_parts, take
from evilpegs_game.rules import Rules

MAX_BYTES: Final = 2 << 30
"""The most memory of one evaluation."""

_BATCH: Final = 1 << 12  # larger live sets are searched one by one

_LEAST_BYTES: Final = 1 << 24
_BATCH_BYTES: Final = 1 << 22


def evaluate_heuristic(
    rules: Rules,
    criterion: Criterion,
    history: History = (),
    first: Code | None = None,
    candidates_only: bool = False,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    *,
    batch_codes: int = _BATCH,
) -> tuple[int, ...]:
    """Return, at index i, how many candidates a heuristic solves at guess i + 1 after ``history``.

    ``first`` replaces its first guess after ``history``. ``progress`` is called with the number of codes finished since
    its last call. ``threads`` and ``batch_codes`` change the speed, not the result: live sets of more than
    ``batch_codes`` codes are searched one by one, smaller ones in batches of at most this many codes.

    Raises:
        TooLargeError: the evaluation takes more than `MAX_BYTES`; nothing was allocated.
        ContradictionError: no code is consistent with ``history``.
        IllegalCodeError: ``first`` is not a code of the rules.
    """
    needed = heuristic_bytes(rules, threads)
    if needed > MAX_BYTES:
        message = f"walking {rules} takes {needed:,} bytes; the limit is {MAX_BYTES:,}; take smaller rules"
        raise TooLargeError(message, needed=needed, bound=MAX_BYTES)
    if first is not None:
        check_code(first, rules)
    live = Position(rules, history, LiveSets(MAX_BYTES)).candidates
    root = _Batch(np.array(live), np.array([live.shape[1]]), guessed_color_mask(history), 0)
    solved: Counter[int] = Counter()
    with _pool(threads if live.shape[1] > batch_codes else 1) as pool:
        walk = _TreeWalk(rules, criterion.measure(live.shape[1]), candidates_only, batch_codes, pool)
        for finished in walk.pieces(root, first):
            solved.update(finished)
            if progress:
                progress(finished.total())
    return tuple(solved[guesses] for guesses in range(1, max(solved) + 1))


def heuristic_bytes(rules: Rules, threads: int) -> int:
    """Return an upper bound on the bytes that an evaluation takes; allocate nothing."""
    codes = 6 * rules.pegs + 16
    bitmaps = rules.pegs * rules.colors // 4 + (threads + 1) * rules.pegs * (rules.pegs + 2) // 4
    return _LEAST_BYTES + threads * _BATCH_BYTES + (codes + bitmaps) * rules.size


class _Batch(NamedTuple):
    columns: Columns  # of all live sets, one set after the other
    sizes: Sizes
    guessed: int  # bit c: color c is in a guess so far
    depth: int


@dataclass(frozen=True, slots=True)
class _TreeWalk:
    rules: Rules
    measure: Measure
    candidates_only: bool
    batch_codes: int
    pool: Executor | None

    def pieces(self, root: _Batch, first: Code | None) -> Iterator[Counter[int]]:
        waiting = [root]
        running: set[Future[Counter[int]]] = set()
        while waiting or running:
            done, running = wait(running, timeout=0 if waiting else None, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
            if not waiting:
                continue
            batch = waiting.pop()
            if first is not None or int(batch.sizes[0]) > self.batch_codes:
                guess, first = first or self._best(batch), None
                solved, below = self._split(batch, guess)
                waiting.extend(below)
                yield Counter({batch.depth + 1: solved})
            elif self.pool:
                running.add(self.pool.submit(self._solve, batch))
            else:
                yield self._solve(batch)

    def _best(self, batch: _Batch) -> Code:
        return best_guess_at(batch.columns, self.rules, batch.guessed, self.measure, self.candidates_only, self.pool)

    def _split(self, batch: _Batch, guess: Code) -> tuple[int, list[_Batch]]:
        # ``batch`` has only one live set
        sizes, order = sort_into_parts(feedback_numbers(batch.columns, guess), len(feedbacks(self.rules.pegs)))
        columns, guessed = take(batch.columns, order), batch.guessed | color_mask(guess)
        ends = np.cumsum(sizes)
        below = []
        for start, stop in _ranges(sizes[:-1].tolist(), self.batch_codes):
            some = np.array(columns[:, ends[start] - sizes[start] : ends[stop - 1]], order="C")
            below.append(_Batch(some, sizes[start:stop][sizes[start:stop] > 0], guessed, batch.depth + 1))
        return int(sizes[-1]), below

    def _solve(self, batch: _Batch) -> Counter[int]:
        columns, sizes, guessed, depth = batch
        colors, repeats = self.rules.colors, self.rules.repeats
        solved = count_solved_codes(columns, sizes, guessed, colors, repeats, self.measure, self.candidates_only)
        return Counter({guesses: count for guesses, count in enumerate(solved.tolist(), depth + 1) if count})


def _ranges(sizes: list[int], batch_codes: int) -> Iterator[tuple[int, int]]:
    start = together = 0
    for part, size in enumerate(sizes):
        if together and together + size > batch_codes:
            yield start, part
            start, together = part, 0
        together += size
    if together:
        yield start, len(sizes)


@contextmanager
def _pool(threads: int) -> Iterator[Executor | None]:
    if threads < 2:
        yield None
        return
    pool = ThreadPoolExecutor(threads)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
