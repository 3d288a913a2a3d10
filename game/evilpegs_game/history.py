"""The turns of a game so far, from which codemakers, strategies and solvers compute everything else."""

from typing import NamedTuple

from evilpegs_game.codes import Code
from evilpegs_game.feedback import Feedback


class Turn(NamedTuple):
    """One guess and the feedback it received.

    >>> from evilpegs import Feedback, Turn
    >>> turn = Turn((0, 0, 1, 1), Feedback(1, 0))
    >>> turn.guess, str(turn.feedback)
    ((0, 0, 1, 1), '1,0')
    """

    guess: Code
    feedback: Feedback


History = tuple[Turn, ...]
"""The answered turns of one game, oldest first."""
