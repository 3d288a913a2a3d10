"""Candidates: the codes consistent with every feedback so far.

A `Position` is what a codebreaker knows. It keeps no codes: they are computed when first asked for and
shared through `LiveSets`, a cache with a byte budget, so that many games at the same point cost one copy
and nothing is lost when an entry is dropped.
"""

from evilpegs_game.codes import Code, Columns, column_code
from evilpegs_game.counting.solution_tables import Dice
from evilpegs_game.feedback import Feedback, feedback, feedbacks
from evilpegs_game.history import History, Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.partition import part_sizes, split
from evilpegs_game.rules import Rules

__all__ = ["History", "LiveSets", "Position", "Turn"]


class Position:
    """What a codebreaker knows at a turn: the rules, the history and all that follows from them.

    ``budget`` is the number of feedback evaluations that one choice may take, or None. Whatever needs the candidates
    raises ContradictionError if there are none and TooLargeError if they do not fit; how many there are, part sizes,
    the first candidate and samples are known for rules of any size.
    """

    __slots__ = ("_live", "_live_sets", "budget", "history", "rules")

    def __init__(self, rules: Rules, history: History, live_sets: LiveSets, budget: int | None = None) -> None:
        self.rules = rules
        self.history = history
        self.budget = budget
        self._live_sets = live_sets
        self._live: Columns | None = None

    def __repr__(self) -> str:
        return f"<Position {self.rules} turn {self.turn}>"

    @property
    def turn(self) -> int:
        """The number of the turn to play, from 1."""
        return len(self.history) + 1

    @property
    def all_codes(self) -> Columns:
        """Every code of the rules in code order, read-only; each is a legal guess."""
        return self._live_sets.all_codes(self.rules)

    @property
    def candidates(self) -> Columns:
        """The candidates in code order, read-only."""
        if self._live is None:
            self._live = self._live_sets.get(self.rules, self.history)
        return self._live

    @property
    def _is_counted(self) -> bool:
        """Whether what is asked can be known without the candidates, which may be too many."""
        return self._live is None and self.rules.size > self._live_sets.enumerated_codes

    @property
    def count(self) -> int:
        """How many candidates there are; at least one. Known for rules of any size."""
        if self._is_counted:
            return self._live_sets.count(self.rules, self.history)
        return int(self.candidates.shape[1])

    @property
    def first_candidate(self) -> Code:
        """The first candidate in code order. Known for rules of any size."""
        return self._live_sets.first(self.rules, self.history) if self._is_counted else self.candidate(0)

    def sample(self, dice: Dice, many: int = 1) -> list[Code]:
        """So many candidates, each drawn from all of them alike; for rules of any size."""
        if self._is_counted:
            return self._live_sets.sample(self.rules, self.history, dice, many)
        return [self.candidate(dice.randrange(self.count)) for _ in range(many)]

    def candidate(self, index: int) -> Code:
        """The candidate at ``index`` (from 0) in code order; raises IndexError."""
        return column_code(self.candidates, index)

    def is_candidate(self, code: Code) -> bool:
        """Whether ``code``, a code of the rules, is consistent with the history."""
        return all(feedback(guess, code) == given for guess, given in self.history)

    def part_sizes(self, guess: Code) -> tuple[int, ...]:
        """The size of each part of ``guess`` in the order of `feedbacks`, zeros included; for rules of any size."""
        if self._is_counted:
            return self._live_sets.part_sizes(self.rules, self.history, guess)
        table = None if self._live is not None else self._live_sets.feedback_table(self.rules)
        if table is not None:
            sizes = table.part_sizes(self.history, guess).tolist()
            if any(sizes):  # else there are no candidates, and to ask for them says why
                return tuple(sizes)
        return tuple(part_sizes(self.candidates, guess).tolist())

    def parts(self, guess: Code) -> dict[Feedback, int]:
        """The sizes of the non-empty parts of ``guess``, in feedback order."""
        sizes = zip(feedbacks(self.rules.pegs), self.part_sizes(guess), strict=True)
        return {given: size for given, size in sizes if size}

    def after(self, guess: Code, given: Feedback) -> "Position":
        """The position once ``guess`` got the feedback ``given``."""
        return Position(self.rules, (*self.history, Turn(guess, given)), self._live_sets, self.budget)

    def split(self, guess: Code) -> dict[Feedback, "Position"]:
        """The position after each feedback that ``guess`` can get, in feedback order.

        Their candidates are computed together, belong to them, and do not enter the cache.
        """
        positions = {}
        for given, columns in split(self.candidates, guess):
            positions[given] = self.after(guess, given)
            positions[given]._live = columns
        return positions
