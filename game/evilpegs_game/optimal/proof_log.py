"""The proof log: bounds of least totals that are proved, so that an interrupted proof can be continued.

A proof log is text with one line per fact::

    evilpegs proof log 2 4x7 ebbe611136866575
    - 1123 0,1 2353 2412 2345 d276a75d0cd4760f
    - 1123 0,1 2344 tried 2413 fa21e530cd73b212
    6 1123 0,1 2353 - - 393f677d0106262b

The first line names the format and the rules. A fact is about the codes that give one feedback to a first guess. Its
first word is the number of guesses allowed after the first guess, ``-`` for any number; the next two words are the
first guess and the feedback. Then either a lower and an upper bound of the least total and a guess that attains the
upper one, the last two ``-`` if no tree is known; or a second guess, ``tried``, and a lower bound of the total with
that guess. Each fact holds without the others, so a missing line only costs work.

Every line is a *checked line*: it ends in the first 16 hexadecimal digits of a SHA-256, so that a changed line is
found. The digest covers the context of the line, a line break and the text. The context of a fact is the rules, that of
the first line is empty. It is not part of the line: a line copied from another context does not match its checksum.
Checksums reveal neither a missing line nor a changed order. The journals of evaluations have checked lines too.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from evilpegs_game.codes import Code, format_code, parse_code
from evilpegs_game.errors import DamagedError, ForeignError, GameError, MalformedError
from evilpegs_game.feedback import Feedback
from evilpegs_game.optimal.search_state import NEVER, UNLIMITED
from evilpegs_game.rules import Rules

CHECKSUM_DIGITS: Final = 16

TITLES: Final = (b"evilpegs proof log ", b"evilpegs journal ")
"""The beginnings of proof logs; the second is that of version 0.1.0, whose facts are no longer read."""

_HEADING: Final = f"{TITLES[0].decode()}2 "


def format_line(text: str, context: str) -> bytes:
    """Return the line of ``text``, with its line break; neither argument may contain one, which is not checked."""
    checksum = sha256(f"{context}\n{text}".encode()).hexdigest()[:CHECKSUM_DIGITS]
    return f"{text} {checksum}\n".encode()


def read_lines(lines: Iterable[bytes], context: str, first_number: int = 1) -> Iterator[str]:
    """Yield the text of each line; raise DamagedError if one was changed or has another context.

    Each line must end with its line break, so that a last line cut off is damaged. ``first_number`` is the number of
    the first line in its file, for the error.
    """
    for number, line in enumerate(lines, first_number):
        text = line.rpartition(b" ")[0].decode(errors="replace")
        if format_line(text, context) != line:  # also true of every line with undecodable bytes
            raise DamagedError(f"line {number} does not match its checksum", line=number)
        yield text


class Subproblem(NamedTuple):
    """The least total of the codes that give ``feedback`` to ``first``; it and ``limit`` count the guesses after."""

    limit: int
    first: Code
    feedback: Feedback


class KnownBounds(NamedTuple):
    """Bounds of the total of a subproblem, and a second guess that attains ``upper``.

    ``upper`` is `NEVER` if no tree is known; ``lower`` is `NEVER` if it is proved that there is none.
    """

    lower: int
    upper: int = NEVER
    guess: Code | None = None


class ProofLog:
    """The facts that are proved about the first guesses of ``rules``.

    ``tried`` maps the second guesses of an unfinished subproblem that did not improve its upper bound to lower bounds.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.known: dict[Subproblem, KnownBounds] = {}
        self.tried: dict[Subproblem, dict[Code, int]] = {}

    def to_bytes(self) -> bytes:
        """Return the text above in UTF-8; equal contents give equal bytes."""
        rules = str(self.rules)
        lines = [format_line(f"{_HEADING}{rules}", "")]
        for subproblem in sorted(self.known.keys() | self.tried.keys()):
            limit = "-" if subproblem.limit == UNLIMITED else str(subproblem.limit)
            start = f"{limit} {format_code(subproblem.first)} {subproblem.feedback}"
            lines += [format_line(f"{start} {words}", rules) for words in self._facts(subproblem)]
        return b"".join(lines)

    def _facts(self, subproblem: Subproblem) -> Iterator[str]:
        bounds = self.known.get(subproblem)
        if bounds is not None:
            upper = "-" if bounds.upper == NEVER else bounds.upper
            yield f"{bounds.lower} {upper} {format_code(bounds.guess) if bounds.guess else '-'}"
        for guess, lower in sorted(self.tried.get(subproblem, {}).items()):
            yield f"{format_code(guess)} tried {lower}"

    @classmethod
    def from_bytes(cls, data: bytes) -> "ProofLog":
        """Read the text of `to_bytes`.

        Raises ForeignError for other data or another version, DamagedError for a changed line, and MalformedError if
        the checksums are right but a line is not a fact.
        """
        if not data.startswith(_HEADING.encode()):
            raise ForeignError("this is not a proof log of this version")
        first, *lines = data.splitlines(keepends=True)
        (heading,) = read_lines([first], "")
        rules = heading.removeprefix(_HEADING)
        facts = list(read_lines(lines, rules, first_number=2))
        try:
            proof_log = cls(Rules.parse(rules))
            for fact in facts:
                proof_log._add_fact(fact.split(" "))
        except (GameError, IndexError, ValueError):
            raise MalformedError("a line of the proof log cannot be read") from None
        return proof_log

    def _add_fact(self, words: list[str]) -> None:
        first, feedback = parse_code(words[1], self.rules), Feedback.parse(words[2])
        subproblem = Subproblem(UNLIMITED if words[0] == "-" else int(words[0]), first, feedback)
        if words[4:5] == ["tried"]:
            self.tried.setdefault(subproblem, {})[parse_code(words[3], self.rules)] = int(words[5])
        else:
            upper = NEVER if words[4] == "-" else int(words[4])
            guess = None if words[5] == "-" else parse_code(words[5], self.rules)
            self.known[subproblem] = KnownBounds(int(words[3]), upper, guess)
