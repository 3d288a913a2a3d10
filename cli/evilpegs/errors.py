"""The errors that a user causes, and the one line that reports each."""

import errno
from collections.abc import Iterable
from typing import Final

from cyclopts import CycloptsError

from evilpegs.usage_errors import usage_message
from evilpegs_clients.printable import printable
from evilpegs_game.errors import EvilpegsError
from evilpegs_protocol.suggestions import install_hint, unknown_ladder_text

SERVER_PACKAGES: Final = frozenset(
    {
        "alembic",
        "cryptography",
        "fastapi",
        "prometheus_client",
        "pydantic_settings",
        "sqlalchemy",
        "structlog",
        "uvicorn",
    }
)
"""The packages of the extra `server`."""


class CommandError(EvilpegsError):
    """A command cannot do its work; the message is one line that says what is wrong and what to do."""


def user_message(error: Exception) -> str | None:
    """Return the line that reports an error of the user; None for a fault of the program."""
    missing = error.__cause__ if type(error) is ImportError else error  # cyclopts wraps what a command cannot import
    if isinstance(missing, ModuleNotFoundError) and missing.name in SERVER_PACKAGES:
        return f"this needs {missing.name}, which is not installed; {install_hint('server')}"
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return "no space is left where the output goes; free some space or send it elsewhere"
    if isinstance(error, CycloptsError):
        return usage_message(error)
    return printable(" ".join(str(error).split())) if isinstance(error, EvilpegsError) else None


def unknown_ladder(ladder: str, known: Iterable[str], server: str | None = None) -> CommandError:
    """Return the error that names the most similar of ``known``; ``server`` is the URL that was asked, if any."""
    where, option = ("", "") if server is None else (f" on {server}", f" --server {server}")
    return CommandError(f"{unknown_ladder_text(ladder, known, where)}; see: evilpegs ladders{option}")


def practice_ladder(ladder: str, server: str | None = None) -> CommandError:
    """Return the error that a practice ladder has no leaderboard."""
    option = "" if server is None else f" --server {server}"
    return CommandError(
        f"{ladder} is for practice and has no leaderboard; name a rated ladder, see: evilpegs ladders{option}"
    )
