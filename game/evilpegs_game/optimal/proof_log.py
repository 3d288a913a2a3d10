"""The proof log: what is already proved about the least total, so that an interrupted proof can be continued.

Its text has one line per fact, and a last line with the SHA-256 of all lines before it, which reveals any damage::

    evilpegs proof log 1
    rules 4x7
    - 1123 0,1 2353 2412 2345
    - 1123 0,1 2344 tried 2413
    6 1123 0,1 2353 - -
    sha256 ...

A fact is about the codes that give a feedback to a first guess. Its first word is the number of guesses allowed, ``-``
for any; then come the first guess and the feedback. The words after them are a lower bound, an upper bound and a guess
that attains the upper bound, ``-`` for what is not known; or a guess, ``tried``, and a lower bound of the total with
that guess. Earlier versions wrote the heading ``evilpegs journal 1`` above the same lines; their proof logs are still
read.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from evilpegs_game.codes import Code, format_code, parse_code
from evilpegs_game.errors import DamagedError, ForeignError, GameError, MalformedError
from evilpegs_game.feedback import Feedback
from evilpegs_game.optimal.search_state import NEVER, UNLIMITED
from evilpegs_game.rules import Rules

TITLES: Final = (b"evilpegs proof log ", b"evilpegs journal ")
"""The beginnings of proof logs of all versions; the second is that of earlier versions."""

_HEADING: Final = f"{TITLES[0].decode()}1"
_OLD_HEADING: Final = f"{TITLES[1].decode()}1"


class Subproblem(NamedTuple):
    """A subproblem of a proof: the least total of the codes that give ``feedback`` to the first guess ``first``.

    At most ``limit`` guesses are allowed after the first one.
    """

    limit: int
    first: Code
    feedback: Feedback


class KnownBounds(NamedTuple):
    """Bounds of the least total of a subproblem.

    ``upper`` is `NEVER` if no tree is known. ``guess`` is a guess that attains ``upper``, or None if none is known.
    """

    lower: int
    upper: int = NEVER
    guess: Code | None = None


class ProofLog:
    """The facts that are proved about the first guesses of ``rules``.

    ``known`` has the bounds of subproblems. For subproblems that are not finished, ``tried`` has the guesses that were
    tried without success, each with a lower bound of the total if it is played.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.known: dict[Subproblem, KnownBounds] = {}
        self.tried: dict[Subproblem, dict[Code, int]] = {}

    def to_text(self) -> str:
        """Return the proof log as text, in the form that the docstring of this module describes.

        Equal contents give equal texts.
        """
        lines = [_HEADING, f"rules {self.rules}"]
        for subproblem in sorted(self.known.keys() | self.tried.keys()):
            lines += [f"{_format_subproblem(subproblem)} {words}" for words in self._facts(subproblem)]
        body = "\n".join(lines) + "\n"
        return f"{body}sha256 {sha256(body.encode()).hexdigest()}\n"

    def _facts(self, subproblem: Subproblem) -> Iterator[str]:
        bounds = self.known.get(subproblem)
        if bounds is not None:
            upper = "-" if bounds.upper == NEVER else bounds.upper
            yield f"{bounds.lower} {upper} {format_code(bounds.guess) if bounds.guess else '-'}"
        for guess, lower in sorted(self.tried.get(subproblem, {}).items()):
            yield f"{format_code(guess)} tried {lower}"

    @classmethod
    def from_text(cls, text: str) -> "ProofLog":
        """Return the proof log that `to_text` turned into ``text``. Texts with the earlier heading are read, too.

        Raises:
            ForeignError: the text is not a proof log, or is one of another version.
            DamagedError: the text was changed, so that nothing in it can be trusted.
            MalformedError: the checksum is right, but a line is not a fact.
        """
        body, end, digest = text.rpartition("sha256 ")
        lines = body.splitlines()
        if not text.startswith((f"{_HEADING}\n", f"{_OLD_HEADING}\n")):
            message = "this is not a proof log of this version"
            raise ForeignError(message)
        if not end or digest.strip() != sha256(body.encode()).hexdigest():
            message = "the proof log is damaged"
            raise DamagedError(message)
        try:
            proof_log = cls(Rules.parse(lines[1].removeprefix("rules ")))
            for line in lines[2:]:
                proof_log._read(line.split(" "))
        except (GameError, IndexError, ValueError):
            message = "a line of the proof log is not a fact"
            raise MalformedError(message) from None
        return proof_log

    def _read(self, words: list[str]) -> None:
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
