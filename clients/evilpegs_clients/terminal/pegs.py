"""Codes and feedback as text for people; a peg shows its symbol, on a colored ground if the terminal has colors."""

from colorsys import hls_to_rgb
from typing import Final

from rich.text import Text

from evilpegs_clients.printable import printable
from evilpegs_clients.terminal.console import MARK_SYMBOLS
from evilpegs_game.codes import SYMBOLS

# the step between hues on the color circle, with which they differ clearly
_GOLDEN: Final = 0.618034


def peg_color(index: int) -> str:
    """Return the shade of a color as #rrggbb; black text on it is readable."""
    red, green, blue = (round(255 * part) for part in hls_to_rgb(index * _GOLDEN % 1, 0.66, 0.8))
    return f"#{red:02x}{green:02x}{blue:02x}"


def peg_text(code: str) -> Text:
    """Return ``code`` with one colored peg per symbol; what is no color, as a server may send, stays plain."""
    text = Text()
    for symbol in printable(code):
        index = SYMBOLS.find(symbol)
        text.append(f" {symbol} ", f"bold black on {peg_color(index)}" if index >= 0 else "bold")
    return text


def feedback_marks(black: int, white: int, pegs: int, ascii_only: bool = False) -> Text:
    """Return a full mark per black, a hollow one per white, and a dot per peg without either."""
    full, hollow, dot = MARK_SYMBOLS[ascii_only]
    return Text.assemble((full * black, "bold"), (hollow * white, "bold"), (dot * (pegs - black - white), "dim"))
