"""Codes and feedback as text for people. Every peg shows its symbol, on its color if the terminal has colors."""

from colorsys import hls_to_rgb
from typing import Final

from rich.text import Text

from evilpegs_clients.printable import printable
from evilpegs_game.codes import SYMBOLS

MARK_SYMBOLS: Final = ("●○·", "Xo.")
"""The marks for black, white and neither, in Unicode and in ASCII."""
_GOLDEN: Final = 0.618034
"""The step between hues, as a fraction of the color circle; consecutive hues differ clearly."""


def peg_color(index: int) -> str:
    """Return the shade of a color, given its index from 0, as #rrggbb; the shade is light enough for black text."""
    red, green, blue = (round(255 * part) for part in hls_to_rgb(index * _GOLDEN % 1, 0.66, 0.8))
    return f"#{red:02x}{green:02x}{blue:02x}"


def peg_text(code: str) -> Text:
    """Return a code, given as text, with one colored peg per symbol.

    A code from a peer may contain other characters; they are shown without a color.
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
