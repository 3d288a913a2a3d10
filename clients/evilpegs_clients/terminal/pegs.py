"""Codes and feedback as text for people. Every peg shows its symbol, on its color if the terminal has colors."""

from colorsys import hls_to_rgb
from typing import Final

from rich.text import Text

from evilpegs_clients.printable import printable
from evilpegs_game.codes import SYMBOLS

MARK_SYMBOLS: Final = ("●○·", "Xo.")
"""The marks for black, white and neither, first in Unicode and then in ASCII."""
_GOLDEN: Final = 0.618034
"""The step between hues, as a fraction of the color circle; consecutive hues differ clearly."""


def peg_color(index: int) -> str:
    """Return the shade of a color, given its index from 0, as #rrggbb; black text is readable on it."""
    red, green, blue = (round(255 * part) for part in hls_to_rgb(index * _GOLDEN % 1, 0.66, 0.8))
    return f"#{red:02x}{green:02x}{blue:02x}"


def peg_text(code: str) -> Text:
    """Return a code, given in its text form, with one colored peg per symbol; a peer's may have other characters."""
    text = Text()
    for symbol in printable(code):
        index = SYMBOLS.find(symbol)
        text.append(f" {symbol} ", f"bold black on {peg_color(index)}" if index >= 0 else "bold")
    return text


def feedback_marks(black: int, white: int, pegs: int, ascii_only: bool = False) -> Text:
    """Return a feedback as marks: full per black, hollow per white, and a dot per peg without either."""
    full, hollow, dot = MARK_SYMBOLS[ascii_only]
    return Text.assemble((full * black, "bold"), (hollow * white, "bold"), (dot * (pegs - black - white), "dim"))
