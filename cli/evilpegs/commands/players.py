"""`evilpegs players`: what an operator does to players and to registration, also while a server runs."""

import csv
import os
import sys
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import IO, Annotated, Final, Literal

from cyclopts import Parameter

from evilpegs.database import open_for_reading
from evilpegs.errors import CommandError
from evilpegs.files import STANDARD, check_writable, failure_reason
from evilpegs.options import Database, Json
from evilpegs.output import Column, console, pluralize, print_json, print_table
from evilpegs_server.storage.acts import (
    MAX_REASON_BYTES,
    ListedPlayer,
    act_on_player,
    adding_players,
    list_players,
    replacing_token,
    set_registration,
)
from evilpegs_server.storage.players import NameRefusedError

SOON: Final = "a running server follows within a second"
Name = Annotated[str, Parameter(name="NAME", help="The name of the player.")]
Reason = Annotated[str | None, Parameter(help="What the player reads, in one short line.")]
COLUMNS: Final[tuple[Column[ListedPlayer], ...]] = (
    Column("player", lambda each: each.name),
    Column("kind", lambda each: each.kind),
    Column("name claimed", lambda each: _minute(each.claimed_at)),
    Column("last match", lambda each: "" if each.last_match_at is None else _minute(each.last_match_at)),
    Column("matches", lambda each: f"{each.matches:,}", "right"),
    Column("games", lambda each: f"{each.games:,}", "right"),
    Column("", lambda each: "banned" if each.is_banned else ""),
)
Tokens = Annotated[
    str,
    Parameter(
        name="--tokens",
        allow_leading_hyphen=True,
        help="The new CSV file for names and tokens; only you can read it. - prints them.",
    ),
]


def list_all(
    *,
    as_csv: Annotated[bool, Parameter(name="--csv", show_default=False, help="Print CSV.")] = False,
    as_json: Json = False,
    database: Database = None,
) -> None:
    """List the players: kind, when they claimed their names and last began a match, matches, games begun.

    Guests are in the list once they have played. Times in CSV and JSON are Unix milliseconds.
    """
    with open_for_reading(database) as engine:
        players = list_players(engine)
    if as_json:
        print_json({"players": [each._asdict() for each in players]})
    elif as_csv:
        table = csv.writer(sys.stdout, lineterminator="\n")
        table.writerow(ListedPlayer._fields)
        table.writerows(players)
    else:
        print_table(console(), players, COLUMNS)


def add(
    *names: Annotated[str, Parameter(name="NAMES", help="The names of the players.")],
    tokens: Tokens,
    csv_file: Annotated[
        Path | None,
        Parameter(name="--from", help="A CSV file with a name per row, in its column name or else in its first."),
    ] = None,
    kind: Annotated[Literal["bot", "human"], Parameter(help="What the players are.")] = "bot",
    database: Database = None,
) -> None:
    """Add players, all or none, and write their tokens to a file.

    A player proves the name with the token: evilpegs bot --name NAME --token TOKEN. Names that are reserved for the
    server can be given; none may look like another.
    """
    wanted = [*names, *([] if csv_file is None else _names_in(csv_file))]
    if not wanted:
        raise CommandError("name the players to add, or a CSV file with --from")
    with open_for_reading(database) as engine:
        try:
            with adding_players(engine, wanted, kind, _now()) as added:
                _write_tokens(added, tokens)
        except NameRefusedError as error:
            raise CommandError(str(error)) from None
    console(sys.stderr).print(f"added {pluralize(len(added), 'player')}; {SOON}", soft_wrap=True)


def token(name: Name, /, *, tokens: Tokens = STANDARD, database: Database = None) -> None:
    """Give a player a new token, because the old one was lost or stolen; the old one proves nothing any more.

    Connections that were made with the old token are closed; open matches stay open, and go on with the new token.
    """
    with open_for_reading(database) as engine, replacing_token(engine, name, _now()) as new:
        _write_tokens({name: new}, tokens)
    console(sys.stderr).print(f"{name} has a new token; {SOON}", soft_wrap=True)


def ban(name: Name, /, *, reason: Reason = None, database: Database = None) -> None:
    """Close the connections of a player, forfeit their open matches, and let them in no more."""
    _act("ban", name, reason, database, f"{name} is banned")


def unban(name: Name, /, *, database: Database = None) -> None:
    """Let a banned player in again."""
    _act("unban", name, None, database, f"{name} is not banned any more")


def kick(name: Name, /, *, reason: Reason = None, database: Database = None) -> None:
    """Close the connections of a player, who may come back at once."""
    _act("kick", name, reason, database, f"the connections of {name} are closed")


def open_registration(*, database: Database = None) -> None:
    """Let anyone claim a new name, whatever the setting `registration` says."""
    _register(database, is_open=True)


def close_registration(*, database: Database = None) -> None:
    """Let nobody claim a new name, whatever the setting `registration` says; `add` still adds players."""
    _register(database, is_open=False)


def _act(deed: Literal["ban", "unban", "kick"], name: str, reason: str | None, database: str | None, done: str) -> None:
    if reason is not None and not (reason and reason.isprintable() and len(reason.encode()) <= MAX_REASON_BYTES):
        raise CommandError(f"--reason must be one line of at most {MAX_REASON_BYTES} bytes")
    with open_for_reading(database) as engine:
        act_on_player(engine, deed, name, _now(), reason)
    console(sys.stderr).print(f"{done}; {SOON}", soft_wrap=True)


def _register(database: str | None, *, is_open: bool) -> None:
    with open_for_reading(database) as engine:
        set_registration(engine, _now(), is_open=is_open)
    console(sys.stderr).print(f"registration is {'open' if is_open else 'closed'}; {SOON}", soft_wrap=True)


def _minute(unix_ms: int) -> str:
    return datetime.fromtimestamp(unix_ms / 1000).strftime("%Y-%m-%d %H:%M")


def _now() -> int:
    return time.time_ns() // 1_000_000


def _names_in(file: Path) -> list[str]:
    try:
        rows = [row for row in csv.reader(file.read_text(encoding="utf-8-sig").splitlines()) if any(row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = getattr(error, "strerror", None) or "it is not CSV in UTF-8"
        raise CommandError(f"cannot read {file}: {why}; name another file") from None
    heading = [cell.strip().lower() for cell in rows[0]] if rows else []
    column = heading.index("name") if "name" in heading else 0
    return [row[column].strip() for row in (rows[1:] if "name" in heading else rows) if len(row) > column]


def _write_tokens(tokens: Mapping[str, str], name: str) -> None:
    if name == STANDARD:
        _write_rows(tokens, sys.stdout)
        return
    check_writable(name)
    try:
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            _write_rows(tokens, file)
    except FileExistsError:
        raise CommandError(f"{name} exists and may have other tokens; name a new file") from None
    except OSError as error:
        raise CommandError(f"cannot write {name}: {failure_reason(error)}; choose another file") from None


def _write_rows(tokens: Mapping[str, str], file: IO[str]) -> None:
    table = csv.writer(file, lineterminator="\n")
    table.writerow(("name", "token"))
    table.writerows(tokens.items())
    file.flush()
