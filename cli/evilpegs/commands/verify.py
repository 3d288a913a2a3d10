"""`evilpegs verify`: a record is checked from nothing but its events, twice, by programs that share no code."""

import sys
from typing import Annotated, Any, Final

from cyclopts import Parameter
from rich.console import Console

from evilpegs.api.verification import read_keys, verify_record
from evilpegs.files import read_record_file
from evilpegs.options import Json
from evilpegs.output import Column, console, pluralize, print_json, print_table, progress
from evilpegs_clients.printable import printable
from evilpegs_clients.verification.violation import Violation

DOES_NOT_HOLD: Final = 1
NOT_FINISHED: Final = 3
MAX_SECRET: Final = 16  # characters


def verify(
    file: Annotated[str, Parameter(name="FILE", allow_leading_hyphen=True)],
    /,
    *,
    key: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    as_json: Json = False,
) -> int:
    """Verify the record of a match without the server that played it.

    Recomputes hashes, commitments, feedback and the codemaker's replies; then checks every reply once more, by going
    through all codes with a program of its own. What does not hold is listed, and the exit status is 1. What could not
    be checked, such as games on rules of more than 10^9 codes, is listed as not checked and does not change the exit
    status. If all of it holds, but the match is not over, the exit status is 3.

    With --key, the record must also be signed with that key; without it, anyone could have made the record up. A match
    that is not over is not signed yet, so its signature is not checked. What no record can prove is listed at the end.

    Args:
        file: A record, as `evilpegs replay MATCH --record FILE` writes it, or the events that a client received; - for
            standard input.
        key: The public key of the server that must have signed the record, or a file with one key per line, such as the
            .key.pub beside the server's database.
    """
    keys = None if key is None else read_keys(key)
    started, events = read_record_file(file)
    with progress(console(sys.stderr)) as bar:
        task = bar.add_task("games", total=started.games)
        document = verify_record(started, events, lambda _: bar.advance(task), keys=keys).to_json()
    if as_json:
        print_json(document)
    else:
        show_verification(console(), document)
    if not document["holds"]:
        return DOES_NOT_HOLD
    return 0 if document["finished"] else NOT_FINISHED


def show_verification(out: Console, match: dict[str, Any]) -> None:
    codemaker = match["codemaker"] + (f" ({match['tie']})" if match["tie"] else "")
    head = f"match {match['match']}: {match['player']} on {match['ladder']}, {match['rules']}, {codemaker}"
    out.print(head, style="bold")
    columns: list[Column[dict[str, Any]]] = [
        Column("game", lambda game: str(game["game"]), "right"),
        Column("outcome", lambda game: game["outcome"] or "not over"),
        Column("guesses", lambda game: str(game["guesses"]), "right"),
        Column(
            "secret" if match["codemaker"] == "fixed" else "a code that fits",
            lambda game: printable(game["secret"] or "")[:MAX_SECRET],
        ),
        Column("result", lambda game: game["result"]),
    ]
    out.print()
    print_table(out, match["games"], columns)
    for what, remarks in (("does not hold", match["findings"]), ("not checked", match["not_checked"])):
        if remarks:
            out.print()
        for remark in remarks:
            found = Violation(remark["what"], remark["game"], remark["turn"])
            out.print(f"{what} ({remark['check']}): {found}", soft_wrap=True)
    out.print("\nnot proved by this record:")
    for claim in match["not_proved"]:
        out.print(f"  {printable(claim['why'])}", soft_wrap=True)
    out.print(f"\n{_summary(match)}", style="bold" if match["holds"] else "bold red")


def _summary(match: dict[str, Any]) -> str:
    size = f"{pluralize(match['events'], 'event')}, {pluralize(len(match['games']), 'game')}"
    left = f"; {pluralize(len(match['not_checked']), 'thing')} not checked" if match["not_checked"] else ""
    if not match["holds"]:
        return f"{size}: {pluralize(len(match['findings']), 'finding')}, the record does not hold{left}"
    if not match["finished"]:
        return f"{size}: not finished: the match is not over in this record; what is there holds{left}"
    signed = f", signed by {match['signed_by']}" if match["signed_by"] else ""
    return f"{size}: nothing wrong was found{signed}{left}" if left else f"{size}: everything holds{signed}"
