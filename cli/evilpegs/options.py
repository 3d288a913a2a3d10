"""The options that several commands share."""

import os
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from glob import escape, glob
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from cyclopts import Parameter, Token, convert
from cyclopts.completion import CompletionContext

from evilpegs.errors import CommandError
from evilpegs_game.errors import MalformedError, quoted

DEFAULT_SERVER: Final = "ws://127.0.0.1:8765/v1"
NEWEST: Final = "last"  # names the newest match instead of its id
MATCH_ID: Final = re.compile(r"[0-9a-f]{16}")
# version 1 of the protocol allows these names (protocol/README.md); the second alternative is for guests
_NAME: Final = re.compile(r"(?!guest-)[a-z][a-z0-9_-]{1,19}|guest-(?:[0-9a-f]{8}|[0-9a-f]{12})")

Json = Annotated[bool, Parameter(name="--json", help="Print one JSON document on standard output.")]

JsonLines = Annotated[bool, Parameter(name="--json", help="Print each event as one line of JSON.")]


def _to_rules_text(_: object, tokens: Sequence[Token]) -> str:
    (token,) = tokens
    if token.value.startswith("--"):  # the value was forgotten; other values are checked where the rules are read
        raise CommandError(f"{token.keyword} needs a value such as 4x6, not the option {token.value[:40]!r}")
    return token.value.lower()


def _to_whole_number(number_type: type[int], tokens: Sequence[Token]) -> int:
    (token,) = tokens
    if "." in token.value:
        raise CommandError(f"{token.keyword} must be a whole number, not {quoted(token.value, 40)}")
    return int(convert(number_type, tokens))


# for every option that is an int: cyclopts alone rounds 2.9 to 3
WHOLE: Final = Parameter(converter=_to_whole_number)


def check_range(option: str, value: int | None, most: int, which: str = "") -> None:
    if value is not None and not 1 <= value <= most:
        raise CommandError(f"{option} must be 1 to {most:,}{which}, not {value:,}")


def _to_file_name(name_type: Callable[[str], Any], tokens: Sequence[Token]) -> Any:
    (token,) = tokens
    if not token.value:
        raise CommandError(f"the name of the file after {token.keyword} is empty; write one")
    return name_type(token.value)


# for every option that names a file: an empty path would be the current directory
FILE: Final = Parameter(converter=_to_file_name)


def _to_time(_: object, tokens: Sequence[Token]) -> datetime:
    (token,) = tokens
    try:
        # without a zone it is a time of this machine
        when = datetime.fromisoformat(token.value)
        times = {when.replace(fold=fold).astimezone() for fold in (0, 1)}
    except (ValueError, OverflowError):
        raise CommandError(
            f"{token.keyword or 'the time'} must be a time like 2026-11-25T18:00, of this machine's zone, "
            f"or 2026-11-25T18:00+01:00, not {token.value[:40]!r}"
        ) from None
    if len(times) > 1:
        raise CommandError(
            f"{token.value[:40]} is skipped or comes twice when this machine's clock changes; "
            f"add a zone, as in {max(times).isoformat(timespec='minutes')}"
        )
    return times.pop()


# for every option that is a time; the command gets it with a zone
TIME: Final = Parameter(converter=_to_time)

RulesText = Annotated[
    str,
    Parameter(
        name="--rules",
        converter=_to_rules_text,
        allow_leading_hyphen=True,
        help="PEGSxCOLORS like 4x6 or 4x10-distinct, or a preset: classic, bulls-and-cows, super, grand, "
        "huge, monster, colossus.",
    ),
]


def _complete_strategies(context: CompletionContext) -> list[str]:
    from evilpegs_clients.strategies.registry import STRATEGIES  # noqa: PLC0415 - only in a shell, at the tab key

    paths = glob(f"{escape(context.incomplete)}*")  # noqa: PTH207 - Path drops a ./ that was typed
    return [*STRATEGIES, *(path for path in paths if path.endswith((".py", ".tree", ".tree.gz")))]


def _complete_ladders(_: CompletionContext) -> list[str]:
    # by its name, because commands for bots import nothing of the server; this module needs none of its libraries
    return list(import_module("evilpegs_server.match.ladders").load_ladders())


# for every other parameter that names one
STRATEGY_NAME: Final = Parameter(completer=_complete_strategies)
LADDER_ID: Final = Parameter(completer=_complete_ladders)

_STRATEGY: Final = Parameter(
    name="STRATEGY",
    completer=_complete_strategies,
    help="first-consistent, random-consistent, minimax, lexicographic, expected-size, entropy, most-parts, "
    "two-ply, sampled, optimal, a .py file with choose(position, rng), or a strategy tree in a .tree or .tree.gz file.",
)
StrategyName = Annotated[str, _STRATEGY]
OptionalStrategyName = Annotated[str | None, _STRATEGY]
"""For commands in which --exec may name a program instead."""

RoundToPlay = Annotated[
    str | None, Parameter(name="--round", help="The id of a round to play in, which is one match, instead of a ladder.")
]

CandidatesOnly = Annotated[bool, Parameter(name="--candidates-only", help="Guess only codes that could be the secret.")]

# for commands that play, which a container configures by its environment
NAME: Final = Parameter(name="--name", env_var="EVILPEGS_NAME")
LADDER: Final = Parameter(name="--ladder", env_var="EVILPEGS_LADDER", completer=_complete_ladders)


def is_typed(value: object, variable: str, default: object = None) -> bool:
    """Return whether an option was typed: its value is neither the default nor that of the environment."""
    return value not in {default, os.environ.get(variable)}


Jobs = Annotated[int, WHOLE, Parameter(help="The number of processes of this machine that share the work.")]
CheckpointFile = Annotated[
    Path | None, FILE, Parameter(help="Keep what is finished in this file, and go on from what it has.")
]
Csv = Annotated[
    str | None,
    FILE,
    Parameter(allow_leading_hyphen=True, help="Write one line per strategy to this file; - is standard output."),
]

LogFormat = Literal["text", "json"]

# of a server, or of the site alone
Host = Annotated[
    str | None, Parameter(help="The address to listen on, by default 127.0.0.1; 0.0.0.0 lets other machines in.")
]
SitePort = Annotated[
    int | None, WHOLE, Parameter(help="The port of the page and the HTTP API, by default 8000; 0 picks a free port.")
]
TlsKey = Annotated[
    Path | None, Parameter(help="The private key of the certificate in PEM, unless it is in the same file.")
]
LogForm = Annotated[
    LogFormat | None, Parameter(help="The form of the log on standard error; by default text on a terminal, else JSON.")
]

First = Annotated[str | None, Parameter(name="--first", help="The first guess, instead of the strategy's own.")]

After = Annotated[
    tuple[str, ...] | None,
    Parameter(
        name="--after",
        consume_multiple=True,
        help="Turns played before, each CODE:BLACK,WHITE, as in: --after 1122:1,0 1344:0,2.",
    ),
]

Traceback = Annotated[bool, Parameter(name="--traceback", help="Show the traceback of a strategy file that fails.")]


def to_server(_: object, tokens: Sequence[Token]) -> str:
    (token,) = tokens
    return _check_server(
        token.value, f"environment variable {token.keyword}" if token.source == "env" else token.keyword
    )


def _check_server(address: str, source: str | None) -> str:
    from evilpegs_clients.connection.connection import server_urls  # noqa: PLC0415 - only commands that connect need it
    from evilpegs_clients.errors import ServerUnreachableError  # noqa: PLC0415

    try:
        if address.startswith(("http://", "https://")):
            from evilpegs_clients.connection.site_address import game_address  # noqa: PLC0415

            return game_address(address)
        server_urls(address)
    except (MalformedError, ServerUnreachableError) as error:
        raise CommandError(f"{source}: {error}") from None
    return address


SERVER: Final = Parameter(name="--server", env_var="EVILPEGS_SERVER", converter=to_server)

Server = Annotated[
    str,
    SERVER,
    Parameter(
        help="The server's address, ws://HOST:PORT/v1 or that of its site, http://HOST:PORT; or several with commas "
        "between them, if nodes share a database: if one is lost, the next is used."
    ),
]

ServerToRead = Annotated[
    str | None,
    Parameter(
        name="--server",
        converter=to_server,
        help="Ask the server at ws://HOST:PORT/v1, or the first of several that answers, instead of reading a "
        "database; by default, if no --database is given, the server that EVILPEGS_SERVER names.",
    ),
]
"""For commands that can also read a database; `server_to_read` chooses between them."""

# no environment variable names it, because its matches count
ServerToPlay = Annotated[
    str | None,
    Parameter(
        name="--server",
        converter=to_server,
        help="Play matches on the server at ws://HOST:PORT/v1, or at several addresses with commas between them, "
        "instead of games offline.",
    ),
]

TokenFrom = Annotated[
    str | None,
    Parameter(
        name="--token-from",
        converter=to_server,
        help="The server's old address, if it has moved: the token stored for it is used, and kept for the new one.",
    ),
]

GivenToken = Annotated[
    str | None,
    Parameter(
        name="--token",
        help="The token that the operator gave you for --name; it is kept, so it is needed once. By default the one in "
        "EVILPEGS_TOKEN, which other users of the machine cannot see.",
    ),
]


def check_claimable(name: str | None, option: str = "--name") -> None:
    if name is not None and not _NAME.fullmatch(name):
        raise CommandError(
            f"not a name: {quoted(name)}; a name is 2 to 20 of a-z, 0-9, _ and -, beginning with a letter "
            f"and not with guest-; choose another with {option}"
        )


def check_player(name: str | None, token: str | None) -> None:
    """Raise CommandError unless ``name`` can be claimed, or there is a token that may prove it, given or stored."""
    from evilpegs_clients.connection.tokens import TokenFile, default_token_file  # noqa: PLC0415 - as in `_check_server`

    # the operator may have renamed the player to one in letters of any script
    if name is not None and token is None and not TokenFile(default_token_file()).servers_with(name):
        check_claimable(name)


def given_token(token: str | None, name: str | None) -> str | None:
    """Return the token that proves ``name``, by default that of the environment; raise CommandError without a name."""
    if token is not None and name is None:
        raise CommandError("--token is for a player with a name; add --name")
    if token is None and name is not None:
        token = os.environ.get("EVILPEGS_TOKEN") or None
    return None if token is None else token.strip()


Database = Annotated[
    str | None,
    Parameter(name="--database", help="sqlite:///FILE or postgresql://...; by default the one `evilpegs serve` uses."),
]

Operator = Annotated[
    bool, Parameter(negative="", help="Also count and show what is played in a sealed round that is not over.")
]


def server_to_read(server: str | None, database: str | None) -> str | None:
    """Return the server to ask, by default that in the environment unless it names a database; None to read one."""
    if server is not None and database is not None:
        raise CommandError("name one source: --server or --database")
    if server is not None or database is not None or os.environ.get("EVILPEGS_DATABASE"):
        return server
    return server_in_environment()


def server_in_environment() -> str | None:
    """Return the address in EVILPEGS_SERVER, checked, for commands with another source than a server."""
    address = os.environ.get("EVILPEGS_SERVER")
    return None if address is None else _check_server(address, "environment variable EVILPEGS_SERVER")


def require_after(after: tuple[str, ...] | None) -> tuple[str, ...]:
    if after == ():
        raise CommandError("--after wants the turns played before, each CODE:BLACK,WHITE like 1122:1,0")
    return after or ()
