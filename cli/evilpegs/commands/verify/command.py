"""The command `evilpegs verify` and what it prints."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Final

from cyclopts import Parameter
from rich.console import Console

from evilpegs.commands.verify.verification import GameVerification, MatchVerification, Remark, verify_record
from evilpegs.options import Json
from evilpegs.output import console, pluralize, print_json, progress
from evilpegs.public_keys import read_public_keys
from evilpegs.record_files import read_record
from evilpegs.tables import Column, print_table
from evilpegs_clients.printable import printable
from evilpegs_clients.verification.signature import require_cryptography
from evilpegs_clients.verification.violation import Violation

DOES_NOT_HOLD: Final = 1
NOT_FINISHED: Final = 3
MAX_SECRET: Final = 16  # characters


def verify(
    file: Annotated[
        str,
        Parameter(
            name="FILE",
            allow_leading_hyphen=True,
            help="A record, as `evilpegs replay MATCH --record FILE` writes it, or the events that a client "
            "received; - for standard input.",
        ),
    ],
    /,
    *,
    key: Annotated[
        str | None,
        Parameter(
            name="--key",
            allow_leading_hyphen=True,
            help="The public key of the server that must have signed the record, or a file with one key per line, such "
            "as the .key.pub beside the server's database.",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Verify the record of a match without the server that played it.

    Recomputes hashes, commitments, feedback and the codemaker's replies; then checks every reply once more, by going
    through all codes with a program of its own. What does not hold is listed, and the exit status is 1. What could not
    be checked, such as games on rules of more than 10^9 codes, is listed as not checked and does not change the exit
    status. If all of it holds, but the match is not over, the exit status is 3.

    With --key, the record must also be signed with that key; without it, anyone could have made the record up. A match
    that is not over is not signed yet, so its signature is not checked. What no record can prove is listed at the end.
    Remarks name doubtful times and do not change the exit status.
    """
    keys = None if key is None else _read_keys(key)
    started, events = read_record(file)
    with progress(console(sys.stderr)) as bar:
        task = bar.add_task("games", total=started.games)
        verification = verify_record(started, events, lambda _: bar.advance(task), keys=keys)
    if as_json:
        print_json(asdict(verification))
    else:
        show_verification(console(), verification)
    if not verification.holds:
        return DOES_NOT_HOLD
    return 0 if verification.finished else NOT_FINISHED


def show_verification(out: Console, match: MatchVerification) -> None:
    """Print the games of a record, what does not hold or was not checked, and a summary."""
    codemaker = match.codemaker + (f" ({match.tie})" if match.tie else "")
    out.print(f"match {match.match}: {match.player} on {match.ladder}, {match.rules}, {codemaker}", style="bold")
    secret_heading = "secret" if match.codemaker == "fixed" else "a code that fits"
    columns: list[Column[GameVerification]] = [
        Column("game", lambda game: str(game.game), "right"),
        Column("outcome", lambda game: game.outcome or "not over"),
        Column("guesses", lambda game: str(game.guesses), "right"),
        Column(secret_heading, lambda game: printable(game.secret or "")[:MAX_SECRET]),
        Column("result", lambda game: game.result),
    ]
    out.print()
    print_table(out, match.games, columns)
    _show_remarks(out, "does not hold", match.findings)
    _show_remarks(out, "not checked", match.not_checked)
    _show_remarks(out, "remark", match.remarks)
    out.print("\nnot proved by this record:")
    for claim in match.not_proved:
        out.print(f"  {printable(claim.why)}", soft_wrap=True)
    out.print(f"\n{_summary(match)}", style="bold" if match.holds else "bold red")


def _read_keys(key: str) -> tuple[str, ...]:
    require_cryptography()
    return read_public_keys(key)


def _show_remarks(out: Console, what: str, remarks: Sequence[Remark]) -> None:
    if remarks:
        out.print()
    for remark in remarks:
        out.print(f"{what} ({remark.check}): {Violation(remark.what, remark.game, remark.turn)}", soft_wrap=True)


def _summary(match: MatchVerification) -> str:
    size = f"{pluralize(match.events, 'event')}, {pluralize(len(match.games), 'game')}"
    left = f"; {pluralize(len(match.not_checked), 'thing')} not checked" if match.not_checked else ""
    if not match.holds:
        return f"{size}: {pluralize(len(match.findings), 'finding')}, the record does not hold{left}"
    if not match.finished:
        return f"{size}: not finished: the match is not over in this record; what is there holds{left}"
    signed = f", signed by {match.signed_by}" if match.signed_by else ""
    return f"{size}: nothing wrong was found{signed}{left}" if left else f"{size}: everything holds{signed}"
