"""Strategy trees of the least total: for each set of codes a guess that attains it, and so on for what it leaves."""

import numpy as np

from evilpegs_game.codes import Code, Columns, column_code
from evilpegs_game.feedback import Feedback, feedback, feedbacks
from evilpegs_game.optimal.solver import Searcher
from evilpegs_game.partition import Places
from evilpegs_game.trees.tree import Node


def short_node(columns: Columns) -> Node:
    """The tree for one code or two."""
    first, *others = [column_code(columns, place) for place in range(columns.shape[1])]
    return Node(first, {feedback(first, other): Node(other, {}) for other in others})


class Planner:
    """Makes trees for subsets of a frame."""

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher
        self._frame = searcher.frame
        self._feedbacks = feedbacks(self._frame.ground.rules.pegs)

    def node(self, places: Places, limit: int, guess: Code | None = None) -> Node:
        """The tree for the codes at ``places``: no higher than ``limit``, and of the least total.

        ``guess`` is one known to attain it; by default the first that does, codes of the set before others.
        """
        if places.size <= 2:
            return short_node(np.ascontiguousarray(self._frame.columns[:, places]))
        number = self._best(places, limit) if guess is None else self._frame.guess_number(guess)
        given = self._frame.board.by_guess[number, places]
        parts = {self._feedbacks[other]: places[given == other] for other in np.unique(given).tolist()}
        children: dict[Feedback, Node] = {}
        for reply, part in parts.items():
            if reply != self._feedbacks[-1]:
                children[reply] = self.node(part, limit - 1)
        return Node(self._frame.code(number), children)

    def _best(self, places: Places, limit: int) -> int:
        total = self._searcher.least(places, limit).upper
        return self._searcher.first_best(places, limit, total)
