"""The strategy `optimal`: the fewest guesses on average that any strategy can need."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from types import MappingProxyType
from typing import ClassVar, Final

from evilpegs_game.codes import Code
from evilpegs_game.errors import GameError, OverBudgetError, TooLargeError
from evilpegs_game.feedback import History
from evilpegs_game.guessing.criteria import MOST_PARTS
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.least_total import LeastTotal
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import Node, parse_tree

TREE_FILES: Final[Mapping[Rules, str]] = MappingProxyType(
    {Rules(4, 4): "4x4.tree", Rules(4, 5): "4x5.tree", Rules(4, 6): "4x6.tree"}
)
"""The strategy trees that are part of the package."""

MAX_WORK: Final = 10**9
"""Feedback evaluations per choice without a strategy tree; they take some seconds.

A choice with all codes of 4x6 still possible takes a quarter of them.
"""

MAX_FIRST_CODES: Final = 1296
"""On larger rules, `MAX_WORK` would not suffice to search the first guess."""


@dataclass(frozen=True, slots=True)
class Optimal:
    """A strategy with the fewest guesses in total if each code is the secret once: 5625 on 4x6.

    Source: K. Koyama and T. W. Lai, An optimal Mastermind strategy, J. of Recreational Mathematics 25 (1993).

    The guess comes from a strategy tree in the package. If there is none, or an earlier guess differs from the tree's,
    the best guess against the candidates is searched. If the search takes too much work, the guess is that of
    `most-parts`; but if it is a first guess and the position has no budget, an error is raised, because optimal play of
    the rules is not known. With ``candidates_only`` the guess is the candidate after which the fewest guesses are
    needed, or the guess of `most-parts` if there are too many candidates.
    """

    name: ClassVar[str] = "optimal"
    uses_rng: ClassVar[bool] = False
    candidates_only: bool = False
    work: int = MAX_WORK
    """Feedback evaluations per choice without a tree; a smaller budget of the position applies."""
    uses_trees: bool = True
    """False to search even if the package has a tree."""

    def choose(self, position: Position, rng: Random) -> Code:  # noqa: ARG002
        """Choose the guess at ``position``.

        Raises:
            OverBudgetError: The search for a first guess takes more feedback evaluations than the ``work`` of this
                strategy, or `most-parts` has to choose and the budget of the position is too small for it.
            TooLargeError: There are too many codes or pegs to search at all.
        """
        node = _tree_node(position.rules, position.history) if self.uses_trees and not self.candidates_only else None
        if node is not None:
            return node.guess
        try:
            best = _find_best_candidate if self.candidates_only else _find_best
            return best(position, self._work(position))
        except (OverBudgetError, TooLargeError) as error:
            if not position.history and position.budget is None and not self.candidates_only:
                raise _unknown_play_error(position, error, self._work(position)) from None
            return best_guess(position, MOST_PARTS, self.candidates_only)

    def _work(self, position: Position) -> int:
        return self.work if position.budget is None else min(self.work, position.budget)


def _find_best(position: Position, work: int) -> Code:
    # Each choice begins with a new solver. Earlier results would save work, and the choice would depend on them.
    if not position.history and position.rules.size > MAX_FIRST_CODES:
        raise TooLargeError(
            f"{position.rules} has {position.rules.size:,} codes; optimal play is known for {MAX_FIRST_CODES:,} at most"
        )
    return LeastTotal(position.rules).best_guess(position.candidates, work)


def _find_best_candidate(position: Position, work: int) -> Code:
    least_total = LeastTotal(position.rules)
    share = work // position.count
    guesses = map(position.candidate, range(position.count))
    return min(guesses, key=lambda guess: least_total.total_after(position.candidates, guess, share))


def _unknown_play_error(position: Position, error: GameError, work: int) -> GameError:
    why = str(error)
    if isinstance(error, OverBudgetError):
        why = f"optimal play on {position.rules} takes more than {work:,} feedback evaluations to find"
    return type(error)(f"{why}; play most-parts, or sampled, instead")


def _tree_node(rules: Rules, history: History) -> Node | None:
    node = _tree_root(rules) if rules in TREE_FILES else None
    for guess, feedback in history:
        if node is None or node.guess != guess:
            return None
        node = node.children.get(feedback)
    return node


@cache
def _tree_root(rules: Rules) -> Node:
    text = files("evilpegs_clients").joinpath("strategies", "trees", TREE_FILES[rules]).read_text(encoding="utf-8")
    return parse_tree(text).root
