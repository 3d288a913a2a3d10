"""Codes, feedback and parts as text for people.

Every peg shows its symbol, on its color if the terminal has colors. A part shows its feedback and its size; the part of
the feedback that was given stands in brackets.
"""

from collections.abc import Iterable
from colorsys import hls_to_rgb
from typing import Final

from rich.text import Text

from evilpegs_clients.printable import printable
from evilpegs_game.codes import SYMBOLS
from evilpegs_protocol.fields import Codemaker
from evilpegs_protocol.server_messages import FeedbackGiven

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


FEW: Final = 3
INDENT: Final = "     "


def largest_parts_text(event: FeedbackGiven, codemaker: Codemaker, width: int) -> Text:
    """Return the `FEW` largest parts and the number of others; the part of an exact devil's reply comes first."""
    parts = _parts(event, reply_first=event.method == "exact")
    more = len(parts) - FEW
    tail = [Text(f"and {more} more: type parts", "dim")] if more > 0 else []
    return _wrap([_heading_text(event, codemaker), *parts[:FEW], *tail], width)


def all_parts_text(event: FeedbackGiven, codemaker: Codemaker, width: int) -> Text:
    """Return all parts, largest first."""
    return _wrap([_heading_text(event, codemaker), *_parts(event)], width)


def _heading_text(event: FeedbackGiven, codemaker: Codemaker) -> Text:
    headings = {
        "fixed": f"the parts of {event.code}:",
        "evil": "evil kept the largest part:",
        "devil": f"the devil kept the {'hardest' if event.method == 'exact' else 'largest'} part:",
    }
    return Text(headings[codemaker], "dim")


def _parts(event: FeedbackGiven, reply_first: bool = False) -> list[Text]:
    reply = (event.black, event.white)
    rows = sorted(event.parts or (), key=lambda row: (reply_first and row[:2] != reply, -row[2], row[:2] != reply))
    return [_part(f"{black},{white}: {size:,}", (black, white) == reply) for black, white, size in rows]


def _part(text: str, is_reply: bool) -> Text:
    return Text(f"[{text}]", "bold") if is_reply else Text(text, "dim")


def _wrap(pieces: Iterable[Text], width: int) -> Text:
    """Join the pieces on as many lines as they need, without breaking any piece."""
    lines = [Text(INDENT)]
    for piece in pieces:
        gap = "  " if len(lines[-1]) > len(INDENT) else ""
        if gap and len(lines[-1]) + len(gap) + len(piece) > width:
            lines.append(Text(INDENT))
            gap = ""
        lines[-1].append(gap).append_text(piece)
    return Text("\n").join(lines)
