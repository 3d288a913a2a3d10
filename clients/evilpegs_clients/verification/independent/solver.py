"""How many guesses an optimal codebreaker still needs in the worst case, by trying everything.

The codebreaker may guess any code of the rules. One code needs 1 guess; more need 1 and then the worst of the parts
that a guess leaves (the part that was hit, all-black, needs none), for the best guess. Plain minimax: sets of codes
are remembered, and a guess is not followed where a part has more codes than any guesses could tell apart.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_clients.verification.independent.definitions import Code, Feedback, Space
from evilpegs_clients.verification.independent.enumerate_blocks import Block, answer_number, answer_numbers, code_blocks

CELLS: Final = 1 << 24
"""The largest table of feedbacks, codes times candidates, that is made."""
WORK: Final = 4 * 10**9
"""The most feedbacks that are looked at to solve one turn: half a minute or so."""

Chosen = NDArray[np.intp]
"""Some of the candidates, by their place among them, in order."""


class TooMuchWorkError(Exception):
    """The solver would go over its bound; the message says which."""


def check_table(space: Space, candidates: int, cells: int = CELLS) -> None:
    """Raise TooMuchWorkError where the table of a solver for this number of candidates has more than ``cells``."""
    if space.size * candidates > cells:
        message = f"{space.size:,} guesses for {candidates:,} candidates are over {cells:,} feedbacks"
        raise TooMuchWorkError(message)


class Solver:
    """Solves sets of codes out of ``live``, the candidates at some turn, for one space of codes."""

    def __init__(self, space: Space, live: Block, cells: int = CELLS) -> None:
        check_table(space, live.shape[1], cells)
        self._space, self._numbers = space, (space.pegs + 1) ** 2
        self._win = answer_number(space.all_black, space.pegs)
        self._live: list[Code] = [tuple(code) for code in live.T.tolist()]
        every = np.concatenate(list(code_blocks(space)), axis=1)
        self._answers = np.array([answer_numbers(every, code) for code in self._live])  # shape (candidates, guesses)
        self._rows = np.arange(space.size) * self._numbers
        self._known: dict[tuple[bytes, int], bool] = {}
        self.allow(WORK)

    def allow(self, work: int) -> None:
        """Look at so many more feedbacks, and no more."""
        self._left = self._allowed = work

    def parts(self, codes: Chosen, guess: Code) -> dict[Feedback, Chosen]:
        """The parts of a guess, in feedback order."""
        columns = np.array([self._live[place] for place in codes.tolist()], dtype=np.uint8).T
        answers = answer_numbers(columns, guess)
        return {
            Feedback(*divmod(number, self._space.pegs + 1)): codes[answers == number]
            for number in np.unique(answers).tolist()
        }

    @property
    def all(self) -> Chosen:
        """All candidates."""
        return np.arange(len(self._live))

    def value(self, codes: Chosen) -> int:
        """The guesses that are needed in the worst case; raises TooMuchWorkError."""
        guesses = 1
        while not self.solvable(codes, guesses):
            guesses += 1
        return guesses

    def solvable(self, codes: Chosen, guesses: int) -> bool:
        """Whether so many guesses always suffice; raises TooMuchWorkError."""
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

    def _promising(self, codes: Chosen, guesses: int) -> Iterator[Iterator[Chosen]]:
        """For each guess that leaves no part too large, best guesses first: the parts to go on with, largest first.

        Parts that are left out are so small that their codes can be guessed one after the other.
        """
        answers = self._answers[codes]
        self._pay(answers.size)
        sizes = np.bincount((answers + self._rows).ravel(), minlength=self._rows.size * self._numbers)
        sizes = sizes.reshape(-1, self._numbers)
        sizes[:, self._win] = 0
        largest = sizes.max(axis=1)
        useful = np.flatnonzero((largest <= self._most(guesses - 1)) & (largest < len(codes)))
        followed: set[bytes] = set()
        for guess in useful[np.argsort(largest[useful], kind="stable")].tolist():
            same = answers[:, guess].tobytes()
            if same in followed:
                continue  # as with colors that no code has
            followed.add(same)
            yield self._parts_over(guesses - 1, codes, answers[:, guess], sizes[guess])

    def _parts_over(
        self, guesses: int, codes: Chosen, answers: NDArray[Any], sizes: NDArray[np.int64]
    ) -> Iterator[Chosen]:
        large = np.flatnonzero(sizes > guesses)
        for number in large[np.argsort(-sizes[large], kind="stable")].tolist():
            self._pay(len(codes))
            yield codes[answers == number]

    def _most(self, guesses: int) -> int:
        """The most codes that so many guesses can tell apart: the one guessed, and what each other feedback leaves."""
        if guesses <= 0:
            return 0
        # Every feedback but all-black, and the one before it that no two codes give.
        others = (self._space.pegs + 1) * (self._space.pegs + 2) // 2 - 2
        return 1 + others * self._most(guesses - 1)

    def _pay(self, feedbacks: int) -> None:
        self._left -= feedbacks
        if self._left < 0:
            message = f"solving it takes over {self._allowed:,} feedbacks"
            raise TooMuchWorkError(message)
