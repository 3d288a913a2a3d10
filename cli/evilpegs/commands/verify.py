"""`evilpegs verify`: whether a record holds, from nothing but its file."""

import sys
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from evilpegs.options import Json
from evilpegs.output import console, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from evilpegs.verifying import Remark, VerifiedMatch

DOES_NOT_HOLD: Final = 1
LONGEST_CODE: Final = 16


def verify(
    file: Annotated[
        str,
        Parameter(
            name="FILE",
            allow_leading_hyphen=True,
            help="A record, as `evilpegs replay MATCH --record FILE` writes it; - for standard input.",
        ),
    ],
    /,
    *,
    as_json: Json = False,
) -> int:
    """Verify the record of a match without the server that played it.

    Recomputes hashes, commitments, feedback and the codemaker's replies; then checks every reply once more,
    by going through all codes, independently of the codemaker's code. What does not hold is listed, and the exit
    status is 1. What could not be checked, such as games over 10^9 codes, is listed as not checked; that alone is 0.
    """
    from dataclasses import asdict

    from evilpegs.record_file import read_record
    from evilpegs.verifying import verified

    started, events = read_record(file)
    with progress(console(sys.stderr)) as bar:
        task = bar.add_task("games", total=started.games)
        found = verified(started, events, lambda _: bar.advance(task))
    if as_json:
        print_json(asdict(found))
    else:
        show_verified(console(), found)
    return 0 if found.holds else DOES_NOT_HOLD


def show_verified(out: "Console", found: "VerifiedMatch") -> None:
    """Print the games of a verified record, its findings, and a summary."""
    from evilpegs.tables import Shown, table_of
    from evilpegs.verifying import VerifiedGame

    codemaker = found.codemaker + (f" ({found.tie})" if found.tie else "")
    out.print(f"match {found.match}: {found.player} on {found.ladder}, {found.rules}, {codemaker}", style="bold")
    shown = "secret" if found.codemaker == "fixed" else "a code that fits"
    columns: list[Shown[VerifiedGame]] = [
        Shown("game", lambda game: str(game.game), "right"),
        Shown("outcome", lambda game: game.outcome or "not over"),
        Shown("guesses", lambda game: str(game.guesses), "right"),
        Shown(shown, lambda game: _printable(game.secret or "")[:LONGEST_CODE]),
        Shown("result", lambda game: game.result),
    ]
    out.print()
    out.print(table_of(found.games, columns))
    _list(out, "does not hold", found.findings)
    _list(out, "not checked", found.not_checked)
    out.print(f"\n{_summary(found)}", style="bold" if found.holds else "bold red")


def _list(out: "Console", what: str, remarks: "Sequence[Remark]") -> None:
    from evilpegs_clients.finding import Finding

    if remarks:
        out.print()
    for remark in remarks:
        line = f"{what} ({remark.check}): {Finding(remark.what, remark.game, remark.turn)}"
        out.print(_printable(line), soft_wrap=True)


def _printable(text: str) -> str:
    """The text without what a record may hold to command a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _summary(found: "VerifiedMatch") -> str:
    from evilpegs.wording import counted

    size = f"{counted(found.events, 'event')}, {counted(len(found.games), 'game')}"
    left = f"; {counted(len(found.not_checked), 'thing')} not checked" if found.not_checked else ""
    if not found.holds:
        return f"{size}: {counted(len(found.findings), 'finding')}, the record does not hold{left}"
    return f"{size}: nothing wrong was found{left}" if left else f"{size}: everything holds"
