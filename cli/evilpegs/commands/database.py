"""`evilpegs database`: copy the database of a server while it runs, and check a database or a copy."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from evilpegs.database import server_settings
from evilpegs.errors import CommandError
from evilpegs.files import STANDARD, check_writable, failure_reason
from evilpegs.options import Database, Json
from evilpegs.output import console, pluralize, print_json, progress
from evilpegs_server.storage.backup import DatabaseCheck, Progress, backup_database, check_database
from evilpegs_server.storage.server_key import key_copies

NOT_SOUND: Final = 1


def backup(
    file: Annotated[str, Parameter(name="FILE", allow_leading_hyphen=True, help="The file to write.")],
    /,
    *,
    force: Annotated[bool, Parameter(show_default=False, help="Replace the file if it exists.")] = False,
    database: Database = None,
    as_json: Json = False,
) -> int:
    """Copy the database to a file, also while a server uses it, and check the copy.

    The copy has everything that was stored when the command began; a plain copy of the file would lack the latest
    matches, which are in a file beside it. Only the owner can read the copy, because it has the seeds of open games.
    The key that signs records and the list of public keys are copied beside it, to FILE.key and FILE.key.pub.
    To restore, stop the server, move all files of the old database away, and put the copies in their place. If the
    hashes of a match are broken, the exit status is 1; if a page is damaged, nothing is written.
    """
    if file == STANDARD:
        raise CommandError("a copy of a database cannot be written to standard output; name a file")
    check_writable(file)
    target = Path(file)
    settings = server_settings(database=database)
    url, keys = settings.database, key_copies(settings.database, settings.server_key, target)
    try:
        with _shown_progress() as show:
            copied = backup_database(url, target, show, overwrite=force, others=keys.items())
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot write {file[:200]}: {failure_reason(error)}; choose another file") from None
    if as_json:
        print_json({"database": url, "file": file, "key_files": list(map(str, keys.values())), **copied.to_json()})
    else:
        _print_lines(f"copied {url} to {file}:", copied)
        for key, copy in keys.items():
            console().print(f"copied {key} to {copy}", soft_wrap=True)
    return 0 if copied.sound else NOT_SOUND


def check(
    database: Annotated[
        str | None,
        Parameter(name="DATABASE", help="sqlite:///FILE or a file; by default the database that `serve` uses."),
    ] = None,
    /,
    *,
    as_json: Json = False,
) -> int:
    """Check every page and table of a database, and the chain of hashes of every match.

    Nothing is written, and a server may use the database meanwhile. Each damaged place and each broken match gets a
    line; if there is any, the exit status is 1.
    """
    if database is not None and "://" not in database:
        database = f"sqlite:///{database}"
    url = server_settings(database=database).database
    with _shown_progress() as show:
        result = check_database(url, show)
    if as_json:
        print_json({"database": url, **result.to_json()})
    else:
        _print_lines(f"checked {url}:", result)
    return 0 if result.sound else NOT_SOUND


def _print_lines(heading: str, result: DatabaseCheck) -> None:
    out = console()
    matches = f"{pluralize(result.matches, 'match', 'matches')}, {result.open_matches:,} of them open"
    players, events = pluralize(result.players, "player"), pluralize(result.events, "event")
    lines = [f"{heading} {matches}, {events}, {players}, {result.bytes:,} bytes"]
    lines += [f"damaged: {damage}" for damage in result.damage]
    lines += [f"match {match}: the chain of hashes is broken; see: evilpegs replay {match}" for match in result.broken]
    if result.sound:
        lines.append("every page can be read, and every chain of hashes holds")
    for line in lines:
        out.print(line, soft_wrap=True)


@contextmanager
def _shown_progress() -> Iterator[Progress]:
    with progress(console(sys.stderr)) as bar:
        task = bar.add_task("", total=None)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total)
