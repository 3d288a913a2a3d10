"""The location of a database: its URL, its file, and the files beside it, which only their owner may read."""

import os
import re
import sqlite3
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import quote

from platformdirs import user_data_path
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError
from structlog.stdlib import BoundLogger

from evilpegs_game.errors import quoted
from evilpegs_protocol.files import make_private_folder
from evilpegs_server.storage.errors import RESTORE, DatabaseDamagedError, DatabaseUnusableError

_FORMS: Final = "sqlite:///FILE or postgresql://USER@HOST/NAME"
# the forms that SQLAlchemy and libpq read alike
_POSTGRES: Final = re.compile(
    r"postgres(ql)?://((?:[^\s/?#\[\]@%:]|%[0-9A-Fa-f]{2})*(:(?:[^\s/?#\[\]@%]|%[0-9A-Fa-f]{2})*)?@)?"
    r"(\[[0-9A-Fa-f:.]+\]|[^\s/?#\[\]@%:]*)(:[0-9]+)?(/[^\s/?#@]*)?(\?[^\s#]*)?"
)


def is_remote(url: str) -> bool:
    """Return whether the database is one of PostgreSQL, from which this machine reads a copy in a file of its own."""
    return url.startswith(("postgresql:", "postgres:"))


def shown_url(url: str) -> str:
    """Return the URL without its password."""
    secrets = "password", "sslpassword"
    return parse_url(url).difference_update_query(secrets).render_as_string() if is_remote(url) else url


def file_url(file: Path | str) -> str:
    """Return the URL of a database file of any name."""
    return "sqlite:///" + str(file).replace("%", "%25").replace("?", "%3F")


def database_file(url: str) -> Path:
    """Return the file, existing or not; of a PostgreSQL database, that of its copy on this machine.

    Raises DatabaseUnusableError unless the URL is one of a file or of PostgreSQL.
    """
    parsed = parse_url(url)
    if is_remote(url):
        # readable, and different for databases of one name on different servers
        name = f"{parsed.database or parsed.username}-{sha256(shown_url(url).encode()).hexdigest()[:8]}.sqlite3"
        return user_data_path("evilpegs") / "postgresql" / name
    if parsed.drivername != "sqlite":
        message = f"databases of type {parsed.drivername[:20]} are not supported; write {_FORMS}"
        raise DatabaseUnusableError(message)
    if parsed.host or "?" in url or "\0" in url:
        wanted = "write sqlite:///FILE, with three slashes, no options, and %3F for ? and %25 for % in the name"
        message = f"not the URL of a file: {_quoted(url)}; {wanted}"
        raise DatabaseUnusableError(message)
    if not parsed.database or parsed.database == ":memory:":
        raise DatabaseUnusableError("a database in memory would lose every match; write sqlite:///FILE")
    return Path(parsed.database)


def beside(url: str, ending: str) -> Path:
    """Return a file that belongs to the database at ``url``, such as ``games.sqlite3.key`` for the ending ``.key``."""
    file = database_file(url)
    return file.with_name(file.name + ending)


def parse_url(url: str) -> URL:
    """Return the parts of a URL. Raises DatabaseUnusableError."""
    if is_remote(url) and not _POSTGRES.fullmatch(url):
        codes = "%40 for @, %2F for /, %3F for ?, %23 for #, %5B for [ and %25 for %"
        hint = f"write postgresql://USER:PASSWORD@HOST:PORT/NAME, in the password with {codes}"
        raise DatabaseUnusableError(f"not a database URL: {_quoted(url)}; {hint}")
    try:
        return make_url(url)
    except (ArgumentError, ValueError):
        raise DatabaseUnusableError(f"not a database URL: {_quoted(url)}; write {_FORMS}") from None


def _quoted(url: str) -> str:
    if is_remote(url) or ("@" in url and not url.startswith("sqlite:///")):
        # a password in what cannot be read may begin after the user's name and end at the last @, or be an option
        end = ".*(?=@)" if "@" in url and "password=" not in url else ".*"
        url = re.sub(rf"^([a-z+]*:?(?://[^:/?#@]*:)?){end}", r"\1***", url, flags=re.DOTALL)
    return quoted(re.sub(r"(password\s*=\s*)\S+", r"\1***", url), 80)  # also in the form of libpq


def engine_url(file: Path) -> URL:
    # with the mode `rw`, a connection cannot create an empty database after the file was moved; with links resolved, a
    # link that is changed later does not lead to another database
    return URL.create("sqlite", database=f"file:{quote(os.path.realpath(file))}", query={"mode": "rw", "uri": "true"})


def file_uri(file: Path, mode: str) -> str:
    return f"file:{quote(os.path.realpath(file))}?mode={mode}"


def connect(file: Path, mode: str = "rw") -> sqlite3.Connection:
    """Connect to an existing file without the pragmas of a server, with each statement in a transaction of its own."""
    return sqlite3.connect(file_uri(file, mode), uri=True, isolation_level=None)


def side_files(file: Path) -> list[Path]:
    """Return the files that SQLite keeps beside the database ``file`` in use, existing or not."""
    path = os.path.realpath(file)
    return [Path(path + end) for end in ("-wal", "-shm")]


def check_files(file: Path) -> None:
    """Raise DatabaseUnusableError for folders and pipes, and DatabaseDamagedError if the file was cut to nothing."""
    for path in (file, *side_files(file)):
        if path.exists() and not path.is_file():
            remedy = "name another with --database" if path == file else "it is where SQLite puts one; move it away"
            raise DatabaseUnusableError(f"cannot use the database {file}: {path} is not a file; {remedy}")
    # SQLite would delete that file, whoever reads
    if size_of(file) == 0 and size_of(log := side_files(file)[0]):
        raise DatabaseDamagedError(f"the database {file} was cut to nothing; move it and {log} away, and {RESTORE}")


def size_of(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def create_private(path: Path) -> None:
    """Create an empty file that only its owner can use, and its directory, unless the file exists."""
    make_private_folder(path.parent)
    # an existing file is not opened: closing it would drop SQLite's locks on it in this process
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def keep_private(file: Path, others: Iterable[Path], log: BoundLogger) -> None:
    """Make these files and SQLite's beside ``file`` accessible to their owner only; log what was not, never raise."""
    lax = [path for path in (file, *side_files(file), *others) if path.is_file() and path.stat().st_mode & 0o077]
    names = ", ".join(path.name for path in lax)
    try:
        for path in lax:
            path.chmod(0o600)
    except OSError as error:
        log.warning(
            "cannot make the database files private; other users may read or change them",
            files=names,
            why=error.strerror,
        )
    else:
        if lax:
            log.warning("database files were open to other users; made them private", files=names)
