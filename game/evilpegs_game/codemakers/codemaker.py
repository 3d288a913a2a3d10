"""The codemakers fixed and evil, and what all codemakers share; `devil` has the third.

A reply is a pure function of position and guess: a codemaker keeps no state of a game, so any reply can be recomputed
from the record of a match.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from evilpegs_game.codes import Code, CodeLike, to_code, to_code_of_any_rules
from evilpegs_game.errors import to_whole, wrong_argument
from evilpegs_game.feedback import Feedback, feedbacks, plain_feedback
from evilpegs_game.live.position import Position, to_position, unchecked_part_sizes

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

    The secret may be a text; MalformedError is raised if it is no code of any rules.

    >>> from evilpegs import Fixed, Position, Rules
    >>> Fixed("1234").reply(Position(Rules(4, 6)), (0, 0, 1, 1))
    Feedback(black=1, white=1)
    """

    secret: Code = field(repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "secret", to_code_of_any_rules(self.secret))

    def reply(self, position: Position, guess: CodeLike) -> Feedback:
        """Return the feedback of the secret; only the rules of ``position`` matter.

        Raises:
            MalformedError, IllegalCodeError: the guess, or the secret, is no code of these rules.
        """
        rules = to_position(position).rules
        return plain_feedback(to_code(guess, rules), to_code(self.secret, rules))


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

    def __post_init__(self) -> None:
        check_tie_break(self.tie_break)

    def reply(self, position: Position, guess: CodeLike) -> Feedback:
        """Return the feedback to ``guess`` at ``position``.

        Raises:
            MalformedError, IllegalCodeError: ``guess`` is no code of the rules, or ``tie_break`` chose no reply.
            ContradictionError: the feedback so far leaves no candidate.
            TooLargeError: counting the candidates takes too much memory or work, see `Position.part_sizes`.
        """
        checked = to_code(guess, to_position(position).rules)
        return break_tie(evil_replies(position, checked), position.turn, self.tie_break)


def evil_replies(position: Position, guess: Code) -> tuple[Feedback, ...]:
    """Return the feedbacks that `Evil` may give, in feedback order."""
    return largest_part_feedbacks(unchecked_part_sizes(position, guess), position.rules.pegs)


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


def check_tie_break(tie_break: TieBreak | None) -> None:
    if tie_break is not None and (isinstance(tie_break, type) or not callable(tie_break)):
        raise wrong_argument("a tie_break", tie_break, "a function of the turn and the number of replies, or None")


def break_tie(allowed: tuple[Feedback, ...], turn: int, tie_break: TieBreak | None) -> Feedback:
    if len(allowed) == 1 or tie_break is None:
        return allowed[0]
    return allowed[to_whole("what tie_break returns", tie_break(turn, len(allowed)), 0, len(allowed) - 1)]
