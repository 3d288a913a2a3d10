"""The options that several commands share, each described once."""

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from cyclopts import Parameter, Token, convert

from evilpegs.errors import CommandError

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
