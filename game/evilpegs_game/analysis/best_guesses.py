"""The best guesses at a position, one per criterion, as far as the budget of the position allows."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from evilpegs_game.analysis.figures import CRITERIA, Figure, GuessFigures, figure, guess_figures
from evilpegs_game.codes import Code, format_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.guessing.criteria import Criterion
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.position import Position

Among = Literal["codes", "candidates"]


@dataclass(frozen=True, slots=True)
class BestGuesses:
    """The best guess under each criterion, in the order of `CRITERIA`, ``among`` the guesses compared."""

    among: Among
    guesses: tuple[tuple[Criterion, GuessFigures], ...]

    def figures_of(self, criterion: Criterion) -> GuessFigures:
        return next(figures for compared, figures in self.guesses if compared is criterion)

    def to_json(self, played: GuessFigures) -> list[dict[str, Any]]:
        """Return a JSON object per criterion, with the best guess under it and a guess that was played.

        ``code`` is the best guess, ``figure`` its value under the criterion, and ``played`` that of the guess played.
        """
        return [
            {
                "criterion": criterion.name,
                "code": format_code(figures.guess),
                "figure": _plain(figure(figures, criterion)),
                "played": _plain(figure(played, criterion)),
            }
            for criterion, figures in self.guesses
        ]


def best_guesses(position: Position) -> BestGuesses | None:
    """Return the best guess at ``position`` under each criterion, or None if the budget does not suffice.

    The guesses are chosen among all codes or, if this would exceed ``position.budget``, among the candidates. Each
    criterion may use the whole budget. Raises ContradictionError, and TooLargeError if there are too many codes to
    count.
    """
    for among in _affordable(position):
        try:
            return _best_guesses(position, among)
        except (OverBudgetError, TooLargeError):
            continue
    return None


def _affordable(position: Position) -> list[Among]:
    count, budget = position.count, position.budget
    # leave out guesses whose number alone shows that comparing them exceeds the budget
    affordable: list[Among] = []
    if count <= 2 or budget is None or position.rules.size <= budget:
        affordable.append("codes")
    if count <= 2 or budget is None or count * count <= budget:
        affordable.append("candidates")
    return affordable


def _best_guesses(position: Position, among: Among) -> BestGuesses:
    known: dict[Code, GuessFigures] = {}
    guesses = []
    for criterion in CRITERIA:
        guess = best_guess(position, criterion, candidates_only=among == "candidates")
        known[guess] = known.get(guess) or guess_figures(position, guess)
        guesses.append((criterion, known[guess]))
    return BestGuesses(among, tuple(guesses))


def _plain(value: Figure) -> int | float | list[int]:
    if isinstance(value, tuple):
        return list(value)
    return float(value) if isinstance(value, Fraction) else value
