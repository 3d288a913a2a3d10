"""The errors that a user causes, and the one line that reports each."""

import errno
from difflib import get_close_matches
from typing import Final

from cyclopts import CycloptsError, UnknownCommandError, UnusedCliTokensError

from evilpegs_clients.printable import printable
from evilpegs_game.errors import EvilpegsError

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
"""Packages that an installation without the extra `server` lacks."""


class CommandError(EvilpegsError):
    """A command cannot do what it was asked for; the message is one line that says what is wrong and what to do."""


def user_message(error: Exception) -> str | None:
    """Return the line that reports an error of the user; None if the error is a fault of the program."""
    missing = error.__cause__ if type(error) is ImportError else error  # cyclopts wraps what a command cannot import
    if isinstance(missing, ModuleNotFoundError) and missing.name in SERVER_PACKAGES:
        return f"this needs {missing.name}, which is not installed; run: pip install 'evilpegs[server]'"
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return "no space is left where the output goes; make room or send it elsewhere"
    if isinstance(error, CycloptsError):
        return _usage_message(error)
    return printable(" ".join(str(error).split())) if isinstance(error, EvilpegsError) else None


def _usage_message(error: CycloptsError) -> str:
    """Return what is wrong with the command line, and where its options are described."""
    if isinstance(error, UnknownCommandError):
        what = _unknown_command_message(error)
    elif isinstance(error, UnusedCliTokensError):
        what = f"there is no use for {' '.join(error.unused_tokens or ())[:80]!r} here"
    else:
        what, _, _ = str(error).partition(" Available commands:")
    command = " ".join(("evilpegs", *(error.command_chain or ())))
    return f"{' '.join(what.split()).rstrip('.')}; see: {command} --help"


def _unknown_command_message(error: UnknownCommandError) -> str:
    """Return the message with the most similar command. The error's own text would import every command."""
    typed = (error.unused_tokens or [""])[0]
    close = get_close_matches(typed, error.app or (), n=1)
    return f'Unknown command "{typed}".' + (f' Did you mean "{close[0]}"?' if close else "")
