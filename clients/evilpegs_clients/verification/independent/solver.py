"""The number of guesses that an optimal codebreaker needs in the worst case, by exhaustive search.

The codebreaker may guess any code of the rules. One code needs 1 guess. Several codes need 1 guess plus the largest
number that a part of the best guess needs; the part of all-black needs none. The search is a plain minimax: it
remembers sets of codes, and it skips a guess if one of its parts has more codes than the remaining guesses can tell
apart.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_clients.verification.independent.definitions import Code, Marks, Space
from evilpegs_clients.verification.independent.enumeration import Block, code_blocks, marks_number, marks_numbers

CELLS: Final = 1 << 24  # codes times candidates: feedbacks in a table
WORK: Final = 4 * 10**9  # feedbacks evaluated to solve one turn of a game; they take about half a minute

Subset = NDArray[np.intp]  # indices in the solver's list of candidates, in increasing order


class TooMuchWorkError(Exception):
    """The solver would exceed a limit; the message says which one."""


def check_table(space: Space, candidates: int, cells: int = CELLS) -> None:
    """Raise TooMuchWorkError if a table of all guesses by ``candidates`` would exceed ``cells``."""
    if space.size * candidates > cells:
        raise TooMuchWorkError(f"{space.size:,} guesses for {candidates:,} candidates are over {cells:,} feedbacks")


class ExhaustiveSolver:
    """A solver for subsets of ``live``, the candidates at some turn; raises TooMuchWorkError as `check_table` does."""

    def __init__(self, space: Space, live: Block, cells: int = CELLS) -> None:
        check_table(space, live.shape[1], cells)
        self._space, self._numbers = space, (space.pegs + 1) ** 2
        self._win = marks_number(space.all_black, space.pegs)
        self._live: list[Code] = [tuple(code) for code in live.T.tolist()]
        every = np.concatenate(list(code_blocks(space)), axis=1)
        self._answers = np.array([marks_numbers(every, code) for code in self._live])  # shape (candidates, guesses)
        self._rows = np.arange(space.size) * self._numbers
        self._known: dict[tuple[bytes, int], bool] = {}
        self.allow(WORK)

    def allow(self, work: int) -> None:
        """Replace what is left of the limit, at first `WORK`, by ``work`` feedbacks."""
        self._left = self._limit = work

    def parts(self, codes: Subset, guess: Code) -> dict[Marks, Subset]:
        """Return the parts of ``codes``, in feedback order."""
        columns = np.array([self._live[index] for index in codes.tolist()], dtype=np.uint8).T
        answers = marks_numbers(columns, guess)
        return {
            Marks(*divmod(number, self._space.pegs + 1)): codes[answers == number]
            for number in np.unique(answers).tolist()
        }

    @property
    def all(self) -> Subset:
        return np.arange(len(self._live))

    def solvable(self, codes: Subset, guesses: int) -> bool:
        """Return True if ``guesses`` guesses suffice for all ``codes``; raises TooMuchWorkError."""
        if len(codes) <= guesses:
            return True  # one after the other
        if len(codes) > self._most(guesses):
            return False
        key = codes.tobytes(), guesses
        if key not in self._known:
            self._known[key] = any(
                all(self.solvable(part, guesses - 1) for part in parts) for parts in self._promising(codes, guesses)
            )
        return self._known[key]

    def _promising(self, codes: Subset, guesses: int) -> Iterator[Iterator[Subset]]:
        answers = self._answers[codes]
        self._pay(answers.size)
        sizes = np.bincount((answers + self._rows).ravel(), minlength=self._rows.size * self._numbers)
        sizes = sizes.reshape(-1, self._numbers)
        sizes[:, self._win] = 0
        largest = sizes.max(axis=1)
        # no part may exceed what the further guesses can tell apart
        useful = np.flatnonzero((largest <= self._most(guesses - 1)) & (largest < len(codes)))
        followed: set[bytes] = set()
        for guess in useful[np.argsort(largest[useful], kind="stable")].tolist():
            same = answers[:, guess].tobytes()
            if same in followed:
                continue  # such as guesses that differ only in colors that no code has
            followed.add(same)
            # smaller parts need no search: their codes can be guessed one after another
            yield self._parts_over(guesses - 1, codes, answers[:, guess], sizes[guess])

    def _parts_over(
        self, guesses: int, codes: Subset, answers: NDArray[Any], sizes: NDArray[np.int64]
    ) -> Iterator[Subset]:
        large = np.flatnonzero(sizes > guesses)
        for number in large[np.argsort(-sizes[large], kind="stable")].tolist():
            self._pay(len(codes))
            yield codes[answers == number]

    def _most(self, guesses: int) -> int:
        if guesses <= 0:
            return 0
        # Every feedback but all-black, and the one before it that no two codes give.
        others = (self._space.pegs + 1) * (self._space.pegs + 2) // 2 - 2
        # one code is the guess itself
        return 1 + others * self._most(guesses - 1)

    def _pay(self, feedbacks: int) -> None:
        self._left -= feedbacks
        if self._left < 0:
            raise TooMuchWorkError(f"solving it takes over {self._limit:,} feedbacks")
