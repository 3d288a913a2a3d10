"""What a board tells: how many codes are left and what to guess, or which of its rows clash.

The rows of a real board, as a person reads them off it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Final, Literal

from evilpegs.errors import CommandError
from evilpegs_clients.strategies.sampled import Sampled
from evilpegs_game.analysis.best_guesses import Among, BestGuesses, best_guesses
from evilpegs_game.analysis.contradictions import contradiction
from evilpegs_game.analysis.figures import GuessFigures, guess_figures
from evilpegs_game.analysis.turns import Effort
from evilpegs_game.codes import Code, column_code
from evilpegs_game.errors import ContradictionError, TooLargeError
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.history import History, Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.within_budget import BoundedSolver
from evilpegs_game.rules import Rules


@dataclass(frozen=True, slots=True)
class AssistHistory:
    """Guesses and their feedback, which may be wrong; rows are numbered from 1."""

    rules: Rules
    rows: History = ()

    @property
    def is_solved(self) -> bool:
        """Whether the last guess was the secret."""
        return bool(self.rows) and self.rows[-1].feedback == all_black(self.rules.pegs)

    def add(self, row: Turn) -> "AssistHistory":
        """The board with one more row."""
        return replace(self, rows=(*self.rows, row))

    def row(self, number: int) -> Turn:
        """One row; raises CommandError where there is none."""
        if not 1 <= number <= len(self.rows):
            numbers = f"1 to {len(self.rows)}" if len(self.rows) > 1 else "only row 1" if self.rows else "none yet"
            message = f"there is no row {number}; the rows: {numbers}"
            raise CommandError(message)
        return self.rows[number - 1]

    def change(self, number: int, row: Turn) -> "AssistHistory":
        """The board with another row in that place; raises CommandError as `row` does."""
        self.row(number)
        return replace(self, rows=(*self.rows[: number - 1], row, *self.rows[number:]))

    def undo(self) -> "AssistHistory":
        """The board without its last row; raises CommandError where there is none."""
        if not self.rows:
            message = "there is no row to take back"
            raise CommandError(message)
        return replace(self, rows=self.rows[:-1])


EFFORT: Final = Effort(feedback_budget=100_000_000, solver_budget=500_000_000)
"""A second or so in all."""
FEW: Final = 30
"""So many codes that are left are listed unasked."""
OPTIMAL: Final = "optimal play"
_SEED: Final = 0
"""Samples are drawn alike every time: the same board gets the same advice."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A guess, by whom it is the best, and its figures; None where they would take too long."""

    guess: Code
    best_by: tuple[str, ...]
    figures: GuessFigures | None


@dataclass(frozen=True, slots=True)
class Advice:
    """How many codes are left, these if they are few, and the best guesses ``among`` those that were compared.

    ``more_guesses`` is how many more an optimal codebreaker needs on average, where that is known.
    """

    board: AssistHistory
    codes: int
    listed: tuple[Code, ...]
    among: Among | Literal["samples"]
    suggestions: tuple[Suggestion, ...]
    more_guesses: Fraction | None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The numbers of rows that no code satisfies together, and for each what feedback would fit all other rows."""

    board: AssistHistory
    rows: tuple[int, ...]
    fitting: tuple[tuple[Feedback, ...], ...]


class Adviser:
    """Advises on boards of the same rules, and keeps what it has computed in ``live_sets``, by default its own."""

    def __init__(self, rules: Rules, effort: Effort = EFFORT, live_sets: LiveSets | None = None) -> None:
        self._rules = rules
        self._effort = effort
        self._live_sets = live_sets or LiveSets()
        self._solver = BoundedSolver(rules, effort.solver_budget)

    def advise(self, board: AssistHistory) -> Advice | Contradiction:
        """Say what the board tells.

        Raises:
            TooLargeError: the rules have too many codes to count, or counting does not fit in memory.
        """
        position = self._position(board.rows)
        try:
            codes = position.count
        except ContradictionError:
            return self._contradiction(board)
        best = best_guesses(position)
        optimal, more = self._optimal(position)
        named = list(_named(best)) if best else [("sampled", self._sampled(position))]
        suggestions = self._suggestions(position, ([(OPTIMAL, optimal)] if optimal else []) + named)
        return Advice(board, codes, self.codes(board, FEW) or (), best.among if best else "samples", suggestions, more)

    def weigh(self, board: AssistHistory, guess: Code) -> GuessFigures:
        """The figures of a guess; raises ContradictionError and TooLargeError."""
        return guess_figures(self._position(board.rows), guess)

    def codes(self, board: AssistHistory, most: int) -> tuple[Code, ...] | None:
        """The codes that are left in code order; None if they are over ``most`` or do not fit in memory."""
        position = self._position(board.rows)
        if position.count > most:
            return None
        try:
            columns = position.candidates
        except TooLargeError:
            return None
        return tuple(column_code(columns, place) for place in range(columns.shape[1]))

    def _position(self, rows: History) -> Position:
        return Position(self._rules, rows, self._live_sets, self._effort.feedback_budget)

    def _optimal(self, position: Position) -> tuple[Code | None, Fraction | None]:
        best, total = self._solver.best_guess(position), self._solver.total(position)
        return best, None if total is None else Fraction(total, position.count)

    def _sampled(self, position: Position) -> Code:
        try:
            return Sampled().choose(self._position_for_samples(position), Random(_SEED))  # noqa: S311 - no secret
        except TooLargeError:
            return position.first_candidate

    def _position_for_samples(self, position: Position) -> Position:
        return Position(self._rules, position.history, self._live_sets)

    def _suggestions(self, position: Position, named: list[tuple[str, Code]]) -> tuple[Suggestion, ...]:
        by_guess: dict[Code, list[str]] = {}
        for name, guess in named:
            by_guess.setdefault(guess, []).append(name)
        is_counted = position.rules.size <= self._effort.counted_codes or not position.history
        return tuple(
            Suggestion(guess, tuple(names), guess_figures(position, guess) if is_counted else None)
            for guess, names in by_guess.items()
        )

    def _contradiction(self, board: AssistHistory) -> Contradiction:
        places = contradiction(self._rules, board.rows, self._live_sets)
        return Contradiction(
            board,
            tuple(place + 1 for place in places),
            tuple(self._fitting(board.rows, place) for place in places),
        )

    def _fitting(self, rows: History, place: int) -> tuple[Feedback, ...]:
        """What feedback the guess in that row may have got if all other rows are right."""
        others = self._position(rows[:place] + rows[place + 1 :])
        try:
            return tuple(others.parts(rows[place].guess))
        except ContradictionError:
            return ()


def _named(best: BestGuesses) -> Iterator[tuple[str, Code]]:
    for criterion, figures in best.guesses:
        yield criterion.name, figures.guess
