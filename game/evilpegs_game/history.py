from typing import Any, NamedTuple

from evilpegs_game.codes import Code, format_code
from evilpegs_game.feedback import Feedback


class Turn(NamedTuple):
    """One guess and its feedback.

    >>> from evilpegs import Feedback, Turn
    >>> turn = Turn((0, 0, 1, 1), Feedback(1, 0))
    >>> turn.guess, str(turn.feedback)
    ((0, 0, 1, 1), '1,0')
    """

    guess: Code
    feedback: Feedback

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object ``{code, black, white}``; ``code`` is text."""
        return {"code": format_code(self.guess), "black": self.feedback.black, "white": self.feedback.white}


History = tuple[Turn, ...]
"""The turns of one game, oldest first."""
