"""First guesses for a large set of codes: bounds of the total after each, tightened until the least total is proved.

Symmetries of the set map some first guesses to each other; only one of these is compared. Each feedback to a first
guess leaves a subproblem: the least total of the codes that give this feedback. First all subproblems are solved
roughly, with few guesses tried per set, for a good upper bound. Then the subproblems of each first guess that may still
be the best are solved exactly; threads share the guesses for a large part.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evilpegs_game.codemakers.small_sets import WorkBudget, least_total_table
from evilpegs_game.codes import Code, Columns, column_code
from evilpegs_game.feedback import Feedback, all_black, feedbacks, plain_feedback
from evilpegs_game.optimal.guess_matrix import CodeSpace, GuessMatrix, entry_guess
from evilpegs_game.optimal.proof_log import KnownBounds, ProofLog, Subproblem
from evilpegs_game.optimal.search_state import NEVER, SHARED, UNLIMITED, TotalsTable, new_record
from evilpegs_game.optimal.solver import SUBJECT, TotalBounds, TotalSolver, try_in_threads
from evilpegs_game.partition import Indices, split
from evilpegs_game.trees.tree import Node, Tree


def build_small_node(columns: Columns) -> Node:
    """Return the tree for one or two codes: it guesses the first, then the second."""
    first, *others = [column_code(columns, index) for index in range(columns.shape[1])]
    return Node(first, {plain_feedback(first, other): Node(other, {}) for other in others})


def build_node(solver: TotalSolver, indices: Indices, limit: int, guess: Code | None = None) -> Node:
    """Return a tree of the least total for the codes at ``indices``, at most ``limit`` guesses high.

    ``guess`` is a first guess known to attain the least total; without it, a code of the set is preferred.
    """
    matrix = solver.matrix
    if indices.size <= 2:
        return build_small_node(np.ascontiguousarray(matrix.columns[:, indices]))
    if guess is None:
        number = solver.find_guess(indices, limit, solver.solve(indices, limit).upper)
    else:
        number = matrix.guess_index(guess)
    numbers = matrix.tables.by_guess[number, indices]
    answers = feedbacks(matrix.code_space.rules.pegs)
    children: dict[Feedback, Node] = {}
    for one in np.unique(numbers).tolist():
        if one != matrix.tables.all_black:
            children[answers[one]] = build_node(solver, indices[numbers == one], limit - 1)
    return Node(matrix.guess_code(number), children)


class Progress(NamedTuple):
    """Bounds proved so far on the least total with at most ``within`` guesses per code; None allows any number.

    ``upper`` is None if no tree is known, ``lower`` if it is proved that ``within`` guesses are not enough.
    """

    within: int | None
    lower: int | None
    upper: int | None


@dataclass(slots=True)
class FirstGuessPart:
    """The codes that give one feedback to a first guess, and bounds on the guesses after that first one."""

    subproblem: Subproblem
    columns: Columns
    bounds: KnownBounds

    @property
    def codes(self) -> int:
        return int(self.columns.shape[1])

    @property
    def is_exact(self) -> bool:
        """True also if it is proved that the guesses allowed are not enough."""
        return self.bounds.lower >= self.bounds.upper


@dataclass(frozen=True, slots=True)
class FirstGuess:
    """A first guess, the number of codes before it, and its parts in ascending order of size, without all-black."""

    guess: Code
    codes: int
    parts: list[FirstGuessPart]

    @property
    def lower(self) -> int:
        """A lower bound of the total of every tree that begins with the guess, `NEVER` if proved impossible."""
        return min(NEVER, self.codes + sum(part.bounds.lower for part in self.parts))

    @property
    def upper(self) -> int:
        """The least total of any known tree that begins with the guess, else `NEVER`."""
        return min(NEVER, self.codes + sum(part.bounds.upper for part in self.parts))


class FirstGuesses:
    """The first guesses to compare for a large set of codes, and the known bounds of each.

    ``columns`` and ``guesses`` are in code order. ``totals`` and ``proof_log`` are read and extended. ``limit`` is the
    most guesses that a tree may take for any code. ``report`` is called each time a bound is proved. Use a ``budget``
    (in feedback evaluations) with one thread only, because each of several threads could do all the work that is left.
    `prove`, `solve` and `tree` raise TooLargeError as `GuessMatrix` does.
    """

    def __init__(
        self,
        code_space: CodeSpace,
        columns: Columns,
        totals: TotalsTable,
        limit: int = UNLIMITED,
        proof_log: ProofLog | None = None,
        threads: int = 1,
        report: Callable[[Progress], None] | None = None,
        budget: WorkBudget | None = None,
    ) -> None:
        self._code_space = code_space
        self._totals = totals
        self.limit = limit
        self._proof_log = ProofLog(code_space.rules) if proof_log is None else proof_log
        self._threads = threads
        self._report = report
        self._budget = WorkBudget(None, SUBJECT) if budget is None else budget
        self._least_totals = least_total_table(code_space.max_parts, columns.shape[1])[code_space.max_parts]
        self._matrices: dict[Subproblem, GuessMatrix] = {}
        possible = [self._first_guess(guess, columns) for guess in code_space.first_guesses(columns)]
        self.guesses = [first for first in possible if first]

    @property
    def bytes(self) -> int:
        """An upper bound on the bytes of all guess matrices that are kept."""
        parts, space = (part for first in self.guesses for part in first.parts), self._code_space
        return min(space.tuning.kept_bytes, sum(space.matrix_bytes(part.codes, space.rules.size) for part in parts))

    def _first_guess(self, guess: Code, columns: Columns) -> FirstGuess | None:
        codes, below = int(columns.shape[1]), self.limit - (self.limit != UNLIMITED)
        parts = []
        for answer, part in split(columns, guess):
            if answer != all_black(self._code_space.rules.pegs):
                if part.shape[1] == codes:
                    return None  # every code gives the same feedback
                subproblem = Subproblem(below, guess, answer)
                parts.append(FirstGuessPart(subproblem, part, self._initial_bounds(subproblem, part.shape[1])))
        return FirstGuess(guess, codes, sorted(parts, key=lambda part: part.codes))

    def _initial_bounds(self, subproblem: Subproblem, codes: int) -> KnownBounds:
        max_codes = self._code_space.max_codes
        if codes > max_codes[min(subproblem.limit, max_codes.size - 1)]:
            return KnownBounds(NEVER, NEVER)
        if codes <= 2:
            return KnownBounds(2 * codes - 1, 2 * codes - 1)
        return self._proof_log.known.get(subproblem, KnownBounds(int(self._least_totals[codes])))

    @property
    def lower(self) -> int:
        """A proved lower bound of the total, `NEVER` if it is proved that ``limit`` is not enough."""
        return min(first.lower for first in self.guesses)

    @property
    def progress(self) -> Progress:
        lower, upper = self.lower, self.best.upper
        within = None if self.limit == UNLIMITED else self.limit
        return Progress(within, None if lower == NEVER else lower, None if upper == NEVER else upper)

    @property
    def best(self) -> FirstGuess:
        """The first guess of the best known tree."""
        return min(self.guesses, key=lambda first: first.upper)

    @property
    def largest_part(self) -> int:
        """The number of codes in the largest part of any first guess."""
        return max((part.codes for first in self.guesses for part in first.parts), default=0)

    def prove(self) -> FirstGuess:
        """Return a first guess with the least total, after proving that no other has less; raises OverBudgetError.

        If no tree keeps within ``limit`` guesses per code, that is proved instead: the upper bound is `NEVER`.
        """
        for first in sorted(self.guesses, key=lambda first: first.lower):
            if first.lower < self.best.upper:
                self._solve_roughly(first)
        for first in sorted(self.guesses, key=lambda first: first.upper):
            self.solve(first, self.best.upper)
        return self.best

    def solve(self, first: FirstGuess, upper: int) -> int:
        """Return the least total of the trees that begin with ``first`` if it is less than ``upper``.

        Otherwise return a proved lower bound of it, which is at least ``upper``. Raises OverBudgetError.
        """
        for part in first.parts:
            if first.lower >= upper:
                break
            if not part.is_exact:
                self._solve_part(part, upper - (first.lower - part.bounds.lower))
                self._call_report()
        return first.lower

    def _solve_roughly(self, first: FirstGuess) -> None:
        for part in first.parts:
            if part.bounds.upper == NEVER > part.bounds.lower:
                matrix = self._matrix(part)
                solver = self._solver(matrix)
                width = self._code_space.tuning.rough_width
                self._record(part, matrix, solver.solve(matrix.all_indices, part.subproblem.limit, width=width))
                self._budget.spend(solver.work)
        self._call_report()

    def _solve_part(self, part: FirstGuessPart, upper: int) -> None:
        matrix = self._matrix(part)
        if part.codes < self._code_space.tuning.shared_codes:
            solver = self._solver(matrix)
            self._record(part, matrix, solver.solve(matrix.all_indices, part.subproblem.limit, upper))
            self._budget.spend(solver.work)
        else:
            self._solve_in_threads(part, matrix, min(upper, part.bounds.upper))

    def _solve_in_threads(self, part: FirstGuessPart, matrix: GuessMatrix, upper: int) -> None:
        limit, tried = part.subproblem.limit, self._proof_log.tried.setdefault(part.subproblem, {})
        shared = new_record(SHARED, upper=upper)
        first = self._solver(matrix, shared)
        entries = matrix.first_of_each_orbit(first.list_guesses(matrix.all_indices, limit, upper))
        left = [entry for entry in entries if tried.get(matrix.guess_code(entry_guess(entry)), 0) < upper]
        solvers = [first, *(self._solver(matrix, shared) for _ in range(min(self._threads, len(left)) - 1))]
        with try_in_threads(solvers, left, limit, shared) as results:
            for entry, bounds in results:
                if bounds.upper < part.bounds.upper:
                    self._record(part, matrix, bounds._replace(lower=part.bounds.lower))
                elif bounds.guess is None:
                    tried[matrix.guess_code(entry_guess(entry))] = bounds.lower
                self._call_report()
        self._budget.spend(sum(solver.work for solver in solvers))
        # ``upper`` may be the total of a tree that is known already
        proved = TotalBounds(min(upper, part.bounds.upper), part.bounds.upper)
        self._record(part, matrix, proved)
        first.begin(matrix.all_indices, limit, upper)
        first.conclude(proved, TotalBounds(proved.lower, NEVER))
        del self._proof_log.tried[part.subproblem]

    def _call_report(self) -> None:
        if self._report:
            self._report(self.progress)

    def _solver(self, matrix: GuessMatrix, shared: np.record | None = None) -> TotalSolver:
        return TotalSolver(matrix, self._totals, shared, self._budget)

    def _record(self, part: FirstGuessPart, matrix: GuessMatrix, bounds: TotalBounds) -> None:
        old = part.bounds
        guess = old.guess if bounds.upper >= old.upper or bounds.guess is None else matrix.guess_code(bounds.guess)
        part.bounds = KnownBounds(max(old.lower, bounds.lower), min(old.upper, bounds.upper), guess)
        self._proof_log.known[part.subproblem] = part.bounds

    def tree(self, first: FirstGuess) -> Tree:
        """Return a tree with the total ``first.upper``; `prove` or `solve` must have solved ``first``."""
        children: dict[Feedback, Node] = {}
        for part in first.parts:
            if part.codes <= 2:
                children[part.subproblem.feedback] = build_small_node(part.columns)
            else:
                matrix = self._matrix(part)
                node = build_node(self._solver(matrix), matrix.all_indices, part.subproblem.limit, part.bounds.guess)
                children[part.subproblem.feedback] = node
        return Tree(self._code_space.rules, Node(first.guess, dict(sorted(children.items()))))

    def _matrix(self, part: FirstGuessPart) -> GuessMatrix:
        matrix = self._matrices.get(part.subproblem)
        if matrix is None:
            matrix = GuessMatrix(self._code_space, part.columns)
            kept = sum(other.bytes for other in self._matrices.values())
            if kept + matrix.bytes <= self._code_space.tuning.kept_bytes:
                self._matrices[part.subproblem] = matrix
        return matrix
