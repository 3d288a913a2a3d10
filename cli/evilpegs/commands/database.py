"""`evilpegs database`: copy the database of a server while it runs, also to or from PostgreSQL, and check it."""

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from evilpegs.database import bring_up_to_date, server_settings
from evilpegs.errors import CommandError
from evilpegs.files import STANDARD, check_writable, failure_reason
from evilpegs.kit.logs import configure_logging
from evilpegs.options import Database, Json
from evilpegs.output import console, pluralize, print_json, progress
from evilpegs.signals import stop_noted
from evilpegs_server.storage.copies.backup import DatabaseCheck, Progress, backup_database, check_database
from evilpegs_server.storage.copies.mirror import FULL_SECONDS, Mirror, copy_to_file
from evilpegs_server.storage.database import engine_of
from evilpegs_server.storage.engines.sqlite import check_exists
from evilpegs_server.storage.errors import DatabaseInUseError, DatabaseUnavailableError
from evilpegs_server.storage.location import database_file, file_url, is_remote, shown_url
from evilpegs_server.storage.lock import DatabaseLock
from evilpegs_server.storage.server_key import key_copies

NOT_SOUND: Final = 1
LOOK_SECONDS: Final = 0.2


def backup(
    file: Annotated[str, Parameter(name="FILE", allow_leading_hyphen=True, help="The file to write.")],
    /,
    *,
    force: Annotated[bool, Parameter(help="Replace the file if it exists.")] = False,
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
    bring_up_to_date(url)
    try:
        with _shown_progress() as show:
            copied = backup_database(url, target, show, overwrite=force, others=keys.items())
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot write {file[:200]}: {failure_reason(error)}; choose another file") from None
    if as_json:
        print_json(
            {"database": shown_url(url), "file": file, "key_files": list(map(str, keys.values())), **copied.to_json()}
        )
    else:
        _print_lines(f"copied {shown_url(url)} to {file}:", copied)
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
    url = server_settings(database=None if database is None else _url(database)).database
    bring_up_to_date(url)
    with _shown_progress() as show:
        result = check_database(url, show)
    if as_json:
        print_json({"database": shown_url(url), **result.to_json()})
    else:
        _print_lines(f"checked {shown_url(url)}:", result)
    return 0 if result.sound else NOT_SOUND


def copy(
    source: Annotated[str, Parameter(name="FROM", help="The database: sqlite:///FILE, a file, or postgresql://...")],
    target: Annotated[str, Parameter(name="TO", help="The empty PostgreSQL database, or the new file.")],
    /,
    *,
    as_json: Json = False,
) -> int:
    """Copy a database from SQLite to PostgreSQL or back, with all ids and hashes.

    A server may use FROM meanwhile; the copy has everything that was stored when the command began. The key that signs
    records is in a file of its own: see evilpegs database backup.
    """
    url, to = _url(source), _url(target)
    if url == to:
        raise CommandError("FROM and TO are the same database; name two")
    if is_remote(url) == is_remote(to):
        other = "pg_dump and pg_restore" if is_remote(url) else "evilpegs database backup"
        raise CommandError(f"FROM and TO are both of one kind; copy one to PostgreSQL or from it, or use {other}")
    with _shown_progress() as show:
        if is_remote(to):
            engine_of(to)  # which says what is missing
            from evilpegs_server.storage.copies.load import copy_to_postgres  # noqa: PLC0415 - needs the extra

            checked = check_database(url, show)
            if checked.damage:
                raise CommandError(f"the database {url} is damaged: {checked.damage[0]}; nothing was copied")
            copy_to_postgres(url, to, show)
        else:
            check_writable(str(database_file(to)))
            copy_to_file(url, database_file(to), show)
            checked = check_database(to, show)
    if as_json:
        print_json({"from": shown_url(url), "to": shown_url(to), **checked.to_json()})
    else:
        _print_lines(f"copied {shown_url(url)} to {shown_url(to)}:", checked)
    return 0 if checked.sound else NOT_SOUND


def follow(
    file: Annotated[str, Parameter(name="COPY", help="The file to write; it goes on where it ended.")],
    /,
    *,
    once: Annotated[bool, Parameter(negative="", help="End when it has all there is.")] = False,
    database: Database = None,
) -> None:
    """Keep a second file of the database, at most a second behind, until Ctrl-C or SIGTERM.

    It has the seeds of open games, so only the owner can read it. To go on with it when the database is lost, start
    the server on it: evilpegs serve --database sqlite:///COPY
    """
    settings = server_settings(database=database)
    url, target = settings.database, Path(file)
    check_writable(file)
    if not is_remote(url) and target.exists() and target.samefile(check_exists(url)):
        raise CommandError(f"{file[:200]} is the database itself; name another file")
    log = configure_logging(settings.log_level, settings.log_format)
    with stop_noted() as stops, ExitStack() as stack:
        try:
            stack.callback(DatabaseLock(file_url(file)).release)
            mirror = Mirror(url, target, log)
        except DatabaseInUseError:
            raise CommandError(f"another process uses {file[:200]}; end it, or name another file") from None
        stack.callback(mirror.close)
        with _shown_progress() as show:
            while not (stops or mirror.catch_up()):
                show("events", mirror.places.copied, mirror.places.written)
        if not stops:
            print(f"{file} has all that {shown_url(url)} has", flush=True)  # noqa: T201
        is_lost = False
        while not (once or stops):
            try:
                is_whole = mirror.catch_up()
            except DatabaseUnavailableError as error:
                if not is_lost:
                    log.warning(str(error))
                is_lost = True
                time.sleep(FULL_SECONDS)
                continue
            if is_lost:
                log.info("the database can be read again")
            is_lost = False
            time.sleep(LOOK_SECONDS if is_whole else 0)  # a second behind at most


def upgrade(*, database: Database = None, as_json: Json = False) -> None:
    """Make the tables in an empty PostgreSQL database, or bring those of any database to this version.

    No server may use it meanwhile. On SQLite, evilpegs serve does the same when it starts.
    """
    url = server_settings(database=database).database
    is_new = engine_of(url).upgrade(url)
    if as_json:
        print_json({"database": shown_url(url), "made": is_new})
    else:
        what = "has tables now" if is_new else "has the tables of this version"
        console().print(f"{shown_url(url)} {what}", soft_wrap=True, markup=False)


def _url(name: str) -> str:
    return name if "://" in name else file_url(name)


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
