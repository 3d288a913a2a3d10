"""The game tree of a strategy, one position after the other: the plain form of `heuristic_kernels`.

Every position that some secret leads to occurs once, so codes with the same feedback so far share one choice.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from evilpegs_game.codes import Code
from evilpegs_game.errors import StuckError
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position

ChooseGuess = Callable[[Position], Code]
"""A deterministic strategy: always the same guess at the same position."""

MAX_IDLE_TURNS: Final = 32
"""The most guesses in a row that may exclude no candidate before a strategy counts as stuck."""


class TreeNode(NamedTuple):
    """A position of a game tree; ``parts`` has no all-black, and ``is_solved`` is True if the guess is a candidate."""

    position: Position
    guess: Code
    parts: dict[Feedback, Position]
    is_solved: bool


def walk_tree(choose: ChooseGuess, root: Position, first: Code | None = None) -> Iterator[TreeNode]:
    """Yield the nodes of the game tree below ``root``, each before those below it, in feedback order.

    ``first`` replaces the guess at ``root``.

    Raises:
        StuckError: the strategy repeats guesses that exclude no candidate.
        ContradictionError: no code is consistent with the history of ``root``.
        TooLargeError: the codes do not fit the memory bound.
    """
    end = all_black(root.rules.pegs)
    waiting = [(root, idle_before(root))]
    while waiting:
        position, idle = waiting.pop()
        guess = first if first is not None and position is root else choose(position)
        parts = position.split(guess)
        is_solved = parts.pop(end, None) is not None
        yield TreeNode(position, guess, parts, is_solved)
        waiting += [(child, idle_turns(idle, position, child)) for child in reversed(parts.values())]


def idle_before(position: Position) -> int:
    """Return how many turns in a row at the end of the history excluded no candidate."""
    idle, live_sets = 0, LiveSets()
    while idle < len(position.history):
        earlier = Position(position.rules, position.history[: -1 - idle], live_sets)
        if earlier.count > position.count:
            break
        idle += 1
    return idle


def idle_turns(idle: int, before: Position, after: Position) -> int:
    """Return ``idle`` after one more turn, 0 if it excluded a candidate; raise StuckError over `MAX_IDLE_TURNS`."""
    if after.count < before.count:
        return 0
    if idle == MAX_IDLE_TURNS:
        message = (
            f"the strategy is stuck at turn {before.turn} of {before.rules}: its last {idle + 1} guesses "
            f"excluded none of {before.count:,} candidates"
        )
        raise StuckError(message)
    return idle + 1
