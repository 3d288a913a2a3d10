"""A solver of least totals for the codes of one guess matrix and their subsets, and its use in several threads."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.codemakers.small_sets import WorkBudget
from evilpegs_game.errors import TooLargeError
from evilpegs_game.optimal.guess_matrix import GuessMatrix, entry_guess
from evilpegs_game.optimal.node_bounds import list_guesses, quick_bounds, record_bounds
from evilpegs_game.optimal.search import bound_of_failed, search
from evilpegs_game.optimal.search_state import (
    CONTROL,
    NEVER,
    NO_BOUND,
    NONE,
    SHARED,
    UNLIMITED,
    OrbitTable,
    TotalsTable,
    new_record,
    new_stack,
)
from evilpegs_game.partition import Indices

SUBJECT: Final = "the least total"  # in the message of OverBudgetError
NO_ORBITS: Final = np.empty((0, 0), dtype=np.int32)


class TotalBounds(NamedTuple):
    """Bounds of a least total; ``upper`` is `NEVER` if no tree is known.

    ``guess`` is a first guess that attains ``upper``, as an index in the guess matrix of the solver.
    """

    lower: int
    upper: int
    guess: int | None = None

    @property
    def is_exact(self) -> bool:
        """True also if both bounds are `NEVER`: it is proved that there is no tree."""
        return self.lower == self.upper


class StoppedError(Exception):
    """The end of a search that another thread stopped."""


class TotalSolver:
    """A solver of least totals for sets of codes of ``matrix``, given as indices in it; for one thread at a time.

    It stores the bounds that it proves in ``totals``. ``shared``, a `SHARED` record, connects it with solvers of the
    same set in other threads. It stops when its own work exceeds what is left of ``budget``, but does not spend from
    it: callers read `work` and spend that.
    """

    def __init__(
        self,
        matrix: GuessMatrix,
        totals: TotalsTable,
        shared: np.record | None = None,
        budget: WorkBudget | None = None,
    ) -> None:
        self.matrix = matrix
        self._totals = totals
        self._stack = new_stack(matrix.tables, matrix.code_space.tuning)
        self._shared = new_record(SHARED, upper=NEVER) if shared is None else shared
        self._control = new_record(CONTROL)
        self._budget = WorkBudget(None, SUBJECT) if budget is None else budget

    @property
    def work(self) -> int:
        return int(self._control["work"])

    def solve(self, indices: Indices, limit: int = UNLIMITED, upper: int = NEVER, width: int = 0) -> TotalBounds:
        """Find the least total of the codes at ``indices``, or prove that it is at least ``upper``; return its bounds.

        Under ``upper``, both bounds are equal to the least total; otherwise the lower bound is at least ``upper``.
        ``limit`` is the most guesses per code. If ``width`` is not 0, only this many guesses per set are tried: the
        lower bound is then the one known before, and the upper bound may not be the least. Raises OverBudgetError,
        StoppedError, and TooLargeError if the search needs more guesses one after another than its stack holds.
        """
        known = self.bounds(indices, limit)
        if known.is_exact or known.lower >= upper:
            return known
        self._shared["upper"] = NEVER
        entries = self.list_guesses(indices, limit, min(upper, known.upper))
        if indices.size == self.matrix.codes:
            entries = self.matrix.first_of_each_orbit(entries)
        tried = self.try_guesses(entries[:width] if width else entries, width)
        return self.conclude(known, tried, is_proved=not width)

    def bounds(self, indices: Indices, limit: int = UNLIMITED) -> TotalBounds:
        """Return bounds of the least total without a search; both are `NEVER` if ``limit`` is clearly not enough."""
        with np.errstate(over="ignore"):
            lower, upper = quick_bounds(self.matrix.tables, self._stack, self._totals, indices, limit, self._control)
        return TotalBounds(int(lower), min(NEVER, int(upper)))

    def find_guess(self, indices: Indices, limit: int, total: int) -> int:
        """Return the index of a first guess that attains ``total``, the least total of the codes at ``indices``.

        Of several, the first that is one of these codes, else the first in code order. Raises the errors of `solve`.
        """
        self._shared["upper"] = NEVER
        entries = self.list_guesses(indices, limit, total + 1)
        members = set(self.matrix.tables.self_guess[indices].tolist())
        ordered = sorted(entries, key=lambda entry: (entry_guess(entry) not in members, entry_guess(entry)))
        best = self.try_guesses(ordered, is_first_enough=True).guess
        assert best is not None  # noqa: S101 - some guess attains the least total
        return best

    def begin(self, indices: Indices, limit: int, upper: int) -> None:
        """Write a set to the first row of the stack, to search for totals under ``upper``; list no guesses yet."""
        self._stack.codes[0, : indices.size] = indices
        state = self._stack.state[0]
        state["start"], state["codes"], state["limit"], state["upper"] = 0, indices.size, limit, upper
        state["most"] = self.matrix.code_space.max_parts
        state["least"], state["listed"], state["lower"], state["open_parts"], state["tried"] = NEVER, 0, 0, 0, 0

    def list_guesses(self, indices: Indices, limit: int, upper: int) -> list[int]:
        """Begin a search; return the entries (`entry_guess`) that may lead under ``upper``, the best estimate first."""
        self.begin(indices, limit, upper)
        with np.errstate(over="ignore"):
            list_guesses(self.matrix.tables, self._stack, 0, self._control)
        return [int(entry) for entry in self._stack.entries[0, : self._stack.state[0]["listed"]]]

    def try_guesses(self, entries: list[int], width: int = 0, is_first_enough: bool = False) -> TotalBounds:
        """Try ``entries`` of `list_guesses` for the set of `begin`; return bounds of its least total.

        The upper bound is that of `begin`, or a lower one that another thread has found. If a guess has a total under
        it, the best guess is returned with its total as both bounds. Otherwise no guess tried has a total under the
        returned ``lower``. With ``is_first_enough`` the search ends at the first guess that beats the upper bound.
        ``width`` is the number of later guesses tried per set; 0 means all. Raises the errors of `solve`.
        """
        self._set_entries(entries, width, is_first_enough)
        self._search(NO_ORBITS)
        return self._result()

    def try_guess(self, entry: int) -> TotalBounds:
        """Try one entry, like `try_guesses`.

        An attempt that takes more work than `Tuning.patience` starts again with only one second guess per orbit.
        """
        state = self._stack.state[0]
        indices, limit, upper = self._stack.codes[0, : state["codes"]].copy(), int(state["limit"]), int(state["upper"])
        self._set_entries([entry])
        if not self._run(NO_ORBITS, self.work + self.matrix.code_space.tuning.patience):
            # Begin with the bound from before: this guess may have lowered ``upper`` just when it was stopped.
            self.begin(indices, limit, upper)
            self._set_entries([entry])
            self._search(self.matrix.orbits_after(entry_guess(entry)))
        return self._result()

    def conclude(self, known: TotalBounds, tried: TotalBounds, is_proved: bool = True) -> TotalBounds:
        """Return, and store, the bounds of the set in the first row of the stack after its guesses were tried.

        ``known`` are the bounds from before the search. Without ``is_proved``, guesses were left out, so the lower
        bound stays.
        """
        state = self._stack.state[0]
        now = tried if tried.upper < known.upper else known._replace(lower=min(tried.lower, known.upper))
        if not is_proved:
            now = now._replace(lower=known.lower)
        codes, upper = self._stack.codes[0, : state["codes"]], now.upper if now.upper < NEVER else NO_BOUND
        with np.errstate(over="ignore"):
            record_bounds(self.matrix.tables.code_keys, self._totals, codes, state["limit"], now.lower, upper)
        return now

    def _set_entries(self, entries: list[int], width: int = 0, is_first_enough: bool = False) -> None:
        state = self._stack.state[0]
        state["best"], state["listed"], state["following"] = NONE, len(entries), 0
        self._stack.entries[0, : len(entries)] = entries
        self._control["width"], self._control["is_first_enough"] = width, is_first_enough

    def _result(self) -> TotalBounds:
        state = self._stack.state[0]
        if state["best"] != NONE:
            return TotalBounds(int(state["upper"]), int(state["upper"]), int(state["best"]))
        return TotalBounds(int(bound_of_failed(state)), NEVER)

    def _search(self, orbits: OrbitTable) -> None:
        if self._run(orbits, self._budget.left):
            return
        if self._shared["is_stopped"]:
            raise StoppedError
        self._budget.check(self.work)
        raise TooLargeError(f"{self.matrix.code_space.rules} needs more guesses in a row than a search can hold")

    def _run(self, orbits: OrbitTable, allowed: int) -> bool:
        self._control["allowed"] = min(allowed, self._budget.left)
        with np.errstate(over="ignore"):
            return search(self.matrix.tables, self._stack, self._totals, self._control, self._shared, orbits)


@contextmanager
def try_in_threads(
    solvers: Sequence[TotalSolver], entries: list[int], limit: int, shared: np.record
) -> Iterator[Iterator[tuple[int, TotalBounds]]]:
    """Try entries in threads, one per solver, and yield an iterator of them and their bounds, as they are completed.

    All solvers have the same matrix and the record ``shared``. At the end of the block, also after an error, the
    searches are stopped, and all threads have ended.
    """
    idle = list(solvers)
    indices = solvers[0].matrix.all_indices

    def attempt(entry: int) -> tuple[int, TotalBounds]:
        solver = idle.pop()
        try:
            solver.begin(indices, limit, int(shared["upper"]))
            return entry, solver.try_guess(entry)
        finally:
            idle.append(solver)  # also after an error: the next attempt may begin before the error is noticed

    with ThreadPoolExecutor(len(solvers)) as pool:
        futures = [pool.submit(attempt, entry) for entry in entries]
        try:
            yield (future.result() for future in as_completed(futures))
        finally:
            shared["is_stopped"] = 1
            pool.shutdown(cancel_futures=True)
