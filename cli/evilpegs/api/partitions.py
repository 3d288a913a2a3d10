"""The parts into which a guess divides the codes that are still possible."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from evilpegs_game.analysis.guesses import guess_figures
from evilpegs_game.codes import Code, CodeLike, format_code, to_code
from evilpegs_game.displays import Html, html_bar, html_line, html_pegs, html_table, show_marks
from evilpegs_game.errors import require
from evilpegs_game.feedback import Feedback
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules


@dataclass(frozen=True, slots=True)
class Partition:
    """The result of `partition`: the number of candidates that each feedback to ``guess`` would leave.

    ``expected_size`` is the expected number of candidates left, and ``bits`` the expected information, if each
    candidate is equally likely.

    >>> import evilpegs
    >>> result = evilpegs.partition("1122", "4x6")
    >>> result.parts[evilpegs.Feedback(1, 0)], result.largest, round(result.bits, 2)
    (256, 256, 2.89)
    """

    guess: Code
    is_candidate: bool
    parts: dict[Feedback, int] = field(hash=False)
    largest: int
    expected_size: Fraction
    bits: float

    def _repr_html_(self) -> Html:
        figures = {
            "guess": html_pegs(self.guess),
            "candidate": self.is_candidate,
            "expected left": self.expected_size,
            "bits": self.bits,
        }
        rows = [
            (show_marks(feedback, len(self.guess)), size, html_bar(size / self.largest))
            for feedback, size in sorted(self.parts.items())
        ]
        parts = html_table(f"{len(rows):,} parts", ("feedback", "left", ""), rows)
        return Html("".join([*(html_line(name, value) for name, value in figures.items()), parts]))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of a guess in ``evilpegs partition --json``."""
        return {
            "code": format_code(self.guess),
            "candidate": self.is_candidate,
            "parts": [[*feedback, size] for feedback, size in self.parts.items()],
            "largest": self.largest,
            "expected_size": float(self.expected_size),
            "bits": self.bits,
        }


def partition(guess: CodeLike, position: Position | Rules | str = "classic") -> Partition:
    """Say how many candidates each feedback to a guess would leave, as ``evilpegs partition`` does.

    ``position`` is a `Position`, or the rules of one without turns, such as ``4x6``.

    Raises:
        EvilpegsError: an argument is wrong, the turns contradict each other, or the candidates cannot be counted.

    >>> import evilpegs
    >>> evilpegs.partition("3344", evilpegs.Position("4x6", ["1122:1,0"])).largest
    52
    """
    require(position, Position | Rules | str, "a position", "a Position, rules or a text such as '4x6'")
    before = position if isinstance(position, Position) else Position(position)
    figures = guess_figures(before, to_code(guess, before.rules))
    parts = before.parts(figures.guess)
    sizes = figures.largest_part, figures.expected_size, figures.expected_bits
    return Partition(figures.guess, figures.is_candidate, parts, *sizes)
