"""Selection: the best guess under a criterion, and the only home of the codebreaker's tie rule.

With one or two candidates left the first of them is played. Otherwise the best key wins; ties go to a
candidate, then to the first in code order.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.candidates import Position
from evilpegs_game.codes import Code, Columns, column_code
from evilpegs_game.criteria import Criterion
from evilpegs_game.errors import OverBudgetError
from evilpegs_game.kernel import kernel
from evilpegs_game.partition import Places, SizeTable, part_size_table, take

_CHUNK: Final = 1 << 14
"""Guesses weighed at a time; bounds the table of part sizes to 10 MB at 16 pegs."""


def best_guess(position: Position, criterion: Criterion, candidates_only: bool = False) -> Code:
    """The best guess among all codes, or among the candidates only.

    Raises:
        OverBudgetError: it would take more feedback evaluations than ``position.budget``.
        ContradictionError, TooLargeError: as the candidates of a `Position` do.
    """
    if position.count <= 2:
        return position.first_candidate
    guesses = _distinguishable(position.candidates if candidates_only else position.all_codes, position)
    _check_budget(position, guesses.shape[1])
    return column_code(guesses, _best_place(position.candidates, guesses, criterion))


def _check_budget(position: Position, guesses: int) -> None:
    work = guesses * position.count
    if position.budget is not None and work > position.budget:
        message = f"turn {position.turn} takes {work:,} feedback evaluations; the budget is {position.budget:,}"
        raise OverBudgetError(message)


def _best_place(candidates: Columns, guesses: Columns, criterion: Criterion) -> int:
    """The place of the best guess; the best of each chunk, then the best of these."""
    places, columns = [], []
    for start in range(0, guesses.shape[1], _CHUNK):
        table = part_size_table(candidates, np.ascontiguousarray(guesses[:, start : start + _CHUNK]))
        place = _first_best(table, criterion)
        places.append(start + place)
        columns.append(table[:, place])
    return places[_first_best(np.stack(columns, axis=1), criterion)] if len(places) > 1 else places[0]


def _first_best(table: SizeTable, criterion: Criterion) -> int:
    """The tie rule. A guess is a candidate exactly if its all-black part, the last, is not empty."""
    best = criterion.best(table)
    candidates = best[table[-1, best] > 0]
    return int(candidates[0] if candidates.size else best[0])


def _distinguishable(guesses: Columns, position: Position) -> Columns:
    """The guesses without those that only rename colors nobody has guessed yet.

    Exchanging two such colors changes no part size and turns candidates into candidates, so of each
    family of renamed guesses the tie rule could only take the first in code order: the one whose fresh
    colors appear in rising order without a gap.
    """
    guessed = {color for turn in position.history for color in turn.guess}
    fresh = [color for color in range(position.rules.colors) if color not in guessed]
    if len(fresh) < 2:
        return guesses
    ranks = np.full(position.rules.colors, -1, dtype=np.int32)
    ranks[fresh] = np.arange(len(fresh), dtype=np.int32)
    return take(guesses, _in_order(guesses, ranks))


@kernel
def _in_order(columns: Columns, ranks: NDArray[np.int32]) -> Places:
    """The places of codes whose colors of rank 0, 1, 2, ... first appear in that order; -1 is no matter."""
    places = np.empty(columns.shape[1], np.int32)
    kept = 0
    for i in range(columns.shape[1]):
        following = 0
        for peg in range(columns.shape[0]):
            rank = ranks[columns[peg, i]]
            if rank > following:
                following = -1
                break
            if rank == following:
                following += 1
        if following >= 0:
            places[kept] = i
            kept += 1
    return places[:kept]
