from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

SUGGESTIONS: Final = 3
# no id of a ladder is longer
MAX_QUOTED: Final = 40


def nearest_ids(typed: str, known: Iterable[str]) -> list[str]:
    """Return at most three similar ids, the most similar first; case makes no difference."""
    return get_close_matches(typed[:MAX_QUOTED].lower(), sorted(set(known)), n=SUGGESTIONS)


def unknown_ladder_text(typed: str, known: Iterable[str], where: str = "") -> str:
    """Return an error message with the most similar ids; ``where`` may be " on ws://HOST:PORT/v1"."""
    text = f"there is no ladder {typed[:MAX_QUOTED]!r}{where}"
    nearest = nearest_ids(typed, known)
    if not nearest:
        return text
    *others, last = nearest
    return f"{text}; the nearest {'are' if others else 'is'} " + (f"{', '.join(others)} and {last}" if others else last)


def install_hint(extra: str) -> str:
    """Say how to install one of the extras of evilpegs, which is in no package index."""
    return f"in the folder of evilpegs run: pip install '.[{extra}]'"
