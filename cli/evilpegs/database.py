"""The settings of the server, merged from all their sources, and the database that commands read."""

import os
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from difflib import get_close_matches
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from evilpegs.errors import CommandError
from evilpegs.options import NEWEST
from evilpegs.output import console, progress
from evilpegs_game.errors import quoted
from evilpegs_protocol.text_files import NotTextError
from evilpegs_server.settings import OwnLadder, Settings, settings_file
from evilpegs_server.storage.copies.backup import readable_database
from evilpegs_server.storage.copies.mirror import LocalCopy
from evilpegs_server.storage.database import engine_of, open_existing_database
from evilpegs_server.storage.derived.file import DerivedFile
from evilpegs_server.storage.location import database_file, is_remote, shown_url
from evilpegs_server.storage.log.archive import StoredMatch, load_match, newest_match_ids
from evilpegs_server.storage.log.interface import Database
from evilpegs_server.storage.queries import closing_engine


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@contextmanager
def open_for_reading(url: str | None) -> Iterator[Database]:
    """Open a database, by default the one that `evilpegs serve` would use here; of one in PostgreSQL, its copy."""
    url = server_settings(database=url).database
    check_database_file(url)
    bring_up_to_date(url)
    with closing_engine(open_existing_database(url)) as engine:
        yield engine


@contextmanager
def open_for_writing(url: str | None) -> Iterator[Database]:
    """Open a database that a server may be using, by default the one that `evilpegs serve` would use here."""
    url = server_settings(database=url).database
    check_database_file(url)
    with closing_engine(open_existing_database(url)) as engine:
        yield engine


@contextmanager
def stopped_server(database: str | None) -> Iterator[bool]:
    """Yield whether no server uses the database; none can start within the block then, except on PostgreSQL."""
    url = server_settings(database=database).database
    with engine_of(url).without_servers(url) as is_stopped:
        yield is_stopped


def bring_up_to_date(url: str) -> None:
    """Copy what is new in a PostgreSQL database to its copy on this machine."""
    if is_remote(url):
        with progress(console(sys.stderr)) as bar:
            task = bar.add_task(f"copying {shown_url(url)}", total=100)
            with closing(LocalCopy(url)) as copy:
                copy.follow(lambda share: bar.update(task, completed=round(100 * share)))


@contextmanager
def open_results(url: str | None) -> Iterator[DerivedFile]:
    """Open the results of a database, which a server may be using, or those of a copy if it cannot be read in place."""
    url = server_settings(database=url).database
    check_database_file(url)
    bring_up_to_date(url)
    with readable_database(url) as readable, closing(DerivedFile(readable, keeps_lock=False)) as derived:
        derived.prepare()
        yield derived


def check_database_file(url: str) -> None:
    file = database_file(url)
    try:
        wrong = f"{file} is a directory" if file.is_dir() else None
        if file.parent.exists() and not file.parent.is_dir():
            wrong = f"{file.parent} is not a directory"
    except PermissionError:
        wrong = f"you may not enter {file.parent}"
    if wrong is not None:
        raise CommandError(f"cannot use the database {file}: {wrong}; name another file with --database sqlite:///FILE")


def find_match(engine: Database, name: str, *, with_sealed: bool = False) -> StoredMatch:
    """Return the match with this id, or with the only id that begins like this, or the newest for ``last``."""
    if not name:
        raise CommandError("the id of the match is empty; write one, or last for the newest match")
    if name == NEWEST:
        ids = newest_match_ids(engine, "", 1, with_sealed=with_sealed)
        missing = "there is no match in the database yet; play one, or name another database with --database"
    else:
        ids = newest_match_ids(engine, name.lower(), 10, with_sealed=with_sealed)
        missing = f"no match begins with {quoted(name)}; name another database with --database, or last for the newest"
    if not ids:
        raise CommandError(missing if with_sealed else f"{missing}; --operator finds those of sealed rounds too")
    if len(ids) > 1:
        raise CommandError(f"{name!r} begins more than one match: {', '.join(ids)}; write more of the id")
    stored = load_match(engine, ids[0])
    if stored is None:
        raise CommandError(f"the match {ids[0]} was deleted a moment ago; name another")
    return stored


# by the type of a pydantic error; the messages of all others are clear enough
_EXPECTED: Final = {
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "greater_than": "more than {gt}",
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_parsing", "float_type"), "a number"),
    **dict.fromkeys(("bool_parsing", "bool_type"), "true or false"),
    "string_type": "a text",
    "path_type": "the name of a file",
    "tuple_type": "a list of texts",
    **dict.fromkeys(("dict_type", "model_type"), "a table like [ladders.friday] in evilpegs.toml"),
    "literal_error": "{expected}",
}


def server_settings(**options: Any) -> Settings:
    """Return the settings: ``options`` that are not None, then the environment, `evilpegs.toml` and the defaults."""
    named, file = {name: value for name, value in options.items() if value is not None}, settings_file()
    try:
        return Settings(**named)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise CommandError(f"{_source(first, named)}{_problem(first)}") from None
    except NotTextError as error:
        raise CommandError(f"{file}: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise CommandError(f"{file} is not TOML: {error}; fix it or move it away") from None
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}; fix it or move it away") from None


def _problem(error: ErrorDetails) -> str:
    if error["type"] == "extra_forbidden":
        place = error["loc"]
        close = get_close_matches(str(place[-1]), (Settings if len(place) == 1 else OwnLadder).model_fields, n=1)
        known = f"did you mean {close[0]}?" if close else "docs/operate.md lists the settings"
        return f": there is no such setting; {known}"
    if error["type"] == "missing":
        return " is missing; docs/operate.md shows a whole ladder"
    if error["type"] == "string_too_short":
        return " must not be empty; leave it out for the default"
    if expected := _EXPECTED.get(error["type"]):
        wanted = expected.format(**error.get("ctx", {})).replace("'", "")
        given = quoted(error["input"], 40) if isinstance(error["input"], str) else str(error["input"])[:40]
        is_secret = error["loc"] == ("mqtt_password",) or "@" in given  # addresses may have passwords
        return f" must be {wanted}" + ("" if is_secret else f", not {given}")
    return ": " + error["msg"].removeprefix("Value error, ")


def _source(error: ErrorDetails, options: dict[str, Any]) -> str:
    name = str(error["loc"][0]) if error["loc"] else "settings"
    if name in options:
        return f"--{name.replace('_', '-')}"
    variable = f"EVILPEGS_{name.upper()}"
    if variable in {known.upper() for known, value in os.environ.items() if value}:
        return f"environment variable {variable}"
    path = [str(part)[:80] for part in error["loc"] if part != "[key]"] if name == "ladders" else [name]
    return f"{'.'.join(path)} in {settings_file()}"
