"""`evilpegs players`: what an operator does to players and to registration, also while a server runs."""

import csv
import io
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
    add_players,
    list_players,
    replace_token,
    set_registration,
)
from evilpegs_server.storage.players import NameRefusedError, check_name, new_token

SOON: Final = "if a server runs, it follows within a second"
MOST_WRONG: Final = 5
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
        Parameter(
            name="--from", help="A CSV file with a name per row, in the column called name, or else in the first."
        ),
    ] = None,
    kind: Annotated[Literal["bot", "human"], Parameter(help="What the players are.")] = "bot",
    database: Database = None,
) -> None:
    """Add players, all or none, and write their tokens to a file.

    A player proves the name with the token: evilpegs bot STRATEGY --name NAME --token TOKEN. Names that are reserved
    for the server can be given; none may look like another.
    """
    wanted = [*names, *([] if csv_file is None else _names_in(csv_file))]
    if not wanted:
        raise CommandError(f"{csv_file} has no names" if csv_file else "name the players to add, or a file with --from")
    if len(set(wanted)) < len(wanted):
        twice = next(name for name in wanted if wanted.count(name) > 1)
        raise CommandError(f"{twice} is named twice; nobody was added")
    for name in names:
        try:
            check_name(name)
        except NameRefusedError as error:
            raise CommandError(f"{name!r:.30}: {error}; nobody was added") from None
    with open_for_reading(database) as engine, _given({name: new_token() for name in wanted}, tokens) as given:
        try:
            add_players(engine, given, kind, _now())
        except NameRefusedError as error:
            raise CommandError(f"{error}; nobody was added") from None
    console(sys.stderr).print(f"added {pluralize(len(wanted), 'player')}; {SOON}", soft_wrap=True)


def token(name: Name, /, *, tokens: Tokens = STANDARD, database: Database = None) -> None:
    """Give a player a new token, because the old one was lost or stolen; the old one proves nothing any more.

    Connections that were made with the old token are closed; open matches stay open, and go on with the new token.
    """
    with open_for_reading(database) as engine, _given({name: new_token()}, tokens) as given:
        replace_token(engine, name, given[name], _now())
    console(sys.stderr).print(f"{name} has a new token; {SOON}", soft_wrap=True)


def ban(name: Name, /, *, reason: Reason = None, database: Database = None) -> None:
    """Close the connections of a player, forfeit their open matches, and let them in no more.

    To let them in again with unban does not give the matches back.
    """
    _act("ban", name, reason, database, f"{name} is banned")


def unban(name: Name, /, *, database: Database = None) -> None:
    """Let a banned player in again."""
    _act("unban", name, None, database, f"{name} is not banned any more")


def kick(name: Name, /, *, reason: Reason = None, database: Database = None) -> None:
    """Close the connections of a player, who may come back at once."""
    _act("kick", name, reason, database, f"{name} is disconnected, and may come back")


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
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or 'it is not text in UTF-8; save it as "CSV UTF-8"'
        raise CommandError(f"cannot read {file}: {why}") from None
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(map(str.strip, row))]
    except csv.Error as error:
        raise CommandError(f"{file} line {reader.line_num} is not CSV: {error}") from None
    heading = [cell.lower() for cell in rows[0][1]] if rows else []
    has_heading = "name" in heading
    column = heading.index("name") if has_heading else 0
    names, wrong = [], []
    for line, row in rows[has_heading:]:
        names.append(row[column] if column < len(row) else "")
        try:
            check_name(names[-1])
        except NameRefusedError as error:
            hint = "; if it is a heading, call the column name" if (line, has_heading) == (1, False) else ""
            wrong.append(f"line {line}: {names[-1]!r:.30}: {error}{hint}" if names[-1] else f"line {line} has no name")
    if wrong:
        more = f"; and {len(wrong) - MOST_WRONG} more" if len(wrong) > MOST_WRONG else ""
        raise CommandError(f"{file}: {'; '.join(wrong[:MOST_WRONG])}{more}; nobody was added")
    return names


@contextmanager
def _given(tokens: dict[str, str], name: str) -> Iterator[dict[str, str]]:
    # written before the database is, and outside of its lock, because a disk or a reader may take its time
    if name == STANDARD:
        if _is_output_lost():
            raise CommandError(
                "standard output is closed or thrown away, and the tokens would be lost; name a file with --tokens"
            )
        yield tokens
        _write_rows(tokens, sys.stdout)
        return
    check_writable(name)
    try:
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise CommandError(f"{name} exists and may have other tokens; name a new file") from None
    except OSError as error:
        raise CommandError(f"cannot write {name}: {failure_reason(error)}; choose another file") from None
    try:
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                _write_rows(tokens, file)
        except OSError as error:
            raise CommandError(f"cannot write {name}: {failure_reason(error)}; choose another file") from None
        yield tokens
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _is_output_lost() -> bool:
    # `main` has replaced an output that is closed
    try:
        return os.path.samestat(os.fstat(sys.stdout.fileno()), Path(os.devnull).stat())
    except (OSError, ValueError):
        return False


def _write_rows(tokens: Mapping[str, str], file: IO[str]) -> None:
    table = csv.writer(file, lineterminator="\n")
    table.writerow(("name", "token"))
    table.writerows(tokens.items())
    file.flush()
