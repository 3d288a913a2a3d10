"""The strategy `optimal`: the fewest guesses on average that any strategy needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from types import MappingProxyType
from typing import ClassVar, Final

from evilpegs_game.codes import Code
from evilpegs_game.errors import GameError, OverBudgetError, TooLargeError
from evilpegs_game.guessing.criteria import MOST_PARTS
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.history import History
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.least_total import LeastTotal
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import Node, parse_tree

SHIPPED: Final[Mapping[Rules, str]] = MappingProxyType(
    {Rules(4, 4): "4x4.tree", Rules(4, 5): "4x5.tree", Rules(4, 6): "4x6.tree"}
)
"""Rules with a tree in the package, and its file."""

WORK: Final = 10**9
"""Feedbacks looked at for one choice that no tree has, at most: some seconds. All of 4x6 takes a quarter of it."""

FIRST_CODES: Final = 1296
"""Codes of rules whose first guess is searched for; with more it would take over `WORK` in vain."""


@dataclass(frozen=True, slots=True)
class Optimal:
    """Plays from a tree with the least total of guesses over all codes: 5625 on 4x6.

    K. Koyama and T. W. Lai, An optimal Mastermind strategy, J. of Recreational Mathematics 25 (1993). Where the package
    has no tree, and after other guesses than a tree's, it takes the best guess against the live set, found by search.
    Where that is out of reach it takes that of most-parts; but if it has all the time for a first guess, it says that
    optimal play of such rules is not known. With ``candidates_only`` it takes the candidate after which the least is
    needed, or most-parts' where there are too many.
    """

    name: ClassVar[str] = "optimal"
    uses_rng: ClassVar[bool] = False
    candidates_only: bool = False
    work: int = WORK
    """The most feedbacks looked at for one choice that no tree has."""
    uses_trees: bool = True
    """False to search even where the package has a tree."""

    def choose(self, position: Position, rng: Random) -> Code:  # noqa: ARG002
        """The guess.

        Raises:
            OverBudgetError: a first guess takes more than ``work``, or the budget is too small even for most-parts.
            TooLargeError: there are too many codes or pegs to search at all.
        """
        node = _node(position.rules, position.history) if self.uses_trees and not self.candidates_only else None
        if node is not None:
            return node.guess
        try:
            best = _best_candidate if self.candidates_only else _best
            return best(position, self._work(position))
        except (OverBudgetError, TooLargeError) as error:
            if not position.history and position.budget is None and not self.candidates_only:
                raise _unknown(position, error, self._work(position)) from None
            return best_guess(position, MOST_PARTS, self.candidates_only)

    def _work(self, position: Position) -> int:
        return self.work if position.budget is None else min(self.work, position.budget)


def _best(position: Position, work: int) -> Code:
    # What was found before would save work, and so decide what is out of reach: each choice begins anew.
    if not position.history and position.rules.size > FIRST_CODES:
        message = (
            f"{position.rules} has {position.rules.size:,} codes; optimal play is known for {FIRST_CODES:,} at most"
        )
        raise TooLargeError(message)
    return LeastTotal(position.rules).best_guess(position.candidates, work)


def _best_candidate(position: Position, work: int) -> Code:
    least_total = LeastTotal(position.rules)
    share = work // position.count
    guesses = map(position.candidate, range(position.count))
    return min(guesses, key=lambda guess: least_total.total_after(position.candidates, guess, share))


def _unknown(position: Position, error: GameError, work: int) -> GameError:
    """What to say where a first guess cannot be found."""
    why = str(error)
    if isinstance(error, OverBudgetError):
        why = f"optimal play on {position.rules} takes more than {work:,} feedback evaluations to find"
    return type(error)(f"{why}; play most-parts, or sampled, instead")


def _node(rules: Rules, history: History) -> Node | None:
    """Where the history leads in the tree of the rules; None if they have none, or after a guess of another's."""
    node = _root(rules) if rules in SHIPPED else None
    for guess, given in history:
        if node is None or node.guess != guess:
            return None
        node = node.children.get(given)
    return node


@cache
def _root(rules: Rules) -> Node:
    text = files("evilpegs_clients").joinpath("strategies", "trees", SHIPPED[rules]).read_text(encoding="utf-8")
    return parse_tree(text).root
