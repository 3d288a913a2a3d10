"""Convert published strategy trees to the form that `evilpegs certify` reads.

    python examples/published_tree.py 4x6 FILE > mine.tree
    evilpegs certify mine.tree

The program reads two notations.

Figures are used in the papers of Knuth, Irving, Neuwirth, Koyama and Lai: ``1296(1122: 1,16(1213: ...),96A; ...)`` and
below it ``A = (2344: ...)``. Each number is the number of codes left. The guess follows in parentheses. After a colon
come the parts of the guess: one row per number of blacks, increasing, and within a row by decreasing whites. The
impossible feedback with one peg missing and one white may be omitted. A letter refers to a figure below. If the guess,
or everything after it, is missing, the first code that fits is guessed. A guess that cannot be the secret is marked
with x or *.

Braces are used in programming contests: ``{AB:{10:{AC:{10:AA,01:CB,00:BB}},02:BA}}``. Blacks and whites are two digits.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from evilpegs_game.codes import SYMBOLS, Code, Columns, all_codes, column_code, parse_code
from evilpegs_game.errors import MalformedError
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.partition import split
from evilpegs_game.rules import Rules
from evilpegs_game.trees.tree import Node, Tree, format_tree

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Reader:
    """A reader of the words of a text, one after another."""

    def __init__(self, text: str, words: str) -> None:
        self._words = [*re.findall(words, text), ""]
        self._index = 0

    @property
    def next(self) -> str:
        return self._words[self._index]

    def take(self, *wanted: str) -> str:
        """Return the next word and move on; it must be one of ``wanted`` if there are any."""
        word = self.next
        if not word or (wanted and word not in wanted):
            raise MalformedError(
                f"{' or '.join(wanted) or 'more'} is missing before {' '.join(self._words[self._index :][:8])!r}"
            )
        self._index += 1
        return word

    def skip(self, *words: str) -> bool:
        """Move on if the next word is one of these, and return True if it was."""
        matches = self.next in words and bool(self.next)
        self._index += matches
        return matches


class Figures:
    """A tree in the notation of figures; the words of a figure are read once the codes that reach it are known."""

    def __init__(self, text: str, rules: Rules) -> None:
        first, *others = re.split(r"\b([A-Z])\s*=", text)
        self._first, self._figures, self._rules = first, dict(zip(others[::2], others[1::2], strict=True)), rules

    def tree(self) -> Tree:
        return Tree(self._rules, self._node(_words(self._first), all_codes(self._rules)))

    def _node(self, reader: Reader, codes: Columns) -> Node:
        count = int(reader.take())
        if count != codes.shape[1]:
            raise MalformedError(f"{count} codes are said to be left where {codes.shape[1]} are")
        if reader.next in self._figures:
            reader = _words(self._figures[reader.take()])
        return self._guess(reader, codes) if reader.next == "(" else first_that_fits(codes)

    def _guess(self, reader: Reader, codes: Columns) -> Node:
        reader.take("(")
        guess = parse_code(reader.take(), self._rules)
        reader.skip("x", "*")
        parts = dict(split(codes, guess))
        parts.pop(all_black(self._rules.pegs), None)
        if reader.skip(":"):
            children = dict(self._rows(reader, parts))
        else:
            children = {feedback: first_that_fits(part) for feedback, part in parts.items()}
        reader.take(")")
        return Node(guess, children)

    def _rows(self, reader: Reader, parts: dict[Feedback, Columns]) -> Iterator[tuple[Feedback, Node]]:
        for black in range(self._rules.pegs):
            whites = self._rules.pegs - black
            entries = 0
            while not entries or reader.skip(","):
                feedback = Feedback(black, whites - entries)
                if black == self._rules.pegs - 1 and feedback not in parts and reader.next != "0":
                    feedback = Feedback(black, 0)
                entries += 1
                if feedback in parts:
                    yield feedback, self._node(reader, parts.pop(feedback))
                else:
                    reader.take("0")
            reader.take(";")
        reader.take("0", "1")


def _words(text: str) -> Reader:
    return Reader(text, r"\d+|[A-Z]|[(),:;x*]")


def first_that_fits(codes: Columns) -> Node:
    """Return the tree that always guesses the first code that fits."""
    guess = column_code(codes, 0)
    others = ((feedback, part) for feedback, part in split(codes, guess) if feedback != all_black(len(guess)))
    return Node(guess, {feedback: first_that_fits(part) for feedback, part in others})


def read_braces(text: str, rules: Rules) -> Tree:
    """Read a tree in the notation with braces; colors are letters from A, or the symbols of evilpegs."""
    reader = Reader(text, r"[{}:,]|\w+")
    return Tree(rules, _branches(reader, rules))


def _branches(reader: Reader, rules: Rules) -> Node:
    if not reader.skip("{"):
        return Node(_code(reader.take(), rules), {})
    guess = _code(reader.take(), rules)
    reader.take(":")
    reader.take("{")
    children: dict[Feedback, Node] = {}
    while not children or reader.skip(","):
        black, white = reader.take()
        reader.take(":")
        children[Feedback(int(black), int(white))] = _branches(reader, rules)
    reader.take("}")
    reader.take("}")
    return Node(guess, children)


def _code(word: str, rules: Rules) -> Code:
    letters = dict(zip(LETTERS, SYMBOLS, strict=False))
    return parse_code("".join(letters.get(sign, sign) for sign in word.upper()) if word.isalpha() else word, rules)


def convert(text: str, rules: Rules) -> Tree:
    """Read the tree in a text of either notation."""
    return read_braces(text, rules) if text.lstrip().startswith("{") else Figures(text, rules).tree()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/published_tree.py RULES FILE")
    try:
        text = Path(sys.argv[2]).read_text(encoding="utf-8-sig")
        sys.stdout.write(format_tree(convert(text, Rules.parse(sys.argv[1]))))
    except (OSError, ValueError) as error:
        sys.exit(f"{sys.argv[2]}: {error}")
