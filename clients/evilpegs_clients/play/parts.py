"""The parts of a guess as text for people; the part of the given feedback stands in brackets."""

from collections.abc import Iterable
from typing import Final

from rich.text import Text

from evilpegs_protocol.fields import Codemaker
from evilpegs_protocol.server_messages import FeedbackGiven

FEW: Final = 3
INDENT: Final = "     "


def largest_parts_text(event: FeedbackGiven, codemaker: Codemaker, width: int) -> Text:
    """Return the `FEW` largest parts under a heading; the reply of a devil that searched ahead comes first."""
    parts = _parts(event, reply_first=event.method == "exact")
    more = len(parts) - FEW
    tail = [Text(f"and {more} more: type parts", "dim")] if more > 0 else []
    return _wrap([_heading_text(event, codemaker), *parts[:FEW], *tail], width)


def all_parts_text(event: FeedbackGiven, codemaker: Codemaker, width: int) -> Text:
    """Return all parts under a heading, largest first."""
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
    lines = [Text(INDENT)]
    for piece in pieces:
        gap = "  " if len(lines[-1]) > len(INDENT) else ""
        if gap and len(lines[-1]) + len(gap) + len(piece) > width:
            lines.append(Text(INDENT))
            gap = ""
        lines[-1].append(gap).append_text(piece)
    return Text("\n").join(lines)
