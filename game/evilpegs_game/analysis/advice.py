"""Advice about a game: the codes left and the best guesses, or the rows that contradict each other.

A row is a guess and its feedback, as a person typed them; the first row has number 1.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, Literal

from evilpegs_game.analysis.contradictions import contradiction
from evilpegs_game.analysis.guesses import Among, GuessFigures, best_guesses, guess_figures
from evilpegs_game.analysis.par import Par, ParJudge, par_budget
from evilpegs_game.analysis.turns import Effort
from evilpegs_game.codes import Code, RandomSource, column_code, format_code
from evilpegs_game.displays import Html, html_caption, html_line, html_pegs, html_table, html_turns, show_bounds
from evilpegs_game.errors import ContradictionError, GameError, TooLargeError
from evilpegs_game.feedback import Feedback, History, Turn, all_black
from evilpegs_game.guessing.selection import sampled_guess
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.evil_search import Ties
from evilpegs_game.optimal.least_total import BoundedSolver
from evilpegs_game.rules import Rules

EFFORT: Final = Effort(feedback_budget=100_000_000, solver_budget=500_000_000)  # about a second of work
MAX_LISTED: Final = 30  # codes left, without a request
OPTIMAL: Final = "optimal play"
PAR: Final = "par"
MAX_KEEPING: Final = 10  # guesses that keep par
# of all samples, so that the same rows always get the same advice
_SEED: Final = 0


@dataclass(frozen=True, slots=True)
class AssistHistory:
    """The rows of a game, which may contradict each other, because people make mistakes."""

    rules: Rules
    rows: History = ()

    @property
    def is_solved(self) -> bool:
        return bool(self.rows) and self.rows[-1].feedback == all_black(self.rules.pegs)

    def add(self, row: Turn) -> "AssistHistory":
        return replace(self, rows=(*self.rows, row))

    def row(self, number: int) -> Turn:
        """Return a row by its number; raise GameError if there is none."""
        if not 1 <= number <= len(self.rows):
            numbers = f"1 to {len(self.rows)}" if len(self.rows) > 1 else "only row 1" if self.rows else "none yet"
            raise GameError(f"there is no row {number}; the rows: {numbers}")
        return self.rows[number - 1]

    def change(self, number: int, row: Turn) -> "AssistHistory":
        """Return a history with another row ``number``; raise GameError if there is none."""
        self.row(number)
        return replace(self, rows=(*self.rows[: number - 1], row, *self.rows[number:]))

    def undo(self) -> "AssistHistory":
        """Return a history without the last row; raise GameError if there is none."""
        if not self.rows:
            raise GameError("there is no row to take back")
        return replace(self, rows=self.rows[:-1])

    def to_json(self) -> dict[str, Any]:
        return {"rules": str(self.rules), "after": [row.to_json() for row in self.rows]}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A guess, best by some criteria, by `OPTIMAL` or `PAR`, or ``sampled``.

    ``figures`` is None if it would take too long.
    """

    guess: Code
    best_by: tuple[str, ...]
    figures: GuessFigures | None

    def to_json(self) -> dict[str, Any]:
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


@dataclass(frozen=True, slots=True, repr=False)
class Advice:
    """The codes left, ``listed`` if they are few, the best guesses, and the mean number that optimal play needs.

    Against evil ``par`` takes the place of the mean, and ``keeping`` has guesses that keep it, the best of them first.

    >>> import evilpegs
    >>> evilpegs.advise("4x6", ["1122:1,0", "1344:0,2"]).codes
    41
    """

    history: AssistHistory
    codes: int
    listed: tuple[Code, ...]
    among: Among | Literal["samples"]
    suggestions: tuple[Suggestion, ...]
    more_guesses: Fraction | None
    par: Par | None = None
    keeping: tuple[Code, ...] = ()

    def __repr__(self) -> str:
        turns = f"{len(self.history.rows)} turn{'' if len(self.history.rows) == 1 else 's'}"
        best = self.suggestions[0]
        guess = f"guess {format_code(best.guess)}, by {', '.join(best.best_by)}"
        return f"<Advice on {self.history.rules} after {turns}: {self.codes:,} candidates, {guess}>"

    def _repr_html_(self) -> Html:
        heads = "guess", "best by", "candidate", "largest part", "expected left", "bits", "parts"
        rows = []
        for each in self.suggestions:
            _, _, *figures = each.to_json().values()
            rows.append((html_pegs(each.guess), ", ".join(each.best_by), *figures))
        lines = {
            "more guesses with optimal play": self.more_guesses,
            "guesses that are sure against evil": self.par and show_bounds(self.par),
            "guesses that keep them": html_pegs(*self.keeping) or None,
            "candidates": html_pegs(*self.listed) or None,
        }
        shown = [html_line(name, value) for name, value in lines.items() if value is not None]
        turns = html_turns(html_caption(self), self.history.rows)
        return Html("".join([turns, html_table(f"Best guesses among {self.among}", heads, rows), *shown]))

    def to_json(self) -> dict[str, Any]:
        return self.history.to_json() | {
            "candidates": self.codes,
            "codes": [format_code(code) for code in self.listed],
            "clash": [],
            "among": self.among,
            "guesses": [suggestion.to_json() for suggestion in self.suggestions],
            "expected_guesses": None if self.more_guesses is None else float(self.more_guesses),
            "par": self.par and self.par.to_json(),
            "keeping": [format_code(code) for code in self.keeping],
        }


@dataclass(frozen=True, slots=True, repr=False)
class Contradiction:
    """The numbers of rows that no code fits together, and the feedbacks with which each would fit all other rows.

    >>> import evilpegs
    >>> evilpegs.advise("4x6", ["1111:1,0", "1111:2,0"]).rows
    (1, 2)
    """

    history: AssistHistory
    rows: tuple[int, ...]
    fitting: tuple[tuple[Feedback, ...], ...]

    def __repr__(self) -> str:
        return f"<Contradiction on {self.history.rules}: rows {', '.join(map(str, self.rows))}>"

    def _repr_html_(self) -> Html:
        fitting = dict(zip(self.rows, self.fitting, strict=True))
        fits = [" ".join(map(str, fitting.get(row, ()))) for row in range(1, len(self.history.rows) + 1)]
        return html_turns(html_caption(self), self.history.rows, ("would fit", fits))

    def to_json(self) -> dict[str, Any]:
        clash = [
            {"row": number, "fitting": [list(feedback) for feedback in fitting]}
            for number, fitting in zip(self.rows, self.fitting, strict=True)
        ]
        nothing: dict[str, Any] = {"among": None, "guesses": [], "expected_guesses": None, "par": None, "keeping": []}
        return self.history.to_json() | {"candidates": 0, "codes": [], "clash": clash} | nothing


class Adviser:
    """An adviser about games on ``rules``; ``effort`` limits the work for each piece of advice.

    ``seeded`` makes the generator of samples, like the class `random.Random`. ``ties`` says how evil chooses among the
    largest parts; None if the codemaker has a secret.
    """

    def __init__(
        self,
        rules: Rules,
        seeded: Callable[[int], RandomSource],
        effort: Effort = EFFORT,
        live_sets: LiveSets | None = None,
        ties: Ties | None = None,
    ) -> None:
        self._rules = rules
        self._seeded = seeded
        self._effort = effort
        self._live_sets = live_sets or LiveSets()
        self._solver = BoundedSolver(rules, effort.solver_budget)
        self._judge = ParJudge(rules, ties, par_budget(rules, effort.solver_budget)) if ties else None

    def advise(self, history: AssistHistory) -> Advice | Contradiction:
        """Return advice, or the contradiction; raise TooLargeError if the codes cannot be counted."""
        position = self._position(history.rows)
        try:
            codes = position.count
        except ContradictionError:
            return self._contradiction(history)
        best = best_guesses(position)
        if best:
            named = [(criterion.name, figures.guess) for criterion, figures in best.guesses]
        else:
            named = [("sampled", self._sampled_guess(position))]
        best_play, total, par, keeping = self._best_play(position)
        return Advice(
            history,
            codes,
            listed=self.codes(history, MAX_LISTED) or (),
            among=best.among if best else "samples",
            suggestions=self._suggestions(position, best_play + named),
            more_guesses=None if total is None else Fraction(total, codes),
            par=par,
            keeping=keeping,
        )

    def _best_play(self, position: Position) -> tuple[list[tuple[str, Code]], int | None, Par | None, tuple[Code, ...]]:
        if self._judge is not None:
            keeping = tuple(self._judge.keeping(position, MAX_KEEPING))
            return [(PAR, keeping[0])] if keeping else [], None, self._judge.par(position), keeping
        optimal = self._solver.best_guess(position)
        return [(OPTIMAL, optimal)] if optimal else [], self._solver.total(position), None, ()

    def weigh(self, history: AssistHistory, guess: Code) -> GuessFigures:
        return guess_figures(self._position(history.rows), guess)

    def codes(self, history: AssistHistory, most: int) -> tuple[Code, ...] | None:
        """Return the codes left; None if there are more than ``most``, or if they do not fit in memory."""
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

    def _sampled_guess(self, position: Position) -> Code:
        unlimited = Position(self._rules, position.history, self._live_sets)
        try:
            return sampled_guess(unlimited, self._seeded(_SEED))
        except TooLargeError:
            return position.first_candidate

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
        others = self._position(rows[:index] + rows[index + 1 :])
        try:
            return tuple(others.parts(rows[index].guess))
        except ContradictionError:
            return ()
