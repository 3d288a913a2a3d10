"""Output of commands: a JSON document or text on standard output, and progress on standard error."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import IO, Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

PLAIN_WIDTH: Final = 120
"""The width of text for people in a file or a pipe."""


def pluralize(count: int, singular: str, plural: str | None = None) -> str:
    """Return a count with its noun, such as "1 turn"; ``plural`` is by default the singular with an s."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def print_json(document: dict[str, Any]) -> None:
    text = json.dumps(document, ensure_ascii=False)
    # unprintable characters are escaped, because a terminal could obey them
    print("".join(symbol if symbol.isprintable() else json.dumps(symbol)[1:-1] for symbol in text))  # noqa: T201


@contextmanager
def only_document(as_json: bool) -> Iterator[None]:
    """With ``as_json``, keep standard output for a document: prints of a strategy go to standard error."""
    if as_json:
        with redirect_stdout(sys.stderr):
            yield
    else:
        yield


def console(file: IO[str] | None = None) -> Console:
    """Return a console that prints text for people, by default to standard output."""
    target = file or sys.stdout
    return Console(
        file=target,
        width=None if target.isatty() else PLAIN_WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
    )


def can_redraw(out: Console) -> bool:
    """Return True on a terminal that can replace printed text, as TERM=dumb cannot."""
    return out.is_terminal and not out.is_dumb_terminal


def progress(out: Console) -> Progress:
    """Return progress bars below what ``out`` prints, disabled unless `can_redraw`."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=out,
        transient=True,
        disable=not can_redraw(out),
    )
