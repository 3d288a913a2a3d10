"""Write look_alikes.json from Unicode's security tables: ``python -m tools.look_alikes FOLDER``.

FOLDER has IdentifierStatus.txt and confusables.txt, the data of Unicode Technical Standard 39. What is kept are the
letters and marks that it allows in identifiers, and what each letter looks like, in as plain letters as there are: the
prototypes of the standard are followed until nothing changes, and letters of IPA and small capitals become plain ones.
"""

import argparse
import itertools
import json
import re
import unicodedata
from collections import defaultdict
from pathlib import Path

TARGET = Path(__file__).parents[1] / "server/evilpegs_server/storage/log/look_alikes.json"
SOURCE = "Unicode 17.0.0, UTS 39; copyright 1991-2025 Unicode, Inc., Unicode License v3"
WHOLE = "CJK UNIFIED", "HANGUL SYLLABLE"  # whole blocks are allowed
PLAIN = re.compile(r"LATIN (?:SMALL |CAPITAL )?LETTER (?:SMALL CAPITAL )?([A-Z])(?: WITH .*)?")
# prototypes without a plain letter in the standard, and Greek and Cyrillic letters whose prototypes look otherwise
MORE = str.maketrans("ɑßƅб∂əɛεɩıĸκʍтτωχβƷʒɜȝI", "abbbdeeellkkmttwxb3333l")


def rows(path):
    """Return the fields before the comments of a table of Unicode, as text of the code points they name."""
    lines = (line.partition("#")[0] for line in path.read_text(encoding="utf-8-sig").splitlines())
    return [[field.strip() for field in line.split(";")] for line in lines if line.strip()]


def characters(field):
    """Return the text of a field: code points apart, or a range of them."""
    first, _, last = field.partition("..")
    if last:
        return "".join(map(chr, range(int(first, 16), int(last, 16) + 1)))
    return "".join(chr(int(each, 16)) for each in field.split())


def is_letter(character):
    # what NFKC changes is refused anyway
    return unicodedata.category(character)[0] in "LM" and unicodedata.normalize("NFKC", character) == character


def is_whole(character):
    return unicodedata.name(character, "").startswith(WHOLE)


def plain(text, prototypes):
    """Follow the prototypes of ``text`` until nothing changes, without marks."""
    for _ in range(9):
        before, text = text, "".join(map(one, unicodedata.normalize("NFD", text), itertools.repeat(prototypes)))
        text = "".join(each for each in text if each.isalnum() or is_letter(each))
        text = "".join(each for each in text if not "\u0300" <= each <= "\u036f")
        if (text := text.casefold()) == before:
            return text
    raise ValueError(f"no end of prototypes: {text!r}")


def one(character, prototypes):
    if ord(character) in MORE:
        return character.translate(MORE)
    if (look := prototypes.get(character, character)).isascii():
        return look
    if match := PLAIN.fullmatch(unicodedata.name(character, "")):
        return match[1].lower()
    return look


def ranges(letters):
    """Return ``letters`` as ranges of code points, first and last."""
    points = enumerate(sorted(map(ord, letters)))
    runs = (list(run) for _, run in itertools.groupby(points, key=lambda each: each[1] - each[0]))
    return [f"{run[0][1]:04x}-{run[-1][1]:04x}" for run in runs]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    allowed = set("".join(characters(fields[0]) for fields in rows(folder / "IdentifierStatus.txt")))
    # ASCII letters look like themselves; only digits and pairs of letters are read as others, by the code
    prototypes = {
        source: target
        for source, target, *_ in (map(characters, fields[:2]) for fields in rows(folder / "confusables.txt"))
        if not source.isascii()
    }
    alike = defaultdict(str)
    for each in filter(is_letter, map(chr, range(0x80, 0x20000))):
        look = plain(each, prototypes)
        # of letters that are refused now, those count that a name may have had which looks like one of today
        if (
            unicodedata.normalize("NFD", each) == each
            and look not in ("", each.casefold())
            and (each in allowed or is_whole(each) or look.isascii())
        ):
            alike[look] += each
    letters = (each for each in allowed if is_letter(each) and not is_whole(each))
    found = {"source": SOURCE, "letters": ranges(letters), "alike": dict(sorted(alike.items()))}
    TARGET.write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    main()
