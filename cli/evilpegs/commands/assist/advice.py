"""Advice about a game: the codes left and the best guesses, or the rows that contradict each other.

A row is a guess and its feedback, as a person typed them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any, Final, Literal

from evilpegs.errors import CommandError
from evilpegs_game.analysis.best_guesses import Among, BestGuesses, best_guesses
from evilpegs_game.analysis.contradictions import contradiction
from evilpegs_game.analysis.figures import GuessFigures, guess_figures
from evilpegs_game.analysis.turns import Effort
from evilpegs_game.codes import Code, column_code, format_code
from evilpegs_game.errors import ContradictionError, TooLargeError
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.guessing.sampling import sampled_guess
from evilpegs_game.history import History, Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.within_budget import BoundedSolver
from evilpegs_game.rules import Rules

EFFORT: Final = Effort(feedback_budget=100_000_000, solver_budget=500_000_000)
"""The limits of the work for one piece of advice, which then takes about a second."""
MAX_LISTED: Final = 30
"""The largest number of codes left that are listed without a request for the list."""
OPTIMAL: Final = "optimal play"
"""The name under which the guess of an optimal codebreaker is suggested."""
_SEED: Final = 0
"""The seed of all samples, so that the same rows always get the same advice."""


@dataclass(frozen=True, slots=True)
class AssistHistory:
    """The rows of a game, each a guess and its feedback, as a person typed them.

    Rows are numbered from 1. They may contradict each other, because people make mistakes.
    """

    rules: Rules
    rows: History = ()

    @property
    def is_solved(self) -> bool:
        """True if the last row, a guess and its feedback, is all-black, so that the guess was the secret."""
        return bool(self.rows) and self.rows[-1].feedback == all_black(self.rules.pegs)

    def add(self, row: Turn) -> "AssistHistory":
        """Return a history with ``row``, a guess and its feedback, added after the last row."""
        return replace(self, rows=(*self.rows, row))

    def row(self, number: int) -> Turn:
        """Return the guess and feedback of row ``number``, counted from 1; raise CommandError if there is none."""
        if not 1 <= number <= len(self.rows):
            numbers = f"1 to {len(self.rows)}" if len(self.rows) > 1 else "only row 1" if self.rows else "none yet"
            message = f"there is no row {number}; the rows: {numbers}"
            raise CommandError(message)
        return self.rows[number - 1]

    def change(self, number: int, row: Turn) -> "AssistHistory":
        """Return a history in which ``row``, a guess and its feedback, replaces row ``number``, counted from 1.

        Raises:
            CommandError: there is no such row.
        """
        self.row(number)
        return replace(self, rows=(*self.rows[: number - 1], row, *self.rows[number:]))

    def undo(self) -> "AssistHistory":
        """Return the history without its last guess and feedback; raise CommandError if the history is empty."""
        if not self.rows:
            message = "there is no row to take back"
            raise CommandError(message)
        return replace(self, rows=self.rows[:-1])

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object: ``rules`` as text, and in ``after`` each row, a guess and its feedback."""
        return {"rules": str(self.rules), "after": [row.to_json() for row in self.rows]}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggested guess, the criteria by which it is best, and its figures.

    ``best_by`` has the names of the criteria. Two other names can occur: `OPTIMAL` if an optimal codebreaker would
    make the guess, and ``sampled`` if the guess is the best of random samples, or the first candidate because sampling
    would take too much memory or work. ``figures`` says how the guess divides the codes that are left; ``figures`` is
    None if the division would take too long to compute.
    """

    guess: Code
    best_by: tuple[str, ...]
    figures: GuessFigures | None

    def to_json(self) -> dict[str, Any]:
        """Return the suggestion as a JSON object; figures that were not computed are null."""
        figures = self.figures
        return {
            "code": format_code(self.guess),
            "best_by": list(self.best_by),
            "candidate": figures and figures.is_candidate,
            "largest": figures and figures.largest_part,
            "expected_size": figures and float(figures.expected_size),
            "bits": figures and figures.expected_bits,
            "parts": figures and figures.part_count,
        }


@dataclass(frozen=True, slots=True)
class Advice:
    """The number of codes left, the codes themselves if they are few, and the best guesses.

    ``codes`` is the number of codes left. ``listed`` has them in code order; it is empty if there are more than
    `MAX_LISTED`, or if they do not fit in memory. ``among`` says which guesses were compared: all codes, the
    candidates, or random samples of the candidates. ``more_guesses`` is the mean number of guesses that an optimal
    codebreaker still needs, None if it is not known.
    """

    history: AssistHistory
    codes: int
    listed: tuple[Code, ...]
    among: Among | Literal["samples"]
    suggestions: tuple[Suggestion, ...]
    more_guesses: Fraction | None

    def to_json(self) -> dict[str, Any]:
        """Return the advice as the JSON object of `evilpegs assist --json`."""
        return self.history.to_json() | {
            "candidates": self.codes,
            "codes": [format_code(code) for code in self.listed],
            "clash": [],
            "among": self.among,
            "guesses": [suggestion.to_json() for suggestion in self.suggestions],
            "expected_guesses": None if self.more_guesses is None else float(self.more_guesses),
        }


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The rows of ``history`` that contradict each other; a row is a guess and its feedback.

    No code agrees with all these rows. ``rows`` has the numbers of these rows, counted from 1. ``fitting[i]`` has each
    feedback to the guess of row ``rows[i]`` with which the row would agree with all other rows of the history. It is
    empty if the other rows contradict each other too.
    """

    history: AssistHistory
    rows: tuple[int, ...]
    fitting: tuple[tuple[Feedback, ...], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the contradiction as a JSON object with the keys of `Advice.to_json`.

        The value of the key ``clash`` is a list with an object for each of the rows, guesses with feedback, that
        contradict each other. The object has the number of the row, from 1, in ``row``; in ``fitting`` it has the
        feedbacks with which the row would agree with all other rows.
        ``candidates`` is 0, ``codes`` and ``guesses`` are empty, and ``among`` and ``expected_guesses`` are null.
        """
        clash = [
            {"row": number, "fitting": [list(feedback) for feedback in fitting]}
            for number, fitting in zip(self.rows, self.fitting, strict=True)
        ]
        nothing: dict[str, Any] = {"among": None, "guesses": [], "expected_guesses": None}
        return self.history.to_json() | {"candidates": 0, "codes": [], "clash": clash} | nothing


class Adviser:
    """An adviser about games on ``rules``, who finds the codes that are left and the best guesses.

    ``effort`` limits the work for each piece of advice. ``live_sets`` caches computed live sets, the sets of codes
    still possible; if it is None, the adviser makes a cache.
    """

    def __init__(self, rules: Rules, effort: Effort = EFFORT, live_sets: LiveSets | None = None) -> None:
        self._rules = rules
        self._effort = effort
        self._live_sets = live_sets or LiveSets()
        self._solver = BoundedSolver(rules, effort.solver_budget)

    def advise(self, history: AssistHistory) -> Advice | Contradiction:
        """Return advice about the game in ``history``, or a contradiction if no code agrees with every feedback.

        Raises:
            TooLargeError: the rules have too many codes to count, or counting does not fit in memory.
        """
        position = self._position(history.rows)
        try:
            codes = position.count
        except ContradictionError:
            return self._contradiction(history)
        best = best_guesses(position)
        optimal, more = self._optimal(position)
        named = list(_guesses_by_criterion(best)) if best else [("sampled", self._sampled_guess(position))]
        suggestions = self._suggestions(position, ([(OPTIMAL, optimal)] if optimal else []) + named)
        return Advice(
            history, codes, self.codes(history, MAX_LISTED) or (), best.among if best else "samples", suggestions, more
        )

    def weigh(self, history: AssistHistory, guess: Code) -> GuessFigures:
        """Return figures that say how ``guess`` divides the codes that agree with every feedback of ``history``.

        Raises:
            ContradictionError: no code agrees with every feedback.
            TooLargeError: the rules have too many codes to count, or counting does not fit in memory.
        """
        return guess_figures(self._position(history.rows), guess)

    def codes(self, history: AssistHistory, most: int) -> tuple[Code, ...] | None:
        """Return the codes that agree with every feedback of ``history``, in code order.

        Return None if there are more than ``most`` of these codes, or if the codes do not fit in memory.

        Raises:
            ContradictionError: no code agrees with every feedback.
            TooLargeError: the rules have too many codes to count, or counting does not fit in memory.
        """
        position = self._position(history.rows)
        if position.count > most:
            return None
        try:
            columns = position.candidates
        except TooLargeError:
            return None
        return tuple(column_code(columns, index) for index in range(columns.shape[1]))

    def _position(self, rows: History) -> Position:
        return Position(self._rules, rows, self._live_sets, self._effort.feedback_budget)

    def _optimal(self, position: Position) -> tuple[Code | None, Fraction | None]:
        guess, total = self._solver.best_guess(position), self._solver.total(position)
        return guess, None if total is None else Fraction(total, position.count)

    def _sampled_guess(self, position: Position) -> Code:
        try:
            return sampled_guess(self._position_for_samples(position), Random(_SEED))  # noqa: S311 - no secret
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

    def _contradiction(self, history: AssistHistory) -> Contradiction:
        indices = contradiction(self._rules, history.rows, self._live_sets)
        return Contradiction(
            history,
            tuple(index + 1 for index in indices),
            tuple(self._fitting_feedback(history.rows, index) for index in indices),
        )

    def _fitting_feedback(self, rows: History, index: int) -> tuple[Feedback, ...]:
        """Return each feedback to the guess at ``index`` of ``rows`` that would agree with all other rows.

        A row is a guess and its feedback; ``index`` counts from 0. The result is empty if the other rows contradict
        each other.

        Raises:
            TooLargeError: the rules have too many codes to count, or counting does not fit in memory.
        """
        others = self._position(rows[:index] + rows[index + 1 :])
        try:
            return tuple(others.parts(rows[index].guess))
        except ContradictionError:
            return ()


def _guesses_by_criterion(best: BestGuesses) -> Iterator[tuple[str, Code]]:
    for criterion, figures in best.guesses:
        yield criterion.name, figures.guess
