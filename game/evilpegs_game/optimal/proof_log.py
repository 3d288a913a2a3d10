"""The journal of a proof: what was found out of the least total, so that a proof that was ended goes on.

The text form, a line a fact; a last line with the SHA-256 of all before it, so that a damaged journal is not believed::

    evilpegs journal 1
    rules 4x7
    - 1123 0,1 2353 2412 2345
    - 1123 0,1 2344 tried 2413
    6 1123 0,1 2353 - -
    sha256 ...

A fact is about the codes that give a feedback to a first guess. Its first word is the number of guesses allowed, ``-``
for any; then come that guess and that feedback, and a lower bound, an upper bound and a guess that attains it, ``-``
where none is known; or a guess, ``tried``, and a lower bound of the total with it.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from evilpegs_game.codes import Code, format_code, parse_code
from evilpegs_game.errors import DamagedError, ForeignError, GameError, MalformedError
from evilpegs_game.feedback import Feedback
from evilpegs_game.optimal.search_state import NEVER, UNLIMITED
from evilpegs_game.rules import Rules

TITLE: Final = "evilpegs journal "
"""What all versions begin with."""

_HEADER: Final = TITLE + "1"


class Question(NamedTuple):
    """The least total, within ``limit`` guesses, of the codes that give ``feedback`` to the first guess ``after``."""

    limit: int
    after: Code
    feedback: Feedback


class Answer(NamedTuple):
    """Its bounds; ``upper`` is `NEVER` and ``guess`` None if none is known. ``guess`` attains ``upper``."""

    lower: int
    upper: int = NEVER
    guess: Code | None = None


class Journal:
    """What is known about the first guesses of ``rules``."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.answers: dict[Question, Answer] = {}
        self.tried: dict[Question, dict[Code, int]] = {}
        """Of guesses that answer no better a lower bound of the total with them."""

    def to_text(self) -> str:
        """The form above; equal contents give equal texts."""
        lines = [_HEADER, f"rules {self.rules}"]
        for question in sorted(self.answers.keys() | self.tried.keys()):
            lines += [f"{_format_question(question)} {words}" for words in self._facts(question)]
        body = "\n".join(lines) + "\n"
        return f"{body}sha256 {sha256(body.encode()).hexdigest()}\n"

    def _facts(self, question: Question) -> Iterator[str]:
        answer = self.answers.get(question)
        if answer is not None:
            upper = "-" if answer.upper == NEVER else answer.upper
            yield f"{answer.lower} {upper} {format_code(answer.guess) if answer.guess else '-'}"
        for guess, lower in sorted(self.tried.get(question, {}).items()):
            yield f"{format_code(guess)} tried {lower}"

    @classmethod
    def from_text(cls, text: str) -> "Journal":
        """Read the form above.

        Raises:
            ForeignError: the text is no journal, or a journal of another version.
            DamagedError: the text was changed, so that nothing in it can be trusted.
            MalformedError: the text says what cannot be.
        """
        body, end, digest = text.rpartition("sha256 ")
        lines = body.splitlines()
        if not text.startswith(f"{_HEADER}\n"):
            message = "this is not a journal of this version"
            raise ForeignError(message)
        if not end or digest.strip() != sha256(body.encode()).hexdigest():
            message = "the journal is damaged"
            raise DamagedError(message)
        try:
            journal = cls(Rules.parse(lines[1].removeprefix("rules ")))
            for line in lines[2:]:
                journal._read(line.split(" "))
        except (GameError, IndexError, ValueError):
            message = "the journal says what cannot be"
            raise MalformedError(message) from None
        return journal

    def _read(self, words: list[str]) -> None:
        after, feedback = parse_code(words[1], self.rules), Feedback.parse(words[2])
        question = Question(UNLIMITED if words[0] == "-" else int(words[0]), after, feedback)
        if words[4:5] == ["tried"]:
            self.tried.setdefault(question, {})[parse_code(words[3], self.rules)] = int(words[5])
        else:
            upper = NEVER if words[4] == "-" else int(words[4])
            guess = None if words[5] == "-" else parse_code(words[5], self.rules)
            self.answers[question] = Answer(int(words[3]), upper, guess)


def _format_question(question: Question) -> str:
    limit = "-" if question.limit == UNLIMITED else str(question.limit)
    return f"{limit} {format_code(question.after)} {question.feedback}"
