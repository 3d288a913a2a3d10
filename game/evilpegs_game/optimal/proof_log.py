"""The proof log: what is already proved about the least total, so that an interrupted proof can be continued.

The least total is the fewest guesses of a strategy tree, summed over the codes. A proof log is text with one line per
fact. Each line ends in a checksum, as `evilpegs_game.checked_lines` describes, so that any changed line is found. The
first line names the format and the rules, and the checksums of the facts cover the rules::

    evilpegs proof log 2 4x7 ebbe611136866575
    - 1123 0,1 2353 2412 2345 d276a75d0cd4760f
    - 1123 0,1 2344 tried 2413 fa21e530cd73b212
    6 1123 0,1 2353 - - 393f677d0106262b

A fact is about the codes that give one feedback to a first guess. Its first word is the number of guesses allowed after
the first guess, ``-`` for any number; the next two words are the first guess and the feedback. The words after them
have one of two forms. The first form is a lower bound of the least total, an upper bound of it, and a guess that
attains the upper bound; the last two are ``-`` if no tree is known. The second form is a second guess, ``tried``, and a
lower bound of the total with that guess. Each fact holds without the others, so a missing line only costs work.

Earlier versions wrote format 1, which has one digest at the end. Their proof logs are still read.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from evilpegs_game.checked_lines import format_line, read_lines
from evilpegs_game.codes import Code, format_code, parse_code
from evilpegs_game.errors import DamagedError, ForeignError, GameError, MalformedError
from evilpegs_game.feedback import Feedback
from evilpegs_game.optimal.search_state import NEVER, UNLIMITED
from evilpegs_game.rules import Rules

TITLES: Final = (b"evilpegs proof log ", b"evilpegs journal ")
"""The texts with which proof logs begin; the second is that of proof logs of earlier versions."""

_HEADING: Final = f"{TITLES[0].decode()}2 "
_OLD_HEADINGS: Final = tuple(title + b"1\n" for title in TITLES)


class Subproblem(NamedTuple):
    """A subproblem of a proof: the least total of the codes that give ``feedback`` to the first guess ``first``.

    The least total is the fewest guesses after the first one, summed over these codes. At most ``limit`` guesses are
    allowed after the first one; `UNLIMITED` allows any number.
    """

    limit: int
    first: Code
    feedback: Feedback


class KnownBounds(NamedTuple):
    """Bounds of the least total of a subproblem, the fewest guesses after the first one, summed over its codes.

    ``upper`` is `NEVER` if no tree is known; ``lower`` is `NEVER` if it is proved that there is none. ``guess`` is a
    second guess that attains ``upper``, or None if none is known.
    """

    lower: int
    upper: int = NEVER
    guess: Code | None = None


class ProofLog:
    """The facts that are proved about the first guesses of ``rules``.

    ``known`` maps subproblems to their bounds. ``tried`` maps each subproblem that is not finished to another map: from
    the second guesses that did not improve the upper bound to a lower bound of the total with that guess.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.known: dict[Subproblem, KnownBounds] = {}
        self.tried: dict[Subproblem, dict[Code, int]] = {}

    def to_bytes(self) -> bytes:
        """Return the proof log as UTF-8 text, in the form that the docstring of this module describes.

        Equal contents give equal bytes.
        """
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
        """Return the proof log whose text, as `to_bytes` writes it, is ``data``. Proof logs of format 1 are read, too.

        Raises:
            ForeignError: ``data`` are not a proof log, or are one of a later version.
            DamagedError: ``data`` were changed. ``line`` of the error is the number of the first changed line, or None
                in format 1.
            MalformedError: the checksums are right, but a line is not a fact.
        """
        lines = _read_format_1(data) if data.startswith(_OLD_HEADINGS) else _read_format_2(data)
        try:
            proof_log = cls(Rules.parse(lines[0]))
            for line in lines[1:]:
                proof_log._add_fact(line.split(" "))
        except (GameError, IndexError, ValueError):
            message = "a line of the proof log is not a fact"
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
    """Return the rules and then the facts, one string each, of a proof log with a checksum on each line.

    Raises:
        ForeignError: ``data`` are not a proof log of this version.
        DamagedError: a line does not match its checksum.
    """
    if not data.startswith(_HEADING.encode()):
        message = "this is not a proof log of this version"
        raise ForeignError(message)
    first, *facts = data.splitlines(keepends=True)
    (heading,) = read_lines([first], "")
    rules = heading.removeprefix(_HEADING)
    return [rules, *read_lines(facts, rules, first_number=2)]


def _read_format_1(data: bytes) -> list[str]:
    """Return the rules and then the facts, one string each, of a proof log of an earlier version, with one digest.

    The second line of ``data`` is ``rules 4x7``, and the last line is ``sha256`` and the digest of all lines before.

    Raises:
        DamagedError: the digest does not match.
    """
    body, _, digest = data.rpartition(b"sha256 ")
    if digest.strip() != sha256(body).hexdigest().encode():
        message = "the proof log is damaged"
        raise DamagedError(message)
    _, _, lines = body.decode(errors="replace").partition("\nrules ")
    return lines.splitlines()
