"""Compiled evaluation of a heuristic, a strategy that plays the best guess under a criterion, against every candidate.

The guesses are those of `evilpegs_game.guessing.selection`, so the result is that of `distribution_from`, without a
call of Python code per turn. Large live sets are searched one by one by all threads; the trees below them are evaluated
in batches, each by one thread.

In a batch, the live sets below one guess are ranges of one list of indices, and each guess sorts its range into parts.
So the whole traversal takes only this list and a stack of ranges. Sets of one or two codes are counted where they
arise.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Code, Columns, check_code
from evilpegs_game.errors import check_bound
from evilpegs_game.evaluation.exact import distribution_from
from evilpegs_game.feedback import History, feedbacks
from evilpegs_game.guessing.criteria import Criterion
from evilpegs_game.guessing.guess_rows import MAX_CODES, best_of_few
from evilpegs_game.guessing.plain import is_plain_work
from evilpegs_game.guessing.ranking import TOTALS, Measure
from evilpegs_game.guessing.selection import best_guess, best_guess_at, color_mask, guessed_color_mask
from evilpegs_game.kernels import ZERO, copy_into, kernel
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.partition import (
    Sizes,
    feedback_numbers,
    number_codes,
    pair_number,
    separates,
    sort_into_parts,
    take,
    take_columns,
)
from evilpegs_game.rules import Rules

_PLIES: Final = 5  # on usual rules, all searches of a game tree decide fewer times the feedbacks of the first
_FEW = 8  # only smaller live sets are first searched for a candidate that separates all codes

MAX_BYTES: Final = 2 << 30
"""The most memory of one evaluation."""

_LEAST_BYTES: Final = 1 << 24
_BATCH_BYTES: Final = 1 << 22


@kernel
def count_solved_codes(
    columns: Columns,
    sizes: Sizes,
    guessed: int,
    colors: int,
    repeats: bool,
    measure: Measure,
    candidates_only: bool,
) -> Sizes:
    """Return, at index i, how many codes are solved at guess i + 1 from their live sets: shape (codes + 2,).

    ``columns`` are the codes of the live sets, one set after the other, and ``sizes`` the sizes of the sets. Bit c of
    ``guessed`` is set if color c is in a guess so far.
    """
    pegs, codes = columns.shape
    parts = (pegs + 1) * (pegs + 2) // 2
    rule, weights = measure
    solved = np.zeros(codes + 2, np.int64)
    indices = np.empty(codes, np.int32)
    for i in range(codes):
        indices[i] = i
    stack = np.empty((codes // 3 + sizes.size + 1, 4), np.int64)
    top = _push_parts(stack, ZERO, solved, sizes, ZERO, ZERO, guessed)
    while top:
        top -= 1
        start, stop, depth, guessed = stack[top]
        live = take_columns(columns, indices[start:stop])
        if stop - start <= _FEW and some_candidate_separates(live):
            solved[depth] += 1
            solved[depth + 1] += stop - start - 1
            continue
        guess = best_of_few(live, colors, repeats, guessed, rule, weights, candidates_only, ZERO + 1)[0]
        counts, order = sort_into_parts(number_codes(live, guess), parts)
        for i in range(order.size):
            order[i] = indices[start + order[i]]
        copy_into(indices[start:stop], order)
        solved[depth] += counts[-1]
        for peg in range(pegs):
            guessed |= 1 << guess[peg]
        top = _push_parts(stack, top, solved, counts[:-1], start, depth + 1, guessed)
    return solved


@kernel
def _push_parts(
    stack: NDArray[np.int64], top: int, solved: Sizes, sizes: Sizes, start: int, depth: int, guessed: int
) -> int:
    for size in sizes:
        if size > 2:
            # first code of the part, end, guesses so far, colors guessed so far
            stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = start, start + size, depth, guessed
            top += 1
        elif size:
            solved[depth] += 1
            solved[depth + 1] += size - 1  # of two codes, the second takes one more guess
        start += size
    return top


@kernel
def some_candidate_separates(live: Columns) -> bool:
    """Return True if some candidate gets a different feedback from each code of ``live``; no guess is better then."""
    codes = live.shape[1]
    numbers = np.empty((codes, codes), np.uint8)
    for first in range(codes):
        for second in range(first, codes):
            numbers[first, second] = numbers[second, first] = pair_number(live, first, second)
    everyone = np.empty(codes, np.int32)
    for i in range(codes):
        everyone[i] = i
    for guess in range(codes):  # noqa: SIM110 - compiled code has no generators
        if separates(numbers[guess], everyone):
            return True
    return False


def evaluate_heuristic(
    rules: Rules,
    criterion: Criterion,
    history: History = (),
    first: Code | None = None,
    candidates_only: bool = False,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    *,
    batch_codes: int = MAX_CODES,
) -> tuple[int, ...]:
    """Return, at index i, how many candidates a heuristic solves at guess i + 1 after ``history``.

    ``first`` replaces its first guess after ``history``. ``progress`` is called with the number of codes finished since
    its last call. ``threads`` and ``batch_codes`` change the speed, not the result: live sets of more than
    ``batch_codes`` codes are searched one by one, smaller ones in batches of at most this many codes. Raises
    TooLargeError before anything is allocated, ContradictionError, and IllegalCodeError for ``first``.
    """
    needed = heuristic_bytes(rules, threads)
    message = f"walking {rules} takes {needed:,} bytes; the limit is {MAX_BYTES:,}; take smaller rules"
    check_bound(needed, MAX_BYTES, message)
    if first is not None:
        check_code(first, rules)
    live = Position(rules, history, LiveSets(MAX_BYTES)).candidates
    if is_plain_evaluation(rules, criterion, live.shape[1]):
        choose = partial(best_guess, criterion=criterion, candidates_only=candidates_only)
        on_solved = None if progress is None else lambda *_: progress(1)
        return distribution_from(choose, rules, history, first, on_solved=on_solved)
    root = _Batch(np.array(live), np.array([live.shape[1]]), guessed_color_mask(history), 0)
    solved: Counter[int] = Counter()
    with _pool(threads if live.shape[1] > batch_codes else 1) as pool:
        # two plies are searched from Python, which takes more time than compiled batches would save
        batch_codes = 2 if criterion.rule == TOTALS else min(batch_codes, MAX_CODES)
        walk = _TreeWalk(rules, criterion.measure(live.shape[1]), candidates_only, batch_codes, pool)
        for finished in walk.pieces(root, first):
            solved.update(finished)
            if progress:
                progress(finished.total())
    return tuple(solved[guesses] for guesses in range(1, max(solved) + 1))


def is_plain_evaluation(rules: Rules, criterion: Criterion, codes: int) -> bool:
    """Return True if the game tree below a live set of ``codes`` codes is searched before kernels would be compiled."""
    return is_plain_work(count_solved_codes, criterion, rules.size, _PLIES * codes * rules.size)


def heuristic_bytes(rules: Rules, threads: int) -> int:
    """Return an upper bound on the bytes that an evaluation takes; allocate nothing."""
    codes = 6 * rules.pegs + 16
    bitmaps = rules.colors * (2 * rules.pegs + 1) // 8 + (threads + 1) * rules.pegs * (rules.pegs + 2) // 4
    return _LEAST_BYTES + threads * _BATCH_BYTES + (codes + bitmaps) * rules.size


class _Batch(NamedTuple):
    columns: Columns  # of all live sets, one set after the other
    sizes: Sizes
    guessed: int  # bit c: color c is in a guess so far
    depth: int


_Finished = tuple[Counter[int], list[_Batch]]


@dataclass(frozen=True, slots=True)
class _TreeWalk:
    rules: Rules
    measure: Measure
    candidates_only: bool
    batch_codes: int
    pool: Executor | None

    def pieces(self, root: _Batch, first: Code | None) -> Iterator[Counter[int]]:
        waiting = [root]
        running: set[Future[_Finished]] = set()
        while waiting or running:
            done, running = wait(running, timeout=0 if waiting else None, return_when=FIRST_COMPLETED)
            finished = [future.result() for future in done]
            if waiting:
                batch = waiting.pop()
                # those of more codes are searched by all threads
                if self.pool and first is None and int(batch.sizes[0]) <= MAX_CODES:
                    running.add(self.pool.submit(self._walk, batch))
                else:
                    finished.append(self._step(batch, first))
                first = None
            for solved, below in finished:
                waiting += below
                yield solved

    def _walk(self, batch: _Batch) -> _Finished:
        solved: Counter[int] = Counter()
        waiting = [batch]
        while waiting:
            finished, below = self._step(waiting.pop())
            solved += finished
            waiting += below
        return solved, []

    def _step(self, batch: _Batch, first: Code | None = None) -> _Finished:
        if first is None and int(batch.sizes[0]) <= self.batch_codes:
            return self._solve(batch), []
        pool, only = self.pool, self.candidates_only
        guess = first or best_guess_at(batch.columns, self.rules, batch.guessed, self.measure, only, pool)
        # ``batch`` has only one live set
        sizes, order = sort_into_parts(feedback_numbers(batch.columns, guess), len(feedbacks(self.rules.pegs)))
        columns, guessed = take(batch.columns, order), batch.guessed | color_mask(guess)
        ends = np.cumsum(sizes)
        below = []
        for start, stop in _ranges(sizes[:-1].tolist(), self.batch_codes):
            some = np.array(columns[:, ends[start] - sizes[start] : ends[stop - 1]], order="C")
            below.append(_Batch(some, sizes[start:stop][sizes[start:stop] > 0], guessed, batch.depth + 1))
        return Counter({batch.depth + 1: int(sizes[-1])}), below

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
