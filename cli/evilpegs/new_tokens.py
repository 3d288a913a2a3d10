"""New tokens of players, in files that exist only if the database has them, and that only their owner can read."""

import io
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO

from evilpegs.errors import CommandError
from evilpegs.files import STANDARD, check_writable, failure_reason, write_csv_rows


@contextmanager
def given_tokens(tokens: dict[str, str], name: str) -> Iterator[dict[str, str]]:
    """Write tokens by player as CSV to a new file for the block, or to standard output after it."""
    # written before the database is, and outside of its lock, because a disk or a reader may take its time
    if name == STANDARD:
        if _is_output_lost():
            raise CommandError(
                "standard output is closed or thrown away, and the tokens would be lost; name a file with --tokens"
            )
        yield tokens
        _write_rows(tokens, sys.stdout)
        return
    rows = io.StringIO()
    _write_rows(tokens, rows)
    with new_private_file(name, rows.getvalue()):
        yield tokens


@contextmanager
def new_private_file(name: str, text: str) -> Iterator[None]:
    """Write a new file for the block, and remove it if the block raises."""
    check_writable(name)
    with ExitStack() as undo:
        try:
            with open(name, "x", encoding="utf-8", opener=partial(os.open, mode=0o600)) as file:
                undo.callback(Path(name).unlink, missing_ok=True)
                file.write(text)
        except FileExistsError:
            raise CommandError(f"{name} exists and may have other tokens; name a new file") from None
        except OSError as error:
            raise CommandError(f"cannot write {name}: {failure_reason(error)}; choose another file") from None
        yield
        undo.pop_all()


def _is_output_lost() -> bool:
    # `main` has replaced an output that is closed
    try:
        return os.path.samestat(os.fstat(sys.stdout.fileno()), Path(os.devnull).stat())
    except (OSError, ValueError):
        return False


def _write_rows(tokens: Mapping[str, str], file: IO[str]) -> None:
    write_csv_rows(file, [("name", "token"), *tokens.items()])
    file.flush()
