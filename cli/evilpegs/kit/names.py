"""What an operator writes about players: names, as words or in a CSV file, and reasons."""

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from evilpegs.errors import CommandError
from evilpegs.files import failure_reason
from evilpegs_protocol.text_files import read_text
from evilpegs_server.storage.log.acts import MAX_REASON_BYTES
from evilpegs_server.storage.log.players import NameRefusedError, check_name

SOON: Final = "if a server runs, it follows within a second"
MOST_WRONG: Final = 5
ListOfNames = Annotated[
    Path | None,
    Parameter(name="--from", help="A CSV file with a name per row, in the column called name, or else in the first."),
]


def check_reason(reason: str) -> None:
    if not (reason and reason.isprintable() and len(reason.encode()) <= MAX_REASON_BYTES):
        raise CommandError(f"--reason must be one line of at most {MAX_REASON_BYTES} bytes")


def given_names(names: Sequence[str], csv_file: Path | None, check: Callable[[str], None] = check_name) -> list[str]:
    given = [*names, *([] if csv_file is None else _names_in(csv_file, check))]
    if csv_file is not None and not given:
        raise CommandError(f"{csv_file} has no names")
    return given


def _names_in(file: Path, check: Callable[[str], None]) -> list[str]:
    try:
        text = read_text(file)
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot read {file}: {failure_reason(error)}") from None
    first, _, rest = text.partition("\n")
    if first.lower().startswith("sep="):  # Excel's mark of the character between cells
        first, text = rest.partition("\n")[0], f"\n{rest}"
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(map(str.strip, row))]
    except csv.Error as error:
        raise CommandError(f"{file} line {reader.line_num} is not CSV: {error}") from None
    heading = [cell.lower() for cell in rows[0][1]] if rows else []
    has_heading = "name" in heading
    column = heading.index("name") if has_heading else 0
    names, wrong = [], []
    for line, row in rows[has_heading:]:
        names.append(row[column] if column < len(row) else "")
        try:
            check(names[-1])
        except NameRefusedError as error:
            hint = "; if it is a heading, call the column name" if (line, has_heading) == (rows[0][0], False) else ""
            wrong.append(f"line {line}: {names[-1]!r:.30}: {error}{hint}" if names[-1] else f"line {line} has no name")
    if wrong:
        more = f"; and {len(wrong) - MOST_WRONG} more" if len(wrong) > MOST_WRONG else ""
        raise CommandError(f"{file}: {'; '.join(wrong[:MOST_WRONG])}{more}; nobody was added")
    return names
