"""The errors that a user causes, mistakes on the command line among them, and the one line that reports each."""

import errno
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Final, Literal, get_args, get_origin

import cyclopts

from evilpegs_clients.errors import ClientError
from evilpegs_clients.printable import printable
from evilpegs_game.errors import EvilpegsError, MalformedError, quoted
from evilpegs_protocol.suggestions import install_hint, unknown_ladder_text

# of the extra `server`
SERVER_PACKAGES: Final = frozenset(
    {"alembic", "cryptography", "fastapi", "prometheus_client", "pydantic_settings"}
    | {"sqlalchemy", "structlog", "uvicorn"}
)


class CommandError(EvilpegsError):
    """A command cannot do its work; the message is one line that says what is wrong and what to do."""


@contextmanager
def as_malformed() -> Iterator[None]:
    """Raise errors of the block that callers of the Python API cannot name as MalformedError."""
    try:
        yield
    except (EvilpegsError, ModuleNotFoundError) as error:
        text = user_message(error)
        if text is None or isinstance(error, ValueError | ClientError):
            raise
        raise MalformedError(text) from None


def user_message(error: Exception) -> str | None:
    missing = error.__cause__ if type(error) is ImportError else error  # cyclopts wraps what a command cannot import
    if isinstance(missing, ModuleNotFoundError):
        package = (missing.name or "").partition(".")[0]
        if package in SERVER_PACKAGES:
            return f"this needs {package}, which is not installed; {install_hint('server')}"
    if isinstance(error, OSError) and error.filename and error.filename == os.environ.get("SSLKEYLOGFILE"):
        # opened by Python for each TLS context
        return f"SSLKEYLOGFILE names {quoted(error.filename, MAX_QUOTED)}: {error.strerror}; correct or unset it"
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return "no space is left where the output goes; free some space or send it elsewhere"
    if isinstance(error, cyclopts.CycloptsError):
        command = " ".join(("evilpegs", *(error.command_chain or ())))
        what = " ".join(_what(error).split()).rstrip(".")
        return f"{what}{'' if what.endswith('?') else ';'} see: {command} --help"
    text = str(error)
    if isinstance(error, MalformedError):
        for name in error.arguments:
            text = re.sub(rf"\b{name}\b", f"--{name.replace('_', '-')}", text)
    return printable(" ".join(text.split())) if isinstance(error, EvilpegsError) else None


def unknown_ladder(ladder: str, known: Iterable[str], server: str | None = None) -> CommandError:
    """Return the error that names the most similar of ``known``; ``server`` is the URL that was asked, if any."""
    where, option = ("", "") if server is None else (f" on {server}", f" --server {server}")
    return CommandError(f"{unknown_ladder_text(ladder, known, where)}; see: evilpegs ladders{option}")


def practice_ladder(ladder: str, server: str | None = None) -> CommandError:
    option = "" if server is None else f" --server {server}"
    return CommandError(
        f"{ladder} is for practice and has no leaderboard; name a rated ladder, see: evilpegs ladders{option}"
    )


MAX_QUOTED = 80
_KINDS = {int: "a whole number", float: "a number"}
_WITH_RULES = {("assist",), ("duel",), ("solve",), ("tree",)}
_RULES = re.compile(r"[0-9]+x[0-9]+(-distinct)?")


def rules_hint(typed: str) -> str:
    return f"; rules are named with --rules {typed}" if _RULES.fullmatch(typed) else ""


def _what(error: cyclopts.CycloptsError) -> str:
    match error:
        case cyclopts.UnknownCommandError():
            # not the text of the error, because creating it would import every command
            typed = (error.unused_tokens or [""])[0]
            return _unknown("option" if typed.startswith("-") else "command", typed, list(error.app or ()))
        case cyclopts.UnknownOptionError(token=token):
            known = [name for one in error.argument_collection for name in one.names]
            return _unknown("option", token.keyword or token.value, known)
        case cyclopts.UnusedCliTokensError():
            return _unexpected(error)
        case cyclopts.MissingArgumentError(argument=cyclopts.Argument() as argument):
            return _missing_value(error, argument)
        case cyclopts.RepeatArgumentError(token=token):
            return f"{token.keyword} was given more than once"
        case cyclopts.CoercionError(token=cyclopts.Token() as token) if error.msg is None:
            return _wrong_value(error, token)
    return str(error).partition(" Available commands:")[0]


def _unexpected(error: cyclopts.UnusedCliTokensError) -> str:
    typed = " ".join(error.unused_tokens or ())
    command = tuple(error.command_chain or ())
    hint = f"; a ladder is named with --ladder {typed[:MAX_QUOTED]}" if command == ("play",) else ""
    if command in _WITH_RULES:
        hint = rules_hint(typed)
    return f"unexpected argument {quoted(typed, MAX_QUOTED)}{hint}"


def _unknown(kind: str, typed: str, known: list[str]) -> str:
    return f"there is no {kind} {quoted(typed, MAX_QUOTED)}" + _suggestion(typed, known)


def _missing_value(error: cyclopts.MissingArgumentError, argument: cyclopts.Argument) -> str:
    count, _ = argument.token_count()
    name = error.keyword or argument.name
    if count > 1:
        return f"{name} needs {count} values, and {len(error.tokens_so_far) % count} was given"
    return f"{name} needs a value" if name.startswith("-") else f"{name} is missing"


def _wrong_value(error: cyclopts.CoercionError, token: cyclopts.Token) -> str:
    name = token.keyword or (error.argument.name if error.argument is not None else "value")
    source = f"environment variable {name}" if token.source == "env" else name
    return f"{source} must be {_kind(error.target_type)}, not {quoted(token.value, MAX_QUOTED)}" + _suggestion(
        token.value, _choices(error.target_type)
    )


def _choices(target: object) -> list[str]:
    return [str(word) for word in get_args(target)] if get_origin(target) is Literal else []


def _kind(target: object) -> str:
    if choices := _choices(target):
        *others, last = choices
        return f"{', '.join(others)} or {last}" if others else last
    return _KINDS.get(target, "another value") if isinstance(target, type) else "another value"


def _suggestion(typed: str, known: list[str]) -> str:
    # without hyphens and case, which many names have in common
    names = {name.strip("-").lower(): name for name in known}
    close = get_close_matches(typed.strip("-").lower(), names, n=1, cutoff=0.7)
    return f"; did you mean {names[close[0]]}?" if close else ""
