"""Selection: the best guess under a criterion, and the codebreaker's tie rule, which is defined here alone.

With one or two candidates left, the first of them is played. Otherwise the guess that the criterion ranks best is
played; ties go to a candidate, then to the first guess in code order. `evilpegs_game.guessing.search` implements this.

Several threads search in chunks: first all candidates, then all codes, divided by their first pegs. Each chunk has its
own bitmaps and its own best guess. The best guesses are compared in the order of the chunks, so the result does not
depend on the threads.

With too many candidates to consider each, `sampled_guess` plays the best of some candidates drawn at random. The idea
to judge guesses by a sample is from L. Berghman, D. Goossens and R. Leus, Efficient solutions for Mastermind using
genetic algorithms (2009).
"""

from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from functools import partial, reduce
from math import isqrt
from operator import or_
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import MAX_SPACE_BYTES, Code, Columns, RandomSource, all_codes, to_columns
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import History
from evilpegs_game.guessing.color_classes import ColorClasses, count_in_order, make_color_classes, to_color_classes
from evilpegs_game.guessing.criteria import ENTROPY, Criterion
from evilpegs_game.guessing.guess_cursor import GuessBitmaps, make_bitmaps, make_cursor
from evilpegs_game.guessing.guess_rows import MAX_CODES, best_of_few
from evilpegs_game.guessing.plain import is_plain_work, plain_best_guess
from evilpegs_game.guessing.ranking import TOTALS, Best, Measure, end_with_all_black, keep_better, no_guess
from evilpegs_game.guessing.search import LISTED, best_ahead, best_of_many, search, tries_others
from evilpegs_game.live.position import Position
from evilpegs_game.partition import part_size_table
from evilpegs_game.rules import Rules

_CHUNKS: Final = 16
_PREFIX_PEGS: Final = 2

MAX_SAMPLES: Final = 1000
DEFAULT_BUDGET: Final = 10**8
"""Feedback evaluations per guess without a budget; they take about a tenth of a second."""


def best_code_in_chunks(
    live: Columns, rules: Rules, guessed: int, measure: Measure, candidates_only: bool, threads: Executor
) -> NDArray[np.uint8]:
    """Return what `evilpegs_game.guessing.search.best_of_many` returns, found by several threads."""
    pegs, codes = live.shape

    def prepare() -> tuple[Columns, ColorClasses, GuessBitmaps, Best]:
        color_classes = make_color_classes(live, rules.colors, rules.repeats, guessed)
        classified = to_color_classes(live, color_classes)
        return classified, color_classes, make_bitmaps(classified, color_classes.colors.size), no_guess(pegs, 1)

    # in a thread that takes no signals: numba makes named tuples, see evilpegs_game.counting.extend
    classified, color_classes, bitmaps, best = threads.submit(prepare).result()
    colors = color_classes.colors.size

    def search_range(prefixes: Columns, start: int, stop: int, result: Best) -> None:
        cursor = make_cursor(pegs, colors)
        own = bitmaps._replace(blacks=bitmaps.blacks.copy(), totals=bitmaps.totals.copy())
        search(own, cursor, color_classes, codes, prefixes, start, stop, measure, result)

    _search_chunks(partial(search_range, classified), codes, best, measure, codes, threads)
    if not candidates_only:
        end_with_all_black(best, measure)
        length = min(_PREFIX_PEGS, pegs - 1)
        prefixes = all_codes(Rules(length, colors)).copy() if length else np.zeros((0, 1), dtype=np.uint8)
        _search_chunks(partial(search_range, prefixes), prefixes.shape[1], best, measure, codes, threads)
    return best.guess


def _search_chunks(
    search: Callable[[int, int, Best], None], count: int, best: Best, measure: Measure, codes: int, threads: Executor
) -> None:
    def search_chunk(start: int) -> Best:
        result = Best(best.guess.copy(), best.score.copy(), best.sizes.copy())
        search(start, min(start + step, count), result)
        return result

    step = -(-count // _CHUNKS)
    for result in list(threads.map(search_chunk, range(0, count, step))):
        keep_better(best, result, measure, codes)


def best_guess(position: Position, criterion: Criterion, candidates_only: bool = False) -> Code:
    """Return the best guess under ``criterion``, among all codes or among the candidates only.

    Raises OverBudgetError, ContradictionError, and TooLargeError also if there are too many codes to try each.
    """
    if position.count <= 2:
        return position.first_candidate
    rules, live, guessed = position.rules, position.candidates, guessed_color_mask(position.history)
    candidates_only = candidates_only or not tries_others(criterion.rule, position.count, rules.colors, rules.pegs)
    if not candidates_only and rules.pegs * rules.size > MAX_SPACE_BYTES:
        raise TooLargeError(f"{rules} has {rules.size:,} codes, too many to try each as a guess; take candidates only")
    if position.budget is not None:
        work = position.count * _count_guesses(rules, live, guessed, candidates_only)
        work += LISTED * position.count**2 if criterion.rule == TOTALS and position.count <= MAX_CODES else 0
        if work > position.budget:
            raise OverBudgetError(
                f"turn {position.turn} takes {work:,} feedback evaluations; the budget is {position.budget:,}"
            )
    guesses = position.count if candidates_only else rules.size
    if is_plain_work(best_of_few, criterion, guesses, position.count * guesses):
        return plain_best_guess(live, live if candidates_only else position.all_codes, criterion)
    return best_guess_at(live, rules, guessed, criterion.measure(position.count), candidates_only)


def best_guess_at(
    live: Columns,
    rules: Rules,
    guessed: int,
    measure: Measure,
    candidates_only: bool,
    threads: Executor | None = None,
) -> Code:
    """Return the best guess at three codes or more; ``threads`` change the speed, not the guess."""
    codes, colors, repeats, (rule, weights) = live.shape[1], rules.colors, rules.repeats, measure
    candidates_only = candidates_only or not tries_others(rule, codes, colors, rules.pegs)
    if codes > MAX_CODES and threads:
        return tuple(best_code_in_chunks(live, rules, guessed, measure, candidates_only, threads).tolist())
    # The copy can be written to, as live sets inside kernels can: for both kinds all would be compiled twice.
    live = live.copy()
    if codes > MAX_CODES:
        guess = best_of_many(live, colors, repeats, guessed, rule, weights, candidates_only)
    elif rule == TOTALS:
        guess = best_ahead(live, colors, repeats, guessed, rule, weights, candidates_only)
    else:
        guess, _ = best_of_few(live, colors, repeats, guessed, rule, weights, candidates_only, 1)
    return tuple(guess.tolist())


def guessed_color_mask(history: History) -> int:
    return reduce(or_, (color_mask(turn.guess) for turn in history), 0)


def color_mask(guess: Code) -> int:
    """Bit c of the result is set if ``guess`` has color c."""
    return sum(1 << color for color in set(guess))


def _count_guesses(rules: Rules, live: Columns, guessed: int, candidates_only: bool) -> int:
    if candidates_only:
        return int(count_in_order(live, rules.colors, guessed))
    # guesses that differ only by a renaming of unguessed colors are counted once
    fresh = rules.colors - guessed.bit_count()
    counts = [1] + [0] * fresh  # of prefixes, by the number of fresh colors in them
    for peg in range(rules.pegs):
        longer = [0] * (fresh + 1)
        for seen, count in enumerate(counts):
            longer[seen] += count * (rules.colors - fresh + (seen if rules.repeats else seen - peg))
            if seen < fresh:
                longer[seen + 1] += count
        counts = longer
    return sum(counts)


def sampled_guess(position: Position, rng: RandomSource, candidates_only: bool = False) -> Code:
    """Draw candidates and return the one whose feedback has the most entropy among the drawn ones.

    At most `MAX_SAMPLES` are drawn, so few that comparing each with every other keeps within the budget. If all
    candidates can be compared, nothing is drawn: the result is the guess with the most entropy over all candidates. It
    is taken from all codes if the budget suffices and ``candidates_only`` is False, otherwise from the candidates.
    """
    count = position.count
    if count <= 2:
        return position.first_candidate
    budget = DEFAULT_BUDGET if position.budget is None else position.budget
    size = max(1, min(count, MAX_SAMPLES, isqrt(budget)))
    if size == count:
        with suppress(TooLargeError):  # listing them can exceed the limits even if they are few
            return best_guess(position, ENTROPY, candidates_only or count * position.rules.size > budget)
    try:
        samples = sorted(set(position.sample(rng, size)))
    except TooLargeError:  # where drawing many would take minutes
        samples = position.sample(rng)
    columns = to_columns(samples)
    return samples[int(ENTROPY.best(part_size_table(columns, columns))[0])]
