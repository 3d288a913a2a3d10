"""The parts of a guess for people: what each feedback would have left, the one that was given in brackets.

Codes and feedback for people: every peg shows its symbol, on its color where the terminal has colors.
"""

from collections.abc import Iterable
from colorsys import hls_to_rgb
from typing import Final

from rich.text import Text

from evilpegs_game.codes import SYMBOLS
from evilpegs_protocol.server_messages import Codemaker, FeedbackGiven

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


FEW: Final = 3
INDENT: Final = "     "


def few_parts(answered: FeedbackGiven, codemaker: Codemaker, width: int) -> Text:
    """The largest parts, or of an exact devil's his and the largest; and how many more there are."""
    parts = _parts(answered, his_first=answered.method == "exact")
    more = len(parts) - FEW
    tail = [Text(f"and {more} more: type parts", "dim")] if more > 0 else []
    return _flowing([_heading(answered, codemaker), *parts[:FEW], *tail], width)


def all_parts(answered: FeedbackGiven, codemaker: Codemaker, width: int) -> Text:
    """All of them, the largest first."""
    return _flowing([_heading(answered, codemaker), *_parts(answered)], width)


def _heading(answered: FeedbackGiven, codemaker: Codemaker) -> Text:
    what = {
        "fixed": f"the parts of {answered.code}:",
        "evil": "evil kept the largest part:",
        "devil": f"the devil kept the {'hardest' if answered.method == 'exact' else 'largest'} part:",
    }
    return Text(what[codemaker], "dim")


def _parts(answered: FeedbackGiven, his_first: bool = False) -> list[Text]:
    given = (answered.black, answered.white)
    rows = sorted(answered.parts or (), key=lambda row: (his_first and row[:2] != given, -row[2], row[:2] != given))
    return [_part(f"{black},{white}: {size:,}", (black, white) == given) for black, white, size in rows]


def _part(text: str, is_given: bool) -> Text:
    return Text(f"[{text}]", "bold") if is_given else Text(text, "dim")


def _flowing(pieces: Iterable[Text], width: int) -> Text:
    """The pieces one after another, on as many lines as they need; none is broken."""
    lines = [Text(INDENT)]
    for piece in pieces:
        gap = "  " if len(lines[-1]) > len(INDENT) else ""
        if gap and len(lines[-1]) + len(gap) + len(piece) > width:
            lines.append(Text(INDENT))
            gap = ""
        lines[-1].append(gap).append_text(piece)
    return Text("\n").join(lines)
