"""The turns of a game so far, from which codemakers, strategies and solvers compute everything else."""

from typing import Any, NamedTuple

from evilpegs_game.codes import Code, format_code
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

    def to_json(self) -> dict[str, Any]:
        """Return the turn as a JSON object: the guess as text (``code``), and the numbers ``black`` and ``white``."""
        return {"code": format_code(self.guess), "black": self.feedback.black, "white": self.feedback.white}


History = tuple[Turn, ...]
"""The answered turns of one game, oldest first."""
