"""The refusal of a ladder that does not exist, in the words of servers and clients: it names the nearest ladders."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

SUGGESTIONS: Final = 3
MAX_QUOTED: Final = 40
"""Characters of a wrong id that are quoted: as many as an id can have."""


def nearest_ids(typed: str, known: Iterable[str]) -> list[str]:
    """Return the three known ids that are most similar to what was typed, the nearest first; fewer if fewer exist."""
    return get_close_matches(typed[:MAX_QUOTED].lower(), sorted(set(known)), n=SUGGESTIONS, cutoff=0.0)


def unknown_ladder_text(typed: str, known: Iterable[str], where: str = "") -> str:
    """Return the text that there is no such ladder ``where``, such as " on ws://HOST:PORT/v1", and which are nearest.

    >>> unknown_ladder_text("clasic", ["classic", "super", "huge", "monster"])
    "there is no ladder 'clasic'; the nearest are classic, super and monster"
    """
    text = f"there is no ladder {typed[:MAX_QUOTED]!r}{where}"
    nearest = nearest_ids(typed, known)
    if not nearest:
        return text
    *others, last = nearest
    return f"{text}; the nearest {'are' if others else 'is'} " + (f"{', '.join(others)} and {last}" if others else last)
