"""The fewest guesses that are sure to beat evil, and the turns of a game with this number of guesses.

With its written tie rule, evil's reply to a guess is determined, so every guess leads from one live set to exactly one
next. With the *worst ties*, evil may give any reply that leaves the most codes, and the codebreaker must be ready for
each. The search tries one number of guesses after another, in ascending order (iterative deepening).
"""

from collections.abc import Callable, Iterator

from evilpegs_game.codemakers.small_sets import WorkBudget
from evilpegs_game.codes import column_code
from evilpegs_game.evaluation.exact import DuelTurn
from evilpegs_game.feedback import all_black
from evilpegs_game.optimal.evil_search import EvilSearch
from evilpegs_game.partition import select
from evilpegs_game.rules import Rules


class ShortestLineSearch:
    """A search for the shortest game against evil; ``work`` counts its feedback evaluations.

    With ``worst_ties`` each tie of evil is decided as is worst for the codebreaker, else evil's rule decides. Raises
    TooLargeError as `CodeSpace` does.
    """

    def __init__(self, rules: Rules, *, worst_ties: bool = False, budget: int | None = None) -> None:
        self.rules = rules
        self._budget = WorkBudget(budget, "the search for the shortest game")
        self._search = EvilSearch(rules, "worst" if worst_ties else "first")

    @property
    def work(self) -> int:
        return self._budget.work

    def run(self, progress: Callable[[int], None] | None = None) -> tuple[DuelTurn, ...]:
        """Return the turns of a game in which both sides play their best.

        ``progress`` is called with each number of guesses that the search turns to, in ascending order: fewer are then
        proved not to be enough. Raises OverBudgetError over ``budget`` feedback evaluations.
        """
        guesses = self._search.at_least(self.rules.size)
        while True:
            if progress:
                progress(guesses)
            if self._search.is_enough(self._search.space.columns, 1, guesses, self._budget):
                return tuple(self._turns(guesses))
            guesses += 1

    def _turns(self, guesses: int) -> Iterator[DuelTurn]:
        search, columns = self._search, self._search.space.columns
        for turn in range(1, guesses):
            left = guesses - turn
            replies = search.replies(columns, turn, left, self._budget)
            reply = next(each for each in replies if search.is_answered(columns, turn, each, left, self._budget))
            guess = column_code(search.space.columns, reply.guess)
            for number in reply.numbers:
                part = select(columns, guess, search.feedbacks[number])
                if not search.is_enough(part, turn + 1, left - 1, self._budget):
                    break
            yield DuelTurn(guess, search.feedbacks[number], reply.codes)
            columns = part
        yield DuelTurn(column_code(columns, 0), all_black(self.rules.pegs), 1)
