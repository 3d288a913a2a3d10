"""Optimal play: the strategy tree of the least total over all codes, found and proved.

Sources: K. Koyama and T. W. Lai, An optimal Mastermind strategy, Journal of Recreational Mathematics 25 (1993); G.
Ville, An Optimal Mastermind (4,7) Strategy and More Results in the Expected Case (2013).
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from evilpegs_game.codemakers.small_sets import max_codes_within
from evilpegs_game.codes import all_codes, format_code
from evilpegs_game.displays import Html, html_caption, html_pegs, html_table, show_marks
from evilpegs_game.errors import check_bound
from evilpegs_game.feedback import all_black
from evilpegs_game.optimal.first_guesses import FirstGuesses, Progress
from evilpegs_game.optimal.guess_matrix import CodeSpace
from evilpegs_game.optimal.proof_log import ProofLog
from evilpegs_game.optimal.search_state import (
    DEFAULT,
    ENTRY_BYTES,
    NEVER,
    UNLIMITED,
    TotalsTable,
    Tuning,
    new_totals,
    stack_bytes,
)
from evilpegs_game.partition import split
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import Tree, format_tree

Objective = Literal["mean", "worst"]
"""``mean``: the least total; ``worst``: the fewest guesses for the worst code, and then the least total."""

_FEW_CODES: Final = 256
_SOME_CODES: Final = 1500


@dataclass(frozen=True, slots=True, repr=False)
class Solution:
    """A strategy tree for all codes of some rules, the guesses that it takes, and a proved lower bound.

    ``total`` is the sum of the guesses of ``tree`` over all codes, and ``max`` the most guesses for any code. It is
    proved that no tree has a total under ``lower``. With the objective ``worst``, this holds for all trees with the
    worst case ``max``, and no tree has a better worst case.

    >>> import evilpegs
    >>> solution = evilpegs.solve("3x3")
    >>> solution.total, solution.max, solution.is_proved
    (73, 4, True)
    """

    tree: Tree
    total: int
    max: int
    lower: int

    def __repr__(self) -> str:
        rules = self.tree.rules
        needed = f"{self.total:,} guesses for {rules.size:,} codes, mean {self.mean:.4f}, at most {self.max}"
        return f"<Solution of {rules}: {needed}, {'proved' if self.is_proved else f'at least {self.lower:,}'}>"

    def _repr_html_(self) -> Html:
        root, pegs = self.tree.root, self.tree.rules.pegs
        replies = sorted(root.children.items(), reverse=True)
        rows = [
            ("" if row else html_pegs(root.guess), show_marks(feedback, pegs), html_pegs(node.guess))
            for row, (feedback, node) in enumerate(replies)
        ]
        return html_table(html_caption(self), ("first guess", "feedback", "second guess"), rows)

    @property
    def mean(self) -> float:
        """The mean number of guesses per code."""
        return self.total / self.tree.rules.size

    @property
    def is_proved(self) -> bool:
        """True if it is proved that no tree is better: ``total`` equals ``lower``."""
        return self.lower == self.total

    def to_json(self) -> dict[str, Any]:
        """Return the solution as a JSON object.

        ``first`` is the first guess and ``tree`` the tree as text, ``codes`` the number of codes, and ``proved`` is
        `is_proved`; the other keys are fields and properties.
        """
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


class SolveCost(NamedTuple):
    """The cost of `solve`: first guesses to compare, codes in the largest part of one of them, and bytes."""

    first_guesses: int
    largest_part: int
    memory: int


def solve_cost(rules: Rules, threads: int = 1) -> SolveCost:
    """Return the cost of `solve` without solving anything; raises TooLargeError as `solve` does."""
    space = CodeSpace(rules)
    return _cost(space, FirstGuesses(space, space.columns, new_totals(4)), threads)


def solve(
    rules: Rules,
    objective: Objective = "mean",
    threads: int = 1,
    proof_log: ProofLog | None = None,
    progress: Callable[[Progress], None] | None = None,
    tuning: Tuning = DEFAULT,
) -> Solution:
    """Find the best strategy tree for all codes of ``rules`` and prove that there is no better one.

    ``proof_log`` is read and extended. ``progress`` is called often, as the bounds tighten. If several trees are best,
    the one returned may depend on ``proof_log`` and ``tuning``, and on timing if there are several ``threads``. Raises
    TooLargeError also if one part needs more memory than `Tuning.max_matrix_bytes`.
    """
    space = CodeSpace(rules, tuning)
    totals = new_totals(_table_entries(space))
    least_height = bisect_left(max_codes_within(rules), rules.size)
    limits = [UNLIMITED] if objective == "mean" else range(least_height, rules.size + 1)
    solutions = (_solve_within(space, totals, limit, threads, proof_log, progress) for limit in limits)
    return next(solution for solution in solutions if solution)


def _solve_within(
    space: CodeSpace,
    totals: TotalsTable,
    limit: int,
    threads: int,
    proof_log: ProofLog | None,
    progress: Callable[[Progress], None] | None,
) -> Solution | None:
    first_guesses = FirstGuesses(space, space.columns, totals, limit, proof_log, threads, progress)
    _cost(space, first_guesses, threads)
    best = first_guesses.prove()
    if progress:
        progress(first_guesses.progress)
    if best.upper == NEVER:
        return None
    tree = first_guesses.tree(best)
    distribution = _distribution(tree)
    total = sum(guesses * codes for guesses, codes in distribution.items())
    return Solution(tree, total, max(distribution), first_guesses.lower)


def _distribution(tree: Tree) -> Counter[int]:
    # the tree is played for every code, so that the result does not depend on the proof
    distribution: Counter[int] = Counter()
    waiting = [(1, tree.root, all_codes(tree.rules))]
    while waiting:
        guesses, node, columns = waiting.pop()
        for feedback, part in split(columns, node.guess):
            if feedback == all_black(tree.rules.pegs):
                distribution[guesses] += 1
            else:
                waiting.append((guesses + 1, node.children[feedback], part))
    return distribution


def _cost(space: CodeSpace, first_guesses: FirstGuesses, threads: int) -> SolveCost:
    largest, guesses = first_guesses.largest_part, space.rules.size
    matrix = largest * guesses + space.matrix_bytes(largest, guesses)
    bound = space.tuning.max_matrix_bytes
    what = f"one first guess leaves {largest:,} codes of {space.rules}, too many for optimal play"
    check_bound(matrix, bound, f"{what}: they take {matrix:,} bytes, the limit is {bound:,}")
    stacks = (threads - 1) * stack_bytes(largest, guesses, space.tuning)
    memory = _table_entries(space) * ENTRY_BYTES + first_guesses.bytes + matrix + stacks
    return SolveCost(len(first_guesses.guesses), largest, memory)


def _table_entries(space: CodeSpace) -> int:
    if space.tuning.table_entries is not None:
        return space.tuning.table_entries
    codes = space.rules.size
    return 1 << (16 if codes <= _FEW_CODES else 20 if codes <= _SOME_CODES else 22)  # at most 100 MB
