"""The strategy `optimal`: the fewest guesses on average that any strategy can need."""

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import ClassVar, Final

from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_clients.strategies.tree_strategy import TreeStrategy, tree_text
from evilpegs_game.codes import Code
from evilpegs_game.errors import GameError, OverBudgetError, TooLargeError
from evilpegs_game.guessing.criteria import MOST_PARTS
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.least_total import LeastTotal
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import parse_tree

# of the optimal trees in the package, each in a file named after its rules
TREES: Final = files("evilpegs_clients").joinpath("strategies", "trees")
# feedback evaluations per choice without a tree: some seconds, and four times those of a first guess on 4x6
MAX_WORK: Final = 10**9
MAX_FIRST_CODES: Final = 1296  # on larger rules, `MAX_WORK` would not suffice to search the first guess


@dataclass(frozen=True, slots=True)
class Optimal:
    """A strategy with the fewest guesses in total if each code is the secret once: 5625 on 4x6.

    Source: K. Koyama and T. W. Lai, An optimal Mastermind strategy, J. of Recreational Mathematics 25 (1993).

    The guess comes from a strategy tree in the package: ``evilpegs solve`` proved that those have the fewest guesses,
    and docs/trees.md lists them. If there is none, or an earlier guess differs from the tree's,
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

    def choose(self, position: Position, rng: Random) -> Code:
        """Choose the guess at ``position``.

        Raises:
            OverBudgetError: The search for a first guess takes more feedback evaluations than the ``work`` of this
                strategy, or `most-parts` has to choose and the budget of the position is too small for it.
            TooLargeError: There are too many codes or pegs to search at all.
        """
        tree = shipped_tree(position.rules) if self.uses_trees and not self.candidates_only else None
        if tree is not None:
            with suppress(StrategyError):  # an earlier guess differs
                return tree.choose(position, rng)
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
            f"the package has no optimal tree of {position.rules}, and its {position.rules.size:,} codes are more than "
            f"the {MAX_FIRST_CODES:,} that are searched"
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


# the last few, because 5x6 takes 3 MB
@lru_cache(maxsize=4)
def shipped_tree(rules: Rules) -> TreeStrategy | None:
    """Return the optimal tree of ``rules`` in the package; None if it has none."""
    file = TREES / f"{rules}.tree.gz"
    return TreeStrategy(parse_tree(tree_text(file.read_bytes()))) if file.is_file() else None
