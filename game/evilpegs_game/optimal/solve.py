"""Optimal play: the strategy trees of the least total of guesses over all codes, found and proved.

The total of a set of codes is the sum over its codes of the guesses, the winning one included, that a codebreaker
needs who plays perfectly for that sum; any code of the rules is a legal guess. It is found by branch and bound: see
`evilpegs_game.optimal`. Sources: K. Koyama and T. W. Lai, An optimal Mastermind strategy, Journal of Recreational
Mathematics 25 (1993); G. Ville, An Optimal Mastermind (4,7) Strategy and More Results in the Expected Case (2013).
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from evilpegs_game.codemakers.size_bounds import least_possible_total, max_codes_within
from evilpegs_game.codes import all_codes, format_code
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import all_black
from evilpegs_game.optimal.first_guesses import Openings, Progress
from evilpegs_game.optimal.guess_matrix import Ground
from evilpegs_game.optimal.least_total import LeastTotal
from evilpegs_game.optimal.proof_log import Journal
from evilpegs_game.optimal.search_state import NEVER, UNLIMITED, stack_bytes
from evilpegs_game.optimal.totals_table import ENTRY_BYTES, Totals, new_totals
from evilpegs_game.optimal.tuning import DEFAULT, Tuning
from evilpegs_game.partition import split
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import Tree, format_tree

__all__ = ["Cost", "LeastTotal", "Objective", "Progress", "Solution", "least_possible_total", "solve", "solve_cost"]

Objective = Literal["mean", "worst"]
"""What is least: the total of guesses; or the guesses for the worst code, and then the total."""

_FEW_CODES: Final = 256
_SOME_CODES: Final = 1500


@dataclass(frozen=True, slots=True, repr=False)
class Solution:
    """A strategy tree, its total and worst case, and what is proved.

    No tree at all has a total under ``lower``; or, for the objective ``worst``, none of its worst case, and none has a
    better one.
    """

    tree: Tree
    total: int
    max: int
    lower: int

    def __repr__(self) -> str:
        rules = self.tree.rules
        needed = f"{self.total:,} guesses for {rules.size:,} codes, mean {self.mean:.4f}, at most {self.max}"
        return f"<Solution of {rules}: {needed}, {'proved' if self.is_proved else f'at least {self.lower:,}'}>"

    @property
    def mean(self) -> float:
        """The mean number of guesses over all codes."""
        return self.total / self.tree.rules.size

    @property
    def is_proved(self) -> bool:
        """True if there is no better tree."""
        return self.lower == self.total

    def to_json(self) -> dict[str, Any]:
        """Return the solution as a JSON object; ``tree`` is the text form of the tree."""
        return {
            "rules": str(self.tree.rules),
            "first": format_code(self.tree.root.guess),
            "codes": self.tree.rules.size,
            "total": self.total,
            "mean": self.mean,
            "max": self.max,
            "lower": self.lower,
            "proved": self.is_proved,
            "tree": format_tree(self.tree),
        }


class Cost(NamedTuple):
    """What solving takes: first guesses that differ, codes in the largest part of one, and bytes."""

    first_guesses: int
    largest_part: int
    memory: int


def solve_cost(rules: Rules, threads: int = 1) -> Cost:
    """What `solve` takes, known before it is spent.

    Raises:
        TooLargeError: it does not fit.
    """
    ground = Ground(rules)
    return _cost(ground, Openings(ground, ground.every, new_totals(4)), threads)


def solve(
    rules: Rules,
    objective: Objective = "mean",
    threads: int = 1,
    journal: Journal | None = None,
    progress: Callable[[Progress], None] | None = None,
    tuning: Tuning = DEFAULT,
) -> Solution:
    """Find the best tree for all codes of ``rules`` and prove that it is.

    ``journal`` holds what was found out before and gets what is found out; ``progress`` is told of bounds as they
    tighten, and called often. Which of several best trees it is may depend on both, and on chance if there are several
    ``threads``. ``tuning`` bounds time and memory and changes no total.

    Raises:
        TooLargeError: it does not fit.
    """
    ground = Ground(rules, tuning)
    totals = new_totals(_entries(ground))
    limits = [UNLIMITED] if objective == "mean" else range(_least_height(rules), rules.size + 1)
    solutions = (_solve_within(ground, totals, limit, threads, journal, progress) for limit in limits)
    return next(solution for solution in solutions if solution)


def _solve_within(
    ground: Ground,
    totals: Totals,
    limit: int,
    threads: int,
    journal: Journal | None,
    progress: Callable[[Progress], None] | None,
) -> Solution | None:
    """The best tree within ``limit`` guesses; None if there is none."""
    openings = Openings(ground, ground.every, totals, limit, journal, threads, progress)
    _cost(ground, openings, threads)
    best = openings.prove()
    if progress:
        progress(openings.progress)
    if best.upper == NEVER:
        return None
    tree = openings.tree(best)
    distribution = _distribution(tree)
    total = sum(guesses * codes for guesses, codes in distribution.items())
    return Solution(tree, total, max(distribution), openings.lower)


def _distribution(tree: Tree) -> Counter[int]:
    """How many codes are found with the first guess, the second and so on: what the tree does, not what was proved."""
    found: Counter[int] = Counter()
    waiting = [(1, tree.root, all_codes(tree.rules))]
    while waiting:
        guesses, node, columns = waiting.pop()
        for given, part in split(columns, node.guess):
            if given == all_black(tree.rules.pegs):
                found[guesses] += 1
            else:
                waiting.append((guesses + 1, node.children[given], part))
    return found


def _cost(ground: Ground, openings: Openings, threads: int) -> Cost:
    largest, guesses = openings.largest_part, ground.rules.size
    frame = largest * guesses + ground.frame_bytes(largest, guesses)
    bound = ground.tuning.max_frame_bytes
    if frame > bound:
        message = (
            f"{largest:,} codes of {ground.rules}, which one first guess leaves, are too many for optimal play: "
            f"they take {frame:,} bytes, the bound is {bound:,}"
        )
        raise TooLargeError(message, needed=frame, bound=bound)
    stacks = (threads - 1) * stack_bytes(largest, guesses, ground.tuning)
    return Cost(len(openings.openings), largest, _entries(ground) * ENTRY_BYTES + openings.bytes + frame + stacks)


def _entries(ground: Ground) -> int:
    """Return the entries of the table of totals: as many as were needed, or 100 MB of them."""
    if ground.tuning.entries is not None:
        return ground.tuning.entries
    rules = ground.rules
    return 1 << (16 if rules.size <= _FEW_CODES else 20 if rules.size <= _SOME_CODES else 22)


def _least_height(rules: Rules) -> int:
    """No tree is lower."""
    return next(guesses for guesses, most in enumerate(max_codes_within(rules)) if most >= rules.size)
