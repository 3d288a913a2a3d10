"""The walk of a criterion: what a strategy that follows one needs against every candidate, without asking it a turn.

The guesses are those of `evilpegs_game.selection`, so the distribution is that of `evilpegs_game.evaluation.evaluate`.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final

from evilpegs_game.candidates import History, LiveSets, Position
from evilpegs_game.codes import Code, check_code
from evilpegs_game.criteria import Criterion
from evilpegs_game.errors import TooLargeError
from evilpegs_game.feedback import all_black
from evilpegs_game.rules import Rules
from evilpegs_game.selection import best_guess

MAX_BYTES: Final = 2 << 30
"""A walk that takes more memory is refused."""


def walk(
    rules: Rules,
    criterion: Criterion,
    history: History = (),
    first: Code | None = None,
    candidates_only: bool = False,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> tuple[int, ...]:
    """Play against every candidate of ``history`` by walking the game tree under it once.

    ``first`` is the guess to play there, by default the best. ``progress`` is told of so many more codes finished.
    Returns the distribution: at index i the candidates solved at guess i + 1 after ``history``.

    Raises:
        TooLargeError: it takes more than ``MAX_BYTES``; nothing was allocated.
        ContradictionError: no code is consistent with ``history``.
        IllegalCodeError: ``first`` is not a code of the rules.
    """
    needed = walk_bytes(rules, threads)
    if needed > MAX_BYTES:
        message = f"walking {rules} takes {needed:,} bytes; the bound is {MAX_BYTES:,}; take smaller rules"
        raise TooLargeError(message)
    if first is not None:
        check_code(first, rules)
    root = Position(rules, history, LiveSets(MAX_BYTES))
    solved: Counter[int] = Counter()
    waiting = [root]
    while waiting:
        position = waiting.pop()
        guess = first if first and position is root else best_guess(position, criterion, candidates_only)
        after = position.split(guess)
        if after.pop(all_black(rules.pegs), None):
            solved[position.turn - root.turn] += 1
            if progress:
                progress(1)
        waiting.extend(after.values())
    return tuple(solved[turn] for turn in range(max(solved) + 1))


def walk_bytes(rules: Rules, threads: int) -> int:
    """The memory that a walk takes at most, in bytes; known before anything is allocated."""
    return (2 * rules.pegs + 16) * rules.size + threads * (1 << 24)
