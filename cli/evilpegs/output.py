"""Output of commands: a JSON document or text on standard output, and progress on standard error."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import IO, Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

PLAIN_WIDTH: Final = 120
"""The width, in characters, of text for people that is printed to a file or a pipe."""


def pluralize(count: int, singular: str, plural: str | None = None) -> str:
    """Return a count with its noun, such as "1 turn", "2 turns" or "2 matches".

    ``singular`` is the noun for 1. ``plural`` is the noun for other counts, by default ``singular`` with an s.
    """
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def print_json(document: dict[str, Any]) -> None:
    """Print ``document`` as one line of JSON on standard output.

    Characters that are not printable are escaped as JSON allows, because a terminal could obey them.
    """
    text = json.dumps(document, ensure_ascii=False)
    print("".join(symbol if symbol.isprintable() else json.dumps(symbol)[1:-1] for symbol in text))  # noqa: T201


@contextmanager
def only_document(as_json: bool) -> Iterator[None]:
    """During the block, keep standard output for a JSON document if ``as_json`` is True.

    What a strategy prints in the block then goes to standard error.
    """
    if as_json:
        with redirect_stdout(sys.stderr):
            yield
    else:
        yield


def console(file: IO[str] | None = None) -> Console:
    """Return a console that prints text for people to ``file``, by default to standard output.

    The console prints colors on a terminal unless NO_COLOR is set.
    """
    target = file or sys.stdout
    return Console(
        file=target,
        width=None if target.isatty() else PLAIN_WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
    )


def can_redraw(out: Console) -> bool:
    """Return True if ``out`` is a terminal on which printed text can be replaced, as TERM=dumb cannot."""
    return out.is_terminal and not out.is_dumb_terminal


def progress(out: Console) -> Progress:
    """Return a display of progress bars below what ``out`` prints; it is disabled unless `can_redraw`."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=out,
        transient=True,
        disable=not can_redraw(out),
    )
