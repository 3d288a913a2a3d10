"""The options that several commands share, each described once.

The options --ladder and --name, checked before any server is asked.

Turns that were played, as they are typed on the command line: CODE:BLACK,WHITE like 1122:1,0.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, TypeVar

from cyclopts import Parameter, Token, convert
from pydantic import ValidationError

from evilpegs.errors import CommandError
from evilpegs_game.codes import format_code, parse_code
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import History, Turn
from evilpegs_game.rules import Rules
from evilpegs_protocol.client_messages import ClientInfo, Hello, Play

Name = TypeVar("Name")

DEFAULT_SERVER = "ws://127.0.0.1:8765/v1"

Json = Annotated[bool, Parameter(name="--json", show_default=False, help="Print one JSON document on standard output.")]


def _lower(_: object, tokens: Sequence[Token]) -> str:
    return tokens[0].value.lower()


def _whole(kind: type[int], tokens: Sequence[Token]) -> int:
    """A number as cyclopts reads it, but not rounded."""
    (token,) = tokens
    if "." in token.value:
        message = f"{token.keyword} must be a whole number, not {token.value[:40]}"
        raise CommandError(message)
    return int(convert(kind, tokens))


WHOLE = Parameter(converter=_whole)
"""For every option that is an `int`: cyclopts alone rounds 2.9 to 3."""


def _file(kind: Callable[[str], Name], tokens: Sequence[Token]) -> Name:
    """The name of a file, or its path, of which an empty one would be the current directory."""
    (token,) = tokens
    if not token.value:
        message = f"the name of the file after {token.keyword} is empty; write one"
        raise CommandError(message)
    return kind(token.value)


FILE = Parameter(converter=_file)
"""For every option that names a file."""

RulesText = Annotated[
    str,
    Parameter(
        name="--rules",
        converter=_lower,
        help="PEGSxCOLORS like 4x6 or 4x10-distinct, or a preset: classic, bulls-and-cows, super, grand, "
        "huge, monster, colossus.",
    ),
]

StrategyName = Annotated[
    str,
    Parameter(
        name="STRATEGY",
        help="first-consistent, random-consistent, minimax, lexicographic, expected-size, entropy, most-parts, "
        "sampled, optimal, or a .py file with choose(position, rng).",
    ),
]

CandidatesOnly = Annotated[
    bool,
    Parameter(name="--candidates-only", show_default=False, help="Guess only codes that could be the secret."),
]

First = Annotated[str | None, Parameter(name="--first", help="The first guess, instead of the strategy's own.")]

Server = Annotated[
    str,
    Parameter(name="--server", env_var="EVILPEGS_SERVER", help="The server's address, ws://HOST:PORT/v1."),
]

Database = Annotated[
    str | None,
    Parameter(
        name="--database",
        help="The database, sqlite:///FILE; by default the one `evilpegs serve` uses.",
    ),
]


def check_play_options(ladder: str, name: str | None) -> None:
    """Raise CommandError unless the protocol can carry that ladder and that name."""
    try:
        Play(ladder=ladder)
    except ValidationError:
        message = f"there is no ladder {ladder[:40]!r}; see: evilpegs ladders"
        raise CommandError(message) from None
    try:
        Hello(client=ClientInfo(name="evilpegs", version="0"), name=name, kind=None if name is None else "bot")
    except ValidationError:
        message = "a name is 2 to 20 of a-z, 0-9, _ and -, beginning with a letter; choose another with --name"
        raise CommandError(message) from None


After = Annotated[
    tuple[str, ...] | None,
    Parameter(
        name="--after",
        consume_multiple=True,
        show_default=False,
        help="Turns played before, each CODE:BLACK,WHITE like 1122:1,0.",
    ),
]


def require_after(after: tuple[str, ...] | None) -> tuple[str, ...]:
    """What follows --after, if it is there; raises CommandError where nothing does."""
    if after == ():
        message = "--after wants the turns played before, each CODE:BLACK,WHITE like 1122:1,0"
        raise CommandError(message)
    return after or ()


def parse_turn(text: str, rules: Rules) -> Turn:
    """Read ``1122:1,0``.

    Raises:
        MalformedError, IllegalCodeError: it is none, or not one of these rules.
    """
    code, _, given = text.partition(":")
    turn = Turn(parse_code(code, rules), Feedback.parse(given))
    turn.feedback.check(rules.pegs)
    return turn


def parse_turns(texts: Iterable[str], rules: Rules) -> History:
    """Read turns in the order they were played; raises what `parse_turn` does."""
    return tuple(parse_turn(text, rules) for text in texts)


def turns_document(history: History) -> list[dict[str, Any]]:
    """Turns as they stand in a JSON document."""
    return [{"code": format_code(guess), "black": black, "white": white} for guess, (black, white) in history]
