"""The codemakers fixed and evil, and what all codemakers share; `devil` has the third.

A reply is a pure function of position and guess: a codemaker keeps no state of a game, so any reply can be recomputed
from the record of a match.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from evilpegs_game.codes import Code
from evilpegs_game.feedback import Feedback, feedback, feedbacks
from evilpegs_game.live.position import Position

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
