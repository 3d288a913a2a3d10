"""Codes and feedback as text for people; a peg shows its symbol, on a colored ground if the terminal has colors."""

from colorsys import hls_to_rgb
from typing import Final

from rich.text import Text

from evilpegs_clients.printable import printable
from evilpegs_game.codes import SYMBOLS

MARK_SYMBOLS: Final = ("●○·", "Xo.")
"""The marks for black, white and neither, in Unicode and in ASCII."""
_GOLDEN: Final = 0.618034
"""The step from the hue of one color to the next, as a fraction of the color circle; the hues differ clearly."""


def peg_color(index: int) -> str:
    """Return the shade in which the color at ``index``, from 0, is shown, as #rrggbb; black text on it is readable."""
    red, green, blue = (round(255 * part) for part in hls_to_rgb(index * _GOLDEN % 1, 0.66, 0.8))
    return f"#{red:02x}{green:02x}{blue:02x}"


def peg_text(code: str) -> Text:
    """Return ``code``, such as ``1122``, as styled text with one colored peg per symbol.

    Characters that are no color symbols, which a server may send, are shown without a color.
    """
    text = Text()
    for symbol in printable(code):
        index = SYMBOLS.find(symbol)
        text.append(f" {symbol} ", f"bold black on {peg_color(index)}" if index >= 0 else "bold")
    return text


def feedback_marks(black: int, white: int, pegs: int, ascii_only: bool = False) -> Text:
    """Return a feedback as marks: a full mark per black, a hollow one per white, and a dot per peg without either.

    With ``ascii_only`` the marks are ASCII characters.
    """
    full, hollow, dot = MARK_SYMBOLS[ascii_only]
    return Text.assemble((full * black, "bold"), (hollow * white, "bold"), (dot * (pegs - black - white), "dim"))
