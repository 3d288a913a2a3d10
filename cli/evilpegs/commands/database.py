"""`evilpegs database`: copy the database of a server while it runs, and check a database or a copy."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter
from sqlalchemy.exc import SQLAlchemyError

from evilpegs.database import open_for_reading, server_settings
from evilpegs.errors import CommandError
from evilpegs.files import STANDARD, check_writable, failure_reason
from evilpegs.options import Database, Json
from evilpegs.output import console, pluralize, print_json, progress
from evilpegs_server.leaderboard.rebuild import RowDifference, rebuild_games
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.storage.backup import DatabaseCheck, Progress, backup_database, check_database
from evilpegs_server.storage.lock import DatabaseLock
from evilpegs_server.storage.server_key import key_copies

NOT_SOUND: Final = 1
DatabaseToCheck = Annotated[
    str | None,
    Parameter(name="DATABASE", help="sqlite:///FILE or a file; by default the database that `serve` uses."),
]


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
            copied = backup_database(url, target, show, overwrite=force, others=keys)
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
    database: DatabaseToCheck = None,
    /,
    *,
    as_json: Json = False,
) -> int:
    """Check every page of a database, and the chain of hashes of every match.

    Nothing is written, and a server may use the database meanwhile. Each damaged place and each broken match gets a
    line; if there is any, the exit status is 1.
    """
    url = database_url(database)
    with _shown_progress() as show:
        result = check_database(url, show)
    if as_json:
        print_json({"database": url, **result.to_json()})
    else:
        _print_lines(f"checked {url}:", result)
    return 0 if result.sound else NOT_SOUND


def database_url(database: str | None) -> str:
    """Return the URL of a URL or file name, by default that of the database of `evilpegs serve`."""
    url = database if database is None or "://" in database else f"sqlite:///{database}"
    return server_settings(database=url).database


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


DIFFERENT: Final = 1
SHOWN: Final = 20
"""The most differences that are listed for people; the JSON document has all of them."""


@dataclass(slots=True)
class RebuildResult:
    """The result of a rebuild; ``completed`` counts single values, ``unreadable`` has ids of matches."""

    games: int = 0
    completed: int = 0
    differences: list[RowDifference] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def rebuild(
    database: DatabaseToCheck = None,
    /,
    *,
    compare: Annotated[
        bool, Parameter(show_default=False, help="Only compare, and write nothing; a server may run meanwhile.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Recompute the result, the times and the luck of every finished game from its events.

    Rows that lack something, such as luck that no server has measured yet, are completed. Rows that contradict their
    events are listed and corrected, and the exit status is 1. Stop the server first, or use --compare.
    """
    url = database_url(database)
    result = RebuildResult()
    with ExitStack() as stack:
        engine = stack.enter_context(open_for_reading(url))
        if not compare:
            stack.callback(DatabaseLock(url).release)
        bar = stack.enter_context(progress(console(sys.stderr)))
        task = bar.add_task("games", total=None)
        try:
            for part in rebuild_games(
                engine,
                load_ladders(),
                write=not compare,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            ):
                result.games += part.games
                result.unreadable += part.unreadable
                result.completed += sum(each.is_missing for each in part.differences)
                result.differences += [each for each in part.differences if not each.is_missing]
        except SQLAlchemyError as error:
            raise CommandError(f"the database cannot be read: {str(error).splitlines()[0]}") from None
    if as_json:
        differences = [
            asdict(each) | {"stored": str(each.stored), "computed": str(each.computed)} for each in result.differences
        ]
        print_json({"database": url, "written": not compare, **asdict(result), "differences": differences})
    else:
        _print_rebuild(url, result, written=not compare)
    return DIFFERENT if result.differences or result.unreadable else 0


def _print_rebuild(url: str, result: RebuildResult, *, written: bool) -> None:
    lines = [f"computed {pluralize(result.games, 'finished game')} of {url} again"]
    if result.completed:
        lines.append(f"{pluralize(result.completed, 'fact')} {'added' if written else 'missing'}")
    for each in result.differences[:SHOWN]:
        computed = "nothing" if each.computed is None else each.computed
        where = f"match {each.match}, game {each.game}"
        lines.append(f"{where}: {each.name} was {each.stored}, its events say {computed}")
    if len(result.differences) > SHOWN:
        lines.append(f"and {len(result.differences) - SHOWN:,} more")
    lines += [f"match {match}: its events cannot be read; see: evilpegs replay {match}" for match in result.unreadable]
    if not result.differences and not result.unreadable:
        lines.append("every row that was stored follows from its events")
    for line in lines:
        console().print(line, soft_wrap=True)
