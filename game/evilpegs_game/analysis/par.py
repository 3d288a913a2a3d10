"""Par: the fewest further guesses that are sure against evil, and what a guess loses against it.

Against evil there is no luck. With a tie rule that is known each guess has one reply, and with the worst ties each of
the largest parts is to be ready for. So whole guesses are lost. On rules that are too large, or beyond the budget, par
lies between bounds: the sizes of the parts allow no fewer guesses, and minimax needs no more.
"""

from bisect import bisect_left
from contextlib import suppress
from fractions import Fraction
from typing import Any, Final, NamedTuple

from evilpegs_game.analysis.regret import Regret
from evilpegs_game.codemakers.codemaker import break_tie, evil_replies
from evilpegs_game.codemakers.small_sets import WorkBudget, max_codes_within
from evilpegs_game.codemakers.worst_case import MAX_SHARED_CODES
from evilpegs_game.codes import Code, column_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import Feedback, History, all_black
from evilpegs_game.guessing.criteria import MINIMAX
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.evil_search import EvilSearch, Ties
from evilpegs_game.rules import Rules

PAR_BUDGET: Final = 6_000_000_000
"""The feedback evaluations of an answer on rules with a shared table: three seconds, for bulls and cows."""
_MOST_LINES: Final = 16  # of a strategy, with ties


def par_budget(rules: Rules, usual: int) -> int:
    """Return the budget of exact answers where a table makes them fast, else the ``usual`` one."""
    return max(usual, PAR_BUDGET) if rules.size <= MAX_SHARED_CODES else usual


class Par(NamedTuple):
    """Bounds on the guesses that are sure, the winning one included; ``at_most`` is None if it is unknown."""

    at_least: int
    at_most: int | None

    @property
    def exact(self) -> int | None:
        return self.at_least if self.at_least == self.at_most else None

    def to_json(self) -> dict[str, Any]:
        return {"at_least": self.at_least, "at_most": self.at_most}


class ParJudge:
    """A judge of positions and guesses against evil with ``ties``; each answer takes at most ``budget``.

    It keeps what it found, to save time in later answers: up to 65 MB, as `EvilSearch`.
    """

    def __init__(self, rules: Rules, ties: Ties = "worst", budget: int = PAR_BUDGET) -> None:
        self.rules = rules
        self._ties = ties
        self._budget = budget
        self._max_codes = max_codes_within(rules)
        self._solved = all_black(rules.pegs)
        try:
            self._search: EvilSearch | None = EvilSearch(rules, ties)
        except TooLargeError:
            self._search = None

    def par(self, position: Position) -> Par:
        """Return the guesses that are sure from ``position`` on, none if it is solved.

        Raises ContradictionError and TooLargeError.
        """
        return self._par(position, self._new_budget())

    def after(self, position: Position, guess: Code) -> Par:
        """Return the guesses that are sure from ``position`` on with ``guess`` as the first; raises as `par`."""
        return self._after(position, guess, self._new_budget())

    def lost(self, position: Position, guess: Code) -> Par:
        """Return how many more guesses than par are sure after ``guess``; raises as `par`."""
        budget = self._new_budget()
        least, after = self._par(position, budget), self._after(position, guess, budget)
        # each of the two bounds the other: par is the least of all guesses
        most = min((each for each in (least.at_most, after.at_most) if each is not None), default=None)
        at_least = 0 if most is None else max(0, after.at_least - most)
        return Par(at_least, None if after.at_most is None else after.at_most - least.at_least)

    def regret(self, position: Position, guess: Code) -> Regret | None:
        """Return `lost` as a regret, None if nothing is known; raises as `par`."""
        at_least, at_most = self.lost(position, guess)
        if at_most is None:
            return Regret(Fraction(at_least), None) if at_least else None
        return Regret(Fraction(at_least), Fraction(at_most))

    def keeping(self, position: Position, most: int) -> list[Code]:
        """Return guesses that keep par, at most ``most``, those that leave the fewest codes first; raises as `par`.

        Of guesses that a symmetry of the codes left maps to each other, there is one. There are none, or fewer, if they
        cannot be found within the budget.
        """
        kept, budget = list[Code](), self._new_budget()
        par = self._par(position, budget).exact
        if par == 1:
            return [position.first_candidate]
        if not par or self._search is None:
            return kept
        columns, turn = position.candidates, position.turn
        with suppress(OverBudgetError):
            for reply in self._search.replies(columns, turn, par - 1, budget):
                if self._search.is_answered(columns, turn, reply, par - 1, budget):
                    kept.append(column_code(self._search.space.columns, reply.guess))
                if len(kept) == most:
                    break
        return kept

    def _par(self, position: Position, budget: WorkBudget) -> Par:
        if position.history and position.history[-1].feedback == self._solved:
            return Par(0, 0)
        at_least = bisect_left(self._max_codes, position.count)
        if self._search is not None:
            with suppress(OverBudgetError, TooLargeError):
                budget.check(position.count * self.rules.size)
                while not self._search.is_enough(position.candidates, position.turn, at_least, budget):
                    at_least += 1
                return Par(at_least, at_least)
        return Par(at_least, self._greedy(position))

    def _after(self, position: Position, guess: Code, budget: WorkBudget) -> Par:
        replies = self._replies(position, guess)
        pars = [self._par(position.after(guess, reply), budget) for reply in replies if reply != self._solved]
        most = [each.at_most for each in pars]
        at_least = 1 + max((each.at_least for each in pars), default=0)
        return Par(at_least, None if None in most else 1 + max(filter(None, most), default=0))

    def _replies(self, position: Position, guess: Code) -> tuple[Feedback, ...]:
        ties = evil_replies(position, guess)
        if self._ties == "worst":
            return ties
        return (break_tie(ties, position.turn, self._ties if callable(self._ties) else None),)

    def _greedy(self, position: Position) -> int | None:
        # what minimax needs; None if the budget of the position does not suffice for its guesses
        try:
            needed, open_positions = 1, {position.history: position}
            following: dict[History, Position]
            while open_positions and len(open_positions) <= _MOST_LINES:
                following = {}
                for each in open_positions.values():
                    guess = best_guess(each, MINIMAX)
                    after = [each.after(guess, reply) for reply in self._replies(each, guess)]
                    following |= {each.history: each for each in after if each.history[-1].feedback != self._solved}
                needed, open_positions = needed + bool(following), following
        except (OverBudgetError, TooLargeError):
            return None
        return None if open_positions else needed

    def _new_budget(self) -> WorkBudget:
        return WorkBudget(self._budget, "par")
