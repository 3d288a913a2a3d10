"""What names look like: the skeletons of Unicode Technical Standard 39, and digits and pairs of letters read as others.

tools/look_alikes.py writes the tables, from the data of the standard.
"""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any, Final

_TABLES: Final[dict[str, Any]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
_RANGES: Final = (each.split("-") for each in _TABLES["letters"])
_LETTERS: Final = frozenset(chr(point) for first, last in _RANGES for point in range(int(first, 16), int(last, 16) + 1))
_WHOLE: Final = "CJK UNIFIED IDEOGRAPH", "HANGUL SYLLABLE"
_CAPITAL_I: Final = str.maketrans("I", "l")  # which ``casefold`` takes for i
_LOOK_ALIKES: Final = str.maketrans({each: look for look, alike in _TABLES["alike"].items() for each in alike})
# no two digits become one, so that all numbered names can be claimed: 6 and 8 cannot both be b
_READ: Final = str.maketrans("012345789q", "olzeastbgg", "_-")
_RN: Final = re.compile("r+(?=n)")


def is_letter(character: str) -> bool:
    """Return whether the standard allows a letter, or a mark above or below it, in names: it is in use, and visible."""
    return character in _LETTERS or unicodedata.name(character, "").startswith(_WHOLE)


def stored_form(name: str) -> str:
    """Return a name as the database has it: accents may be characters of their own where people write them."""
    return unicodedata.normalize("NFC", name)


def skeleton(name: str) -> str:
    """Return what ``name`` looks like, in capitals; names with equal skeletons look alike."""
    text = unicodedata.normalize("NFD", name).translate(_CAPITAL_I).translate(_LOOK_ALIKES)
    text = "".join(letter for letter in text if not "\u0300" <= letter <= "\u036f")  # accents
    text = text.casefold().translate(_LOOK_ALIKES).translate(_READ).replace("cl", "d")
    text = text.replace("w", "vv").replace("uu", "vv").replace("vv", "w")
    # what rn, nn and m look like begins with m wherever it can
    text = _RN.sub(lambda found: "n" * len(found[0]), text.replace("m", "nn")).replace("nn", "m")
    # databases hold skeletons of an earlier kind, in small letters: none of them may be equal to one of these by chance
    return stored_form(text.replace("i", "l").upper())
