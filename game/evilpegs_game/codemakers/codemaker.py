"""The three codemakers and the rules by which they reply.

A reply is a pure function of position and guess: a codemaker keeps no state of a game, so any reply can be recomputed
from the record of a match.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, Self

from evilpegs_game.codemakers.worst_case import WorstCase, affordable_codes
from evilpegs_game.codes import Code
from evilpegs_game.feedback import Feedback, feedback, feedbacks
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

TieBreak = Callable[[int, int], int]
"""A choice among equally good feedbacks: from the turn and their number to an index in feedback order."""


class Codemaker(Protocol):
    """An object that replies to guesses: `Fixed`, `Evil`, `Devil`, or one of your own.

    >>> import evilpegs
    >>> class Grudging:
    ...     def reply(self, position, guess):
    ...         return min(position.parts(guess))
    >>> evilpegs.duel("minimax", codemaker=Grudging(), rules="3x3")
    <Duel of minimax with grudging on 3x3: solved in 2 guesses>
    """

    def reply(self, position: Position, guess: Code) -> Feedback:
        """Return the feedback to ``guess``, a code of the rules, at ``position``."""
        ...


@dataclass(frozen=True, slots=True)
class Fixed:
    """A codemaker that keeps one secret and replies truthfully. Its repr does not show the secret.

    >>> from evilpegs import Fixed, Position, Rules
    >>> Fixed((0, 1, 2, 3)).reply(Position(Rules(4, 6)), (0, 0, 1, 1))
    Feedback(black=1, white=1)
    """

    secret: Code = field(repr=False)

    def reply(self, position: Position, guess: Code) -> Feedback:  # noqa: ARG002
        """Return the feedback of the secret; ``position`` is not used."""
        return feedback(guess, self.secret)


@dataclass(frozen=True, slots=True)
class Evil:
    """A codemaker without a secret that always gives the feedback that leaves the most candidates.

    It gives all-black only if no other feedback is possible. Ties go to the first in feedback order, or to the one that
    ``tie_break`` chooses; ``tie_break`` is called only if several feedbacks tie.

    >>> from evilpegs import Evil, Position, Rules, parse_code
    >>> rules = Rules(pegs=10, colors=12)
    >>> Evil().reply(Position(rules), parse_code("1234567890", rules))
    Feedback(black=0, white=6)
    """

    tie_break: TieBreak | None = field(default=None, repr=False)

    def reply(self, position: Position, guess: Code) -> Feedback:
        """Return the feedback to ``guess`` at ``position``.

        Raises:
            IllegalCodeError: ``guess`` has the wrong number of pegs.
            ContradictionError: the feedback so far leaves no candidate.
            TooLargeError: counting the candidates takes too much memory or work, see `Position.part_sizes`.
        """
        return break_tie(evil_replies(position, guess), position.turn, self.tie_break)


Method = Literal["exact", "greedy"]
"""``exact`` counts the guesses needed after each reply; ``greedy`` is `Evil`'s rule."""


class DevilReplies(NamedTuple):
    """The equally good replies of a devil, in feedback order; ``work`` in feedback evaluations, 0 if ``greedy``."""

    allowed: tuple[Feedback, ...]
    method: Method
    work: int


class DevilReply(NamedTuple):
    """The reply of a devil; ``work`` in feedback evaluations, 0 if ``greedy``."""

    feedback: Feedback
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

    >>> from evilpegs import Devil, Position, Rules
    >>> rules = Rules(3, 5)
    >>> Devil.for_rules(rules).reply(Position(rules), (0, 0, 1))
    Feedback(black=1, white=0)
    """

    worst_case: WorstCase = field(repr=False)
    exact_up_to: int
    tie_break: TieBreak | None = field(default=None, repr=False)
    budget: int | None = None

    def __post_init__(self) -> None:
        self.worst_case.check_codes(self.exact_up_to)

    @classmethod
    def for_rules(cls, rules: Rules, exact_up_to: int | None = None) -> Self:
        """Return a devil that replies exactly while at most ``exact_up_to`` candidates are left.

        By default, an exact reply takes about a second at most.

        Raises:
            TooLargeError: the rules are too large, or ``exact_up_to`` codes of them cannot be solved exactly.
        """
        return cls(WorstCase(rules), affordable_codes(rules) if exact_up_to is None else exact_up_to)

    def reply(self, position: Position, guess: Code) -> Feedback:
        """Return the feedback to ``guess`` at ``position``.

        Raises:
            OverBudgetError: an exact reply takes more work than ``budget``.
            IllegalCodeError, ContradictionError, TooLargeError: under the conditions of `Evil.reply`.
            ValueError: the position has other rules than ``worst_case``.
        """
        return self.decide(position, guess).feedback

    def decide(self, position: Position, guess: Code) -> DevilReply:
        """Return the reply with its method and work; raises the errors of `reply`."""
        allowed, method, work = self.allowed_replies(position, guess)
        return DevilReply(break_tie(allowed, position.turn, self.tie_break), method, work)

    def allowed_replies(self, position: Position, guess: Code) -> DevilReplies:
        """Return the replies from which ``tie_break`` chooses; raises the errors of `reply`."""
        if position.rules != self.worst_case.rules:
            raise ValueError(f"a devil for {self.worst_case.rules} was asked about {position.rules}")
        method = self.method_for(position.count)
        if method == "greedy":
            return DevilReplies(evil_replies(position, guess), method, 0)
        allowed, work = self.worst_case.hardest_replies(position.candidates, guess, self.budget)
        return DevilReplies(allowed, method, work)

    def method_for(self, candidates: int) -> Method:
        """Return the method of a reply to a guess with ``candidates`` candidates before it."""
        return "exact" if candidates <= self.exact_up_to else "greedy"


def evil_replies(position: Position, guess: Code) -> tuple[Feedback, ...]:
    """Return the feedbacks that `Evil` may give, in feedback order."""
    return largest_part_feedbacks(position.part_sizes(guess), position.rules.pegs)


def largest_part_feedbacks(part_sizes: tuple[int, ...], pegs: int) -> tuple[Feedback, ...]:
    """Return the feedbacks that `Evil` may give; ``part_sizes`` are in feedback order, zeros included."""
    *sizes, _ = part_sizes  # all-black comes last
    most = max(sizes, default=0)
    numbering = feedbacks(pegs)
    if not most:
        return numbering[-1:]
    if sizes.count(most) == 1:
        return (numbering[sizes.index(most)],)
    return tuple([numbering[index] for index, size in enumerate(sizes) if size == most])


def break_tie(allowed: tuple[Feedback, ...], turn: int, tie_break: TieBreak | None) -> Feedback:
    if len(allowed) == 1 or tie_break is None:
        return allowed[0]
    return allowed[tie_break(turn, len(allowed))]


def witness(position: Position) -> Code:
    return position.first_candidate
