"""The three codemakers and the rules by which they reply: fixed, evil and devil.

A reply is a pure function of the position and the guess. A codemaker keeps no state of a game, so any reply can be
computed again from the record of a match.
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
"""A function that chooses one of several equally good feedbacks.

Its arguments are the turn (from 1) and the number of these feedbacks; its result is the index (from 0) of one of them,
in feedback order.
"""


class Codemaker(Protocol):
    """An object that replies to guesses; `Fixed`, `Evil` and `Devil` are codemakers, and so is an object of your own.

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
    """A codemaker that keeps one secret and replies truthfully. The secret is not shown in its repr.

    >>> from evilpegs import Fixed, Position, Rules
    >>> Fixed((0, 1, 2, 3)).reply(Position(Rules(4, 6)), (0, 0, 1, 1))
    Feedback(black=1, white=1)
    """

    secret: Code = field(repr=False)

    def reply(self, position: Position, guess: Code) -> Feedback:  # noqa: ARG002
        """Return the feedback of the secret to ``guess``; ``position`` is not used."""
        return feedback(guess, self.secret)


@dataclass(frozen=True, slots=True)
class Evil:
    """A codemaker without a secret that always gives the feedback that leaves the most candidates.

    It gives all-black only when no other feedback is possible. If several feedbacks leave the most candidates, it takes
    the first of them in feedback order (fewest blacks, then fewest whites), or the one that ``tie_break`` chooses.
    ``tie_break`` is called only if there are several.

    >>> from evilpegs import Evil, Position, Rules, parse_code
    >>> rules = Rules(pegs=10, colors=12)
    >>> Evil().reply(Position(rules), parse_code("1234567890", rules))
    Feedback(black=0, white=6)
    """

    tie_break: TieBreak | None = field(default=None, repr=False)

    def reply(self, position: Position, guess: Code) -> Feedback:
        """Return the feedback to ``guess`` that leaves the most candidates at ``position``.

        Raises:
            IllegalCodeError: ``guess`` has the wrong number of pegs.
            ContradictionError: the feedback so far leaves no candidate.
            TooLargeError: counting the candidates takes too much memory or work, see `Position.part_sizes`.
        """
        return break_tie(evil_replies(position, guess), position.turn, self.tie_break)


Method = Literal["exact", "greedy"]
"""The way a devil found a reply: ``exact`` from the guesses needed after each reply, ``greedy`` by `Evil`'s rule."""


class DevilReplies(NamedTuple):
    """The equally good replies of a devil, in feedback order, with the method and the work that found them.

    ``method`` is ``exact`` if the replies in ``allowed`` make an optimal codebreaker need the most guesses at worst. It
    is ``greedy`` if these replies only leave the most candidates, the rule of `Evil`. ``work`` is the number of
    feedback evaluations that the exact method took, 0 for ``greedy``.
    """

    allowed: tuple[Feedback, ...]
    method: Method
    work: int


class DevilReply(NamedTuple):
    """The reply of a devil, with the method and the work that found it.

    ``method`` is ``exact`` if ``feedback`` makes an optimal codebreaker need the most guesses at worst. It is
    ``greedy`` if ``feedback`` only leaves the most candidates, the rule of `Evil`. ``work`` is the number of feedback
    evaluations that the exact method took, 0 for ``greedy``.
    """

    feedback: Feedback
    method: Method
    work: int


@dataclass(frozen=True, slots=True)
class Devil:
    """A codemaker without a secret whose reply makes an optimal codebreaker need the most guesses at worst.

    It gives all-black only when no other feedback is possible. Of several replies that are equally bad for the
    codebreaker, it gives the one that leaves the most candidates. Of several that leave equally many, it gives the
    first in feedback order, or the one that ``tie_break`` chooses. While there are more than ``exact_up_to`` candidates
    before the guess, finding this reply is too expensive, and the devil replies by the rule of `Evil`.

    ``worst_case`` is the solver for the rules of the game; the results that it remembers save time and change no reply.
    ``budget`` bounds the work of one reply in feedback evaluations; None means no limit. A reply that needs more raises
    OverBudgetError. `for_rules` makes a devil with the usual limits.

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
        """Return a devil for games of ``rules`` that replies exactly while at most ``exact_up_to`` candidates are left.

        The default of ``exact_up_to`` is chosen so that an exact reply takes about a second at most.

        Raises:
            TooLargeError: the rules are too large, or ``exact_up_to`` codes of them cannot be solved exactly.
        """
        return cls(WorstCase(rules), affordable_codes(rules) if exact_up_to is None else exact_up_to)

    def reply(self, position: Position, guess: Code) -> Feedback:
        """Return the feedback to ``guess`` after which an optimal codebreaker needs the most guesses at worst.

        While there are more than ``exact_up_to`` candidates, it is the feedback that leaves the most candidates.

        Raises:
            OverBudgetError: an exact reply takes more work than ``budget``.
            IllegalCodeError, ContradictionError, TooLargeError: under the conditions of `Evil.reply`.
            ValueError: the position has other rules than ``worst_case``.
        """
        return self.decide(position, guess).feedback

    def decide(self, position: Position, guess: Code) -> DevilReply:
        """Return the reply to ``guess`` at ``position``, with the method and the work that found it.

        Raises the errors of `reply`.
        """
        allowed, method, work = self.allowed_replies(position, guess)
        return DevilReply(break_tie(allowed, position.turn, self.tie_break), method, work)

    def allowed_replies(self, position: Position, guess: Code) -> DevilReplies:
        """Return the replies to ``guess`` from which ``tie_break`` chooses, with the method and the work behind them.

        Raises the errors of `reply`.
        """
        if position.rules != self.worst_case.rules:
            message = f"a devil for {self.worst_case.rules} was asked about {position.rules}"
            raise ValueError(message)
        method = self.method_for(position.count)
        if method == "greedy":
            return DevilReplies(evil_replies(position, guess), method, 0)
        allowed, work = self.worst_case.hardest_replies(position.candidates, guess, self.budget)
        return DevilReplies(allowed, method, work)

    def method_for(self, candidates: int) -> Method:
        """Return ``exact`` or ``greedy``, the method of a reply to a guess with ``candidates`` candidates before it."""
        return "exact" if candidates <= self.exact_up_to else "greedy"


def evil_replies(position: Position, guess: Code) -> tuple[Feedback, ...]:
    """Return the feedbacks to ``guess`` that leave the most candidates, in feedback order; `Evil` may give any of them.

    All-black is returned only if no other feedback is possible.
    """
    return largest_part_feedbacks(position.part_sizes(guess), position.rules.pegs)


def largest_part_feedbacks(part_sizes: tuple[int, ...], pegs: int) -> tuple[Feedback, ...]:
    """Return the feedbacks that leave the most candidates, in feedback order.

    ``part_sizes`` has the number of candidates that each feedback would leave, in feedback order, zeros included.
    All-black is returned only if no other feedback is possible.
    """
    *sizes, _ = part_sizes  # all-black comes last
    most = max(sizes, default=0)
    numbering = feedbacks(pegs)
    if not most:
        return numbering[-1:]
    if sizes.count(most) == 1:
        return (numbering[sizes.index(most)],)
    return tuple([numbering[index] for index, size in enumerate(sizes) if size == most])


def break_tie(allowed: tuple[Feedback, ...], turn: int, tie_break: TieBreak | None) -> Feedback:
    """Return the reply to give on ``turn`` (from 1): the first of ``allowed``, or the one ``tie_break`` chooses."""
    if len(allowed) == 1 or tie_break is None:
        return allowed[0]
    return allowed[tie_break(turn, len(allowed))]


def witness(position: Position) -> Code:
    """Return the first code in code order that agrees with every turn; it is shown when a game against evil ends."""
    return position.first_candidate
