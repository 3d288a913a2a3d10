from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Self

from evilpegs_game.codemakers.codemaker import TieBreak, break_tie, check_tie_break, evil_replies
from evilpegs_game.codemakers.worst_case import WorstCase, affordable_codes
from evilpegs_game.codes import CodeLike, to_code
from evilpegs_game.errors import MalformedError, require, to_whole
from evilpegs_game.feedback import Feedback
from evilpegs_game.live.position import Position, to_position
from evilpegs_game.rules import Rules, to_rules

Method = Literal["exact", "greedy"]
"""``exact`` counts the guesses needed after each reply; ``greedy`` is `Evil`'s rule."""


class DevilReplies(NamedTuple):
    """The equally good replies of a devil, in feedback order; ``work`` in feedback evaluations, 0 if ``greedy``."""

    allowed: tuple[Feedback, ...]
    method: Method
    work: int


@dataclass(frozen=True, slots=True)
class Devil:
    """A codemaker without a secret whose reply makes an optimal codebreaker need the most guesses at worst.

    It gives all-black only if no other feedback is possible. Of replies equally bad for the codebreaker, it gives the
    one that leaves the most candidates; ties go to the first in feedback order, or to the one that ``tie_break``
    chooses. With more than ``exact_up_to`` candidates before the guess this is too expensive, and the devil replies by
    the rule of `Evil`.

    ``worst_case`` is the solver for the rules of the game; the results that it remembers change no reply. ``budget``
    bounds the work of one reply in feedback evaluations; a reply that needs more raises OverBudgetError. `for_rules`
    makes a devil with the usual limits.

    Raises:
        TooLargeError: ``exact_up_to`` codes of the rules cannot be solved exactly.

    >>> from evilpegs import Devil, Position
    >>> Devil.for_rules("3x5").reply(Position("3x5"), "112")
    Feedback(black=1, white=0)
    """

    worst_case: WorstCase = field(repr=False)
    exact_up_to: int
    tie_break: TieBreak | None = field(default=None, repr=False)
    budget: int | None = None

    def __post_init__(self) -> None:
        require(self.worst_case, WorstCase, "a solver", "a WorstCase, or call Devil.for_rules('3x5')")
        object.__setattr__(self, "exact_up_to", to_whole("exact_up_to", self.exact_up_to, 0))
        if self.budget is not None:
            object.__setattr__(self, "budget", to_whole("budget", self.budget, 0))
        check_tie_break(self.tie_break)
        self.worst_case.check_codes(self.exact_up_to)

    @classmethod
    def for_rules(cls, rules: Rules | str, exact_up_to: int | None = None) -> Self:
        """Return a devil that replies exactly while at most ``exact_up_to`` candidates are left.

        By default, an exact reply takes about a second at most.

        Raises:
            TooLargeError: the rules are too large, or ``exact_up_to`` codes of them cannot be solved exactly.
        """
        rules = to_rules(rules)
        return cls(WorstCase(rules), affordable_codes(rules) if exact_up_to is None else exact_up_to)

    def reply(self, position: Position, guess: CodeLike) -> Feedback:
        """Return the feedback to ``guess`` at ``position``.

        Raises:
            OverBudgetError: an exact reply takes more work than ``budget``.
            MalformedError: the position has other rules than ``worst_case``, or as for `Evil.reply`.
            IllegalCodeError, ContradictionError, TooLargeError: under the conditions of `Evil.reply`.
        """
        return break_tie(self.allowed_replies(position, guess).allowed, position.turn, self.tie_break)

    def allowed_replies(self, position: Position, guess: CodeLike) -> DevilReplies:
        """Return the replies from which ``tie_break`` chooses; raises the errors of `reply`."""
        if to_position(position).rules != self.worst_case.rules:
            raise MalformedError(f"a devil for {self.worst_case.rules} was asked about {position.rules}")
        guess = to_code(guess, position.rules)
        method = self.method_for(position.count)
        if method == "greedy":
            return DevilReplies(evil_replies(position, guess), method, 0)
        allowed, work = self.worst_case.hardest_replies(position.candidates, guess, self.budget)
        return DevilReplies(allowed, method, work)

    def method_for(self, candidates: int) -> Method:
        """Return the method of a reply to a guess with ``candidates`` candidates before it."""
        return "exact" if to_whole("candidates", candidates, 1) <= self.exact_up_to else "greedy"
