"""The parts of a guess as text for people: each feedback, with the number of candidates that it would have left.

The part of the feedback that was given stands in brackets.
"""

from collections.abc import Iterable
from typing import Final

from rich.text import Text

from evilpegs_protocol.fields import Codemaker
from evilpegs_protocol.server_messages import FeedbackGiven

FEW: Final = 3
INDENT: Final = "     "


def largest_parts_text(event: FeedbackGiven, codemaker: Codemaker, width: int) -> Text:
    """Return the `FEW` largest parts of a guess, and the number of further parts, as text for people.

    A part is a feedback with the number of candidates that it would have left. A heading comes first, which depends on
    ``codemaker``. If a devil chose the reply by searching ahead, the part of the reply is the first part. Lines have at
    most ``width`` characters, but a part is never broken: one that is longer has a longer line of its own.
    """
    parts = _parts(event, reply_first=event.method == "exact")
    more = len(parts) - FEW
    tail = [Text(f"and {more} more: type parts", "dim")] if more > 0 else []
    return _wrap([_heading_text(event, codemaker), *parts[:FEW], *tail], width)


def all_parts_text(event: FeedbackGiven, codemaker: Codemaker, width: int) -> Text:
    """Return all parts of a guess, largest first, as text for people.

    A part is a feedback with the number of candidates that it would have left. A heading comes first, which depends on
    ``codemaker``. Lines have at most ``width`` characters, but a part is never broken: one that is longer has a longer
    line of its own.
    """
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
    """Join ``pieces``, two spaces apart, into indented lines of at most ``width`` characters.

    No piece is broken: one that does not fit stands on a longer line of its own.
    """
    lines = [Text(INDENT)]
    for piece in pieces:
        gap = "  " if len(lines[-1]) > len(INDENT) else ""
        if gap and len(lines[-1]) + len(gap) + len(piece) > width:
            lines.append(Text(INDENT))
            gap = ""
        lines[-1].append(gap).append_text(piece)
    return Text("\n").join(lines)
