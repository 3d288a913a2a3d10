"""Where results go and how: one JSON document or text on standard output, progress on standard error.

Numbers in sentences.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import IO, Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


def pluralize(number: int, thing: str, things: str | None = None) -> str:
    """So many of a thing: 1 turn, 2 turns; 1 match, 2 matches."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


PLAIN_WIDTH: Final = 120
"""The width of tables that go to a file or a pipe."""


def print_json(document: dict[str, Any]) -> None:
    """Print the one document of a `--json` command."""
    print(json.dumps(document, ensure_ascii=False))  # noqa: T201


@contextmanager
def only_document(as_json: bool) -> Iterator[None]:
    """Keep standard output for the document, if there will be one: what a strategy prints goes to standard error."""
    if as_json:
        with redirect_stdout(sys.stderr):
            yield
    else:
        yield


def console(file: IO[str] | None = None) -> Console:
    """Where people read results: colors on a terminal unless NO_COLOR is set, plain text elsewhere."""
    target = file or sys.stdout
    return Console(
        file=target,
        width=None if target.isatty() else PLAIN_WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
    )


def progress(out: Console) -> Progress:
    """A progress bar at the end of what ``out`` prints; nothing at all where that is not a terminal."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=out,
        transient=True,
        disable=not out.is_terminal,
    )
