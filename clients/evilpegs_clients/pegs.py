"""Codes and feedback for people: every peg shows its symbol, on its color where the terminal has colors."""

from colorsys import hls_to_rgb
from typing import Final

from rich.text import Text

from evilpegs_game.codes import SYMBOLS

MARKS: Final = ("●○·", "Xo.")
"""A black, a white and neither: for terminals of today, and for those that have ASCII only."""
_GOLDEN: Final = 0.618034
"""Hues this far apart, as a part of the circle, differ well from those just before and after."""


def peg_color(place: int) -> str:
    """The shade of the color at ``place`` (from 0), as #rrggbb; black text is readable on it."""
    red, green, blue = (round(255 * part) for part in hls_to_rgb(place * _GOLDEN % 1, 0.66, 0.8))
    return f"#{red:02x}{green:02x}{blue:02x}"


def peg_text(code: str) -> Text:
    """A code in its text form, a peg for each symbol."""
    text = Text()
    for symbol in code:
        text.append(f" {symbol} ", f"bold black on {peg_color(SYMBOLS.index(symbol))}")
    return text


def marks(black: int, white: int, pegs: int, ascii_only: bool = False) -> Text:
    """A feedback as marks: a full one a black, a hollow one a white, a dot for each peg without either."""
    full, hollow, dot = MARKS[ascii_only]
    return Text.assemble((full * black, "bold"), (hollow * white, "bold"), (dot * (pegs - black - white), "dim"))
