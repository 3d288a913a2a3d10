"""Strategy trees of the least total, built from the results of a solver."""

import numpy as np

from evilpegs_game.codes import Code, Columns, column_code
from evilpegs_game.feedback import Feedback, feedback, feedbacks
from evilpegs_game.optimal.solver import TotalSolver
from evilpegs_game.partition import Indices
from evilpegs_game.trees.tree import Node


def build_small_node(columns: Columns) -> Node:
    """Return the tree for one or two codes: it guesses the first, then the second."""
    first, *others = [column_code(columns, index) for index in range(columns.shape[1])]
    return Node(first, {feedback(first, other): Node(other, {}) for other in others})


class TreeBuilder:
    """A builder of optimal strategy trees for subsets of the guess matrix of ``solver``."""

    def __init__(self, solver: TotalSolver) -> None:
        self._solver = solver
        self._matrix = solver.matrix
        self._feedbacks = feedbacks(self._matrix.code_space.rules.pegs)

    def build(self, indices: Indices, limit: int, guess: Code | None = None) -> Node:
        """Return a tree of the least total for the codes at ``indices``, at most ``limit`` guesses high.

        ``guess`` is a first guess known to attain the least total; without it, a code of the set is preferred.
        """
        if indices.size <= 2:
            return build_small_node(np.ascontiguousarray(self._matrix.columns[:, indices]))
        number = self._find_guess(indices, limit) if guess is None else self._matrix.guess_index(guess)
        numbers = self._matrix.tables.by_guess[number, indices]
        children: dict[Feedback, Node] = {}
        for one in np.unique(numbers).tolist():
            if one != self._matrix.tables.all_black:
                children[self._feedbacks[one]] = self.build(indices[numbers == one], limit - 1)
        return Node(self._matrix.guess_code(number), children)

    def _find_guess(self, indices: Indices, limit: int) -> int:
        total = self._solver.solve(indices, limit).upper
        return self._solver.find_guess(indices, limit, total)
