"""The search for the best guess by several threads, in chunks.

First all candidates are searched, divided into chunks, then all codes, divided into chunks by their first pegs. Each
chunk has its own bitmaps and its own best guess. The best guesses are compared in the order of the chunks, so the
result does not depend on the threads.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Columns, all_codes
from evilpegs_game.guessing.bitmaps import GuessBitmaps, make_bitmaps
from evilpegs_game.guessing.color_classes import make_color_classes, to_color_classes
from evilpegs_game.guessing.guess_cursor import make_cursor
from evilpegs_game.guessing.ranking import Best, Measure, keep_better, no_guess
from evilpegs_game.guessing.search import search
from evilpegs_game.rules import Rules

_CHUNKS: Final = 16
_PREFIX_PEGS: Final = 2


def best_code_in_chunks(
    live: Columns, rules: Rules, guessed: int, measure: Measure, candidates_only: bool, threads: Executor
) -> NDArray[np.uint8]:
    """Return what `evilpegs_game.guessing.search.best_code` returns, found by several threads."""
    color_classes = make_color_classes(live, rules.colors, rules.repeats, guessed)
    live = to_color_classes(live, color_classes)
    (pegs, codes), colors = live.shape, color_classes.colors.size
    bitmaps, best = make_bitmaps(live, colors), no_guess(pegs)

    def search_range(prefixes: Columns, start: int, stop: int, result: Best) -> None:
        cursor, own = make_cursor(pegs, colors), _with_own_buffers(bitmaps)
        search(own, cursor, color_classes, codes, prefixes, start, stop, measure, result)

    _search_chunks(partial(search_range, live), codes, best, measure, codes, threads)
    if not candidates_only:
        prefixes = _prefixes(pegs, colors)
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


def _with_own_buffers(bitmaps: GuessBitmaps) -> GuessBitmaps:
    return bitmaps._replace(blacks=bitmaps.blacks.copy(), totals=bitmaps.totals.copy())


def _prefixes(pegs: int, colors: int) -> Columns:
    length = min(_PREFIX_PEGS, pegs - 1)
    return all_codes(Rules(length, colors)) if length else np.zeros((0, 1), dtype=np.uint8)
