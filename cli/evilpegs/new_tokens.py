"""New tokens of players, in files that exist only if the database has them, and that only their owner can read."""

import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from evilpegs.errors import MAX_QUOTED, CommandError
from evilpegs.files import STANDARD, check_writable, failure_reason, write_csv_rows


@contextmanager
def given_tokens(tokens: dict[str, str], name: str) -> Iterator[dict[str, str]]:
    """Write tokens by player as CSV to a new file for the block, or to standard output after it."""
    rows = [("name", "token"), *tokens.items()]
    # written before the database is, and outside of its lock, because a disk or a reader may take its time
    if name == STANDARD:
        if _is_output_lost():
            raise CommandError("standard output is closed or thrown away, with the tokens; name a file with --tokens")
        yield tokens
        try:
            write_csv_rows(sys.stdout, rows)
            sys.stdout.flush()
        except OSError as error:
            what = f"{', '.join(tokens)[:MAX_QUOTED]}: the tokens are stored, but not printed: {failure_reason(error)}"
            raise CommandError(f"{what}; get new ones with: evilpegs players token NAME") from None
        return
    text = io.StringIO()
    write_csv_rows(text, rows)
    with new_private_file(name, text.getvalue()):
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
    # `main` has replaced an output that is closed; a pipe without a reader has an error
    try:
        (poll := select.poll()).register(sys.stdout, 0)
        return bool(poll.poll(0)) or os.path.samestat(os.fstat(sys.stdout.fileno()), Path(os.devnull).stat())
    except (OSError, ValueError):
        return False
