"""A search in a frame, by one thread: the least total of its codes, or of some of them."""

from typing import Final, NamedTuple

import numpy as np

from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.optimal.guess_matrix import Frame, guess_of
from evilpegs_game.optimal.node_bounds import glance, list_guesses
from evilpegs_game.optimal.search import at_least, remember, search
from evilpegs_game.optimal.search_state import (
    ALLOWED,
    BEST,
    CODES,
    CONTROL,
    FIRST,
    LEAST,
    LIMIT,
    LISTED,
    LOWER,
    NEVER,
    NEXT,
    NONE,
    OPEN,
    SHARED,
    STOP,
    TRIED,
    UNLIMITED,
    UPPER,
    WIDTH,
    WORK,
    Families,
    Ints,
    new_stack,
)
from evilpegs_game.optimal.totals_table import NO_BOUND, Totals
from evilpegs_game.partition import Places

NO_BUDGET: Final = 1 << 62
NO_FAMILIES: Final = np.empty((0, 0), dtype=np.int32)


class Bounds(NamedTuple):
    """No tree has a total under ``lower``; some tree has ``upper``, or none is known if that is `NEVER`.

    ``guess``, a guess of the frame, attains ``upper``; None where it is not known.
    """

    lower: int
    upper: int
    guess: int | None = None

    @property
    def is_exact(self) -> bool:
        """Whether they meet; also at `NEVER`, where it is proved that there is no tree."""
        return self.lower == self.upper


class StoppedError(Exception):
    """Another thread wanted the search to end."""


def new_shared() -> Ints:
    """What searches of one set share: an upper bound, and the wish to stop."""
    return np.array([NEVER, 0], dtype=np.int64)


class Searcher:
    """Searches in ``frame``; what it finds out it keeps in ``totals``. For one thread at a time."""

    def __init__(self, frame: Frame, totals: Totals, shared: Ints | None = None, budget: int | None = None) -> None:
        self.frame = frame
        self._totals = totals
        self._stack = new_stack(frame.board, frame.ground.tuning)
        self._shared = new_shared() if shared is None else shared
        self._control = np.zeros(CONTROL, dtype=np.int64)
        self._budget = NO_BUDGET if budget is None else budget

    @property
    def work(self) -> int:
        """Feedbacks looked at so far."""
        return int(self._control[WORK])

    def least(self, places: Places, limit: int = UNLIMITED, upper: int = NEVER, width: int = 0) -> Bounds:
        """Bounds of the total of the codes at ``places`` within ``limit`` guesses: exact, or at least ``upper``.

        If ``width``, only so many guesses a set are tried, and only the upper bound is worth something.

        Raises:
            OverBudgetError: it takes more work than the budget.
        """
        known = self.bounds(places, limit)
        if known.is_exact or known.lower >= upper:
            return known
        self._shared[SHARED] = NEVER
        listed = self.listed(places, limit, min(upper, known.upper))
        if places.size == self.frame.codes:
            listed = self.frame.first_of_each_family(listed)
        tried = self.try_guesses(listed[:width] if width else listed, width)
        return self.conclude(known, tried, is_proved=not width)

    def bounds(self, places: Places, limit: int = UNLIMITED) -> Bounds:
        """What is known without trying a guess."""
        with np.errstate(over="ignore"):
            lower, upper = glance(self.frame.board, self._stack, self._totals, places, limit, self._control)
        return Bounds(int(lower), min(NEVER, int(upper)))

    def first_best(self, places: Places, limit: int, total: int) -> int:
        """A guess that attains the ``total`` of these codes: one of them before others, then the first."""
        self._shared[SHARED] = NEVER
        listed = self.listed(places, limit, total + 1)
        own = set(self.frame.board.own[places].tolist())
        ordered = sorted(listed, key=lambda entry: (guess_of(entry) not in own, guess_of(entry)))
        best = self.try_guesses(ordered, is_first_enough=True).guess
        assert best is not None  # noqa: S101 - some guess attains the least total
        return best

    def begin(self, places: Places, limit: int, upper: int) -> None:
        """Put a set of codes in the first row, to look for a total under ``upper``."""
        self._stack.codes[0, : places.size] = places
        state = self._stack.state[0]
        state[CODES], state[LIMIT], state[UPPER] = places.size, limit, upper
        state[LEAST], state[LISTED], state[LOWER], state[OPEN], state[TRIED] = NEVER, 0, 0, 0, 0

    def listed(self, places: Places, limit: int, upper: int) -> list[int]:
        """Begin, and list the guesses that may do it, the most promising first: each with its estimate above it."""
        self.begin(places, limit, upper)
        with np.errstate(over="ignore"):
            list_guesses(self.frame.board, self._stack, 0, self._control)
        return [int(entry) for entry in self._stack.listed[0, : self._stack.state[0, LISTED]]]

    def try_guesses(self, listed: list[int], width: int = 0, is_first_enough: bool = False) -> Bounds:
        """Try guesses of those listed for the set in the first row.

        If one was found ``lower``, ``upper`` and ``guess`` say so; else nothing tried has less than ``lower``.
        """
        self._ready(listed, width, is_first_enough)
        self._search(NO_FAMILIES)
        return self._found()

    def try_guess(self, entry: int) -> Bounds:
        """The same for one guess. If it takes long, guesses as good as each other are looked for behind it."""
        state = self._stack.state[0]
        places, limit, upper = self._stack.codes[0, : state[CODES]].copy(), int(state[LIMIT]), int(state[UPPER])
        self._ready([entry])
        if not self._goes_on_to_the_end(NO_FAMILIES, self.work + self.frame.ground.tuning.patience):
            self.begin(
                places, limit, upper
            )  # not what UPPER is by now: what it stopped at may have been found just then
            self._ready([entry])
            self._search(self.frame.families_after(guess_of(entry)))
        return self._found()

    def conclude(self, known: Bounds, tried: Bounds, is_proved: bool = True) -> Bounds:
        """What is known of the set in the first row now that all its guesses were tried, in vain or not."""
        state = self._stack.state[0]
        now = tried if tried.upper < known.upper else known._replace(lower=min(tried.lower, known.upper))
        if not is_proved:
            now = now._replace(lower=known.lower)
        codes, upper = self._stack.codes[0, : state[CODES]], now.upper if now.upper < NEVER else NO_BOUND
        with np.errstate(over="ignore"):
            remember(self.frame.board, self._totals, codes, state[LIMIT], now.lower, upper)
        return now

    def _ready(self, listed: list[int], width: int = 0, is_first_enough: bool = False) -> None:
        state = self._stack.state[0]
        state[BEST], state[LISTED], state[NEXT] = NONE, len(listed), 0
        self._stack.listed[0, : len(listed)] = listed
        self._control[WIDTH], self._control[FIRST] = width, is_first_enough

    def _found(self) -> Bounds:
        state = self._stack.state[0]
        if state[BEST] != NONE:
            return Bounds(int(state[UPPER]), int(state[UPPER]), int(state[BEST]))
        return Bounds(int(at_least(state)), NEVER)

    def _search(self, families: Families) -> None:
        if self._goes_on_to_the_end(families, self._budget):
            return
        if self._shared[STOP]:
            raise StoppedError
        if self.work > self._budget:
            message = "the least total takes more feedbacks looked at than the budget allows"
            raise OverBudgetError(message)
        message = f"{self.frame.ground.rules} takes more guesses one after another than a search has room for"
        raise TooLargeError(message)

    def _goes_on_to_the_end(self, families: Families, allowed: int) -> bool:
        self._control[ALLOWED] = min(allowed, self._budget)
        with np.errstate(over="ignore"):
            return search(self.frame.board, self._stack, self._totals, self._control, self._shared, families)
