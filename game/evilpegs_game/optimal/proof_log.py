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

Format 1 of earlier versions, with one digest at the end, is still read.
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
"""The beginnings of proof logs; the second is that of earlier versions."""

_HEADING: Final = f"{TITLES[0].decode()}2 "
_OLD_HEADINGS: Final = tuple(title + b"1\n" for title in TITLES)


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
            message = f"line {number} does not match its checksum"
            raise DamagedError(message, line=number)
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
            start = _format_subproblem(subproblem)
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
        """Read the text of `to_bytes`, or one of format 1.

        Raises:
            ForeignError: ``data`` are not a proof log, or are one of a later version.
            DamagedError: ``data`` were changed; ``line`` of the error is the first changed line, None in format 1.
            MalformedError: the checksums are right, but a line is not a fact.
        """
        lines = _read_format_1(data) if data.startswith(_OLD_HEADINGS) else _read_format_2(data)
        try:
            proof_log = cls(Rules.parse(lines[0]))
            for line in lines[1:]:
                proof_log._add_fact(line.split(" "))
        except (GameError, IndexError, ValueError):
            message = "a line of the proof log cannot be read"
            raise MalformedError(message) from None
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


def _format_subproblem(subproblem: Subproblem) -> str:
    limit = "-" if subproblem.limit == UNLIMITED else str(subproblem.limit)
    return f"{limit} {format_code(subproblem.first)} {subproblem.feedback}"


def _read_format_2(data: bytes) -> list[str]:
    if not data.startswith(_HEADING.encode()):
        message = "this is not a proof log of this version"
        raise ForeignError(message)
    first, *facts = data.splitlines(keepends=True)
    (heading,) = read_lines([first], "")
    rules = heading.removeprefix(_HEADING)
    return [rules, *read_lines(facts, rules, first_number=2)]


def _read_format_1(data: bytes) -> list[str]:
    # the second line is ``rules 4x7``, the last ``sha256`` and the digest of all lines before
    body, _, digest = data.rpartition(b"sha256 ")
    if digest.strip() != sha256(body).hexdigest().encode():
        message = "the proof log is damaged"
        raise DamagedError(message)
    _, _, lines = body.decode(errors="replace").partition("\nrules ")
    return lines.splitlines()
