"""Codemakers: who answers a guess, and by which rule.

A reply is a pure function of the position and the guess. A codemaker keeps no state of a game, so any
reply can be computed again from the record of a match.
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
"""Given the turn (from 1) and how many parts tie, the index of one of them in feedback order."""


class Codemaker(Protocol):
    """Replies to guesses."""

    def reply(self, position: Position, guess: Code) -> Feedback:
        """The feedback to ``guess`` at ``position``."""
        ...


@dataclass(frozen=True, slots=True)
class Fixed:
    """A codemaker that keeps one secret and replies truthfully.

    >>> from evilpegs import Fixed, Position, Rules
    >>> Fixed((0, 1, 2, 3)).reply(Position(Rules(4, 6)), (0, 0, 1, 1))
    Feedback(black=1, white=1)
    """

    secret: Code = field(repr=False)

    def reply(self, position: Position, guess: Code) -> Feedback:  # noqa: ARG002
        """The feedback of ``guess`` against the secret."""
        return feedback(guess, self.secret)


@dataclass(frozen=True, slots=True)
class Evil:
    """Has no secret and gives the feedback that leaves most candidates.

    Of several the first in feedback order (fewest blacks, then fewest whites), or the one that
    ``tie_break`` takes, which is asked only when there is a choice.

    >>> from evilpegs import Evil, Position, Rules, parse_code
    >>> rules = Rules(pegs=10, colors=12)
    >>> Evil().reply(Position(rules), parse_code("1234567890", rules))
    Feedback(black=0, white=6)
    """

    tie_break: TieBreak | None = field(default=None, repr=False)

    def reply(self, position: Position, guess: Code) -> Feedback:
        """The feedback of the part chosen.

        Raises:
            ContradictionError, TooLargeError: as the candidates of a `Position` do.
        """
        return break_tie(evil_replies(position, guess), position.turn, self.tie_break)


Method = Literal["exact", "greedy"]
"""How a devil found a reply: by solving the live set, or as evil does."""


class DevilReplies(NamedTuple):
    """What a devil may reply, in feedback order, how that was found, and the feedbacks looked at to solve it."""

    allowed: tuple[Feedback, ...]
    method: Method
    work: int


class DevilReply(NamedTuple):
    """A devil's reply, how it was found, and the feedbacks looked at to solve it."""

    feedback: Feedback
    method: Method
    work: int


@dataclass(frozen=True, slots=True)
class Devil:
    """Has no secret and gives the feedback after which an optimal codebreaker needs most guesses at worst.

    Of several the one that leaves most candidates, and of these as `Evil` does. All-black only when there is no other.
    That is so while there are at most ``exact_up_to`` candidates before the guess; with more it replies as `Evil` does.

    ``worst_case`` is of the rules to be played; what it knows saves time and changes no reply. ``budget`` bounds the
    feedbacks that one reply may look at; one that takes more is an error, never another reply.

    Raises:
        TooLargeError: ``exact_up_to`` codes of the rules cannot be solved.

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
        """Return a devil for games of ``rules``; by default an exact reply takes about a second at most.

        Raises:
            TooLargeError: ``exact_up_to`` codes of the rules cannot be solved.
        """
        return cls(WorstCase(rules), affordable_codes(rules) if exact_up_to is None else exact_up_to)

    def reply(self, position: Position, guess: Code) -> Feedback:
        """The feedback of the part chosen; raises what `decide` does."""
        return self.decide(position, guess).feedback

    def decide(self, position: Position, guess: Code) -> DevilReply:
        """The reply and how it was found; raises what `allowed_replies` does."""
        allowed, method, work = self.allowed_replies(position, guess)
        return DevilReply(break_tie(allowed, position.turn, self.tie_break), method, work)

    def allowed_replies(self, position: Position, guess: Code) -> DevilReplies:
        """The replies of which ``tie_break`` takes one.

        Raises:
            OverBudgetError: an exact reply takes more than ``budget``.
            ContradictionError, TooLargeError: as the candidates of a `Position` do.
            ValueError: the position is of other rules than ``worst_case``.
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
        """How a reply is found when there are so many candidates before the guess."""
        return "exact" if candidates <= self.exact_up_to else "greedy"


def evil_replies(position: Position, guess: Code) -> tuple[Feedback, ...]:
    """The feedbacks an evil codemaker may give, in feedback order: those whose parts are largest.

    All-black is among them only when there is no other.
    """
    return largest_part_feedbacks(position.part_sizes(guess), position.rules.pegs)


def largest_part_feedbacks(part_sizes: tuple[int, ...], pegs: int) -> tuple[Feedback, ...]:
    """The same from the sizes of all parts in feedback order."""
    *sizes, _ = part_sizes  # all-black comes last
    most = max(sizes, default=0)
    numbering = feedbacks(pegs)
    if not most:
        return numbering[-1:]
    if sizes.count(most) == 1:
        return (numbering[sizes.index(most)],)
    return tuple([numbering[place] for place, size in enumerate(sizes) if size == most])


def break_tie(allowed: tuple[Feedback, ...], turn: int, tie_break: TieBreak | None) -> Feedback:
    """The one that is given on a turn: the first, or the one that ``tie_break`` takes."""
    if len(allowed) == 1 or tie_break is None:
        return allowed[0]
    return allowed[tie_break(turn, len(allowed))]


def witness(position: Position) -> Code:
    """A code consistent with everything said so far, to show when an evil game ends: the first."""
    return position.first_candidate
