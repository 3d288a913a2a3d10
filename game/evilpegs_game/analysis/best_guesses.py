"""The best guesses of a position, one under each criterion, as far as its budget allows."""

from dataclasses import dataclass
from typing import Literal

from evilpegs_game.analysis.figures import CRITERIA, GuessFigures, guess_figures
from evilpegs_game.codes import Code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.guessing.criteria import Criterion
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.position import Position

Among = Literal["codes", "candidates"]


@dataclass(frozen=True, slots=True)
class BestGuesses:
    """The best guess under each criterion ``among`` all codes, or among the candidates only."""

    among: Among
    guesses: tuple[tuple[Criterion, GuessFigures], ...]

    def figures_of(self, criterion: Criterion) -> GuessFigures:
        """The guess that is best under ``criterion``."""
        return next(figures for chosen, figures in self.guesses if chosen is criterion)


def best_guesses(position: Position) -> BestGuesses | None:
    """Among all codes; where that is over ``position.budget``, among the candidates; None where that is too.

    Each criterion may take the whole budget, which counts feedbacks.

    Raises:
        ContradictionError: there is no candidate.
        TooLargeError: there are too many codes to count.
    """
    for among in _affordable(position):
        try:
            return _best(position, among)
        except (OverBudgetError, TooLargeError):
            continue
    return None


def _affordable(position: Position) -> list[Among]:
    """What may be tried; what is surely too much is not even listed."""
    count, budget = position.count, position.budget
    affordable: list[Among] = []
    if count <= 2 or budget is None or position.rules.size <= budget:
        affordable.append("codes")
    if count <= 2 or budget is None or count * count <= budget:
        affordable.append("candidates")
    return affordable


def _best(position: Position, among: Among) -> BestGuesses:
    known: dict[Code, GuessFigures] = {}
    guesses = []
    for criterion in CRITERIA:
        guess = best_guess(position, criterion, candidates_only=among == "candidates")
        known[guess] = known.get(guess) or guess_figures(position, guess)
        guesses.append((criterion, known[guess]))
    return BestGuesses(among, tuple(guesses))
