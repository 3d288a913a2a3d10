"""The search for the best guess in chunks, for threads: first of the candidates, then of the beginnings of all codes.

Each chunk has bitmaps and a best guess of its own. These are compared in order, so that what is found does not depend
on the threads.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.codes import Columns, all_codes
from evilpegs_game.guessing.bitmaps import Bits, make_bits
from evilpegs_game.guessing.color_classes import in_palette, make_palette
from evilpegs_game.guessing.ranking import Best, Measure, keep_better, no_guess
from evilpegs_game.guessing.search import make_cursor, search_beginnings, search_candidates
from evilpegs_game.rules import Rules

_CHUNKS: Final = 16
_BEGINNING: Final = 2
"""Pegs of a beginning."""


def best_code_in_chunks(
    live: Columns, rules: Rules, guessed: int, measure: Measure, candidates_only: bool, threads: Executor
) -> NDArray[np.uint8]:
    """What `evilpegs_game.guessing.search.best_code` gives, found by ``threads``."""
    palette = make_palette(live, rules.colors, rules.repeats, guessed)
    live = in_palette(live, palette)
    (pegs, codes), colors = live.shape, palette.colors.size
    bits, best = make_bits(live, colors), no_guess(pegs)

    def among_candidates(start: int, stop: int, found: Best) -> None:
        search_candidates(_own(bits), make_cursor(pegs, colors), palette, live, start, stop, measure, found)

    def among_all(start: int, stop: int, found: Best) -> None:
        cursor = make_cursor(pegs, colors)
        search_beginnings(_own(bits), cursor, palette, codes, beginnings, start, stop, measure, found)

    _take_best(among_candidates, codes, best, measure, codes, threads)
    if not candidates_only:
        beginnings = _beginnings(pegs, colors)
        _take_best(among_all, beginnings.shape[1], best, measure, codes, threads)
    return best.guess


def _take_best(
    search: Callable[[int, int, Best], None], count: int, best: Best, measure: Measure, codes: int, threads: Executor
) -> None:
    """Let ``best`` be the best that is found in any part of ``count`` things, of equal ones the first."""

    def searched(start: int) -> Best:
        found = Best(best.guess.copy(), best.score.copy(), best.sizes.copy())
        search(start, min(start + step, count), found)
        return found

    step = -(-count // _CHUNKS)
    for found in list(threads.map(searched, range(0, count, step))):
        keep_better(best, found, measure, codes)


def _own(bits: Bits) -> Bits:
    """The bitmaps of the live set, which are shared, and those of a guess in the making, which are not."""
    return bits._replace(blacks=bits.blacks.copy(), totals=bits.totals.copy())


def _beginnings(pegs: int, colors: int) -> Columns:
    """All of the first few pegs, in code order: columns."""
    length = min(_BEGINNING, pegs - 1)
    return all_codes(Rules(length, colors)) if length else np.zeros((0, 1), dtype=np.uint8)
