"""`evilpegs verify`: a record is checked from nothing but its events, twice, by programs that share no code."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter
from rich.console import Console

from evilpegs.errors import CommandError
from evilpegs.files import failure_reason, read_record_file
from evilpegs.options import Json
from evilpegs.output import Column, console, pluralize, print_json, print_table, progress
from evilpegs_clients.printable import printable
from evilpegs_clients.verification.independent.check import MAX_CODES, CheckedGame, check_record
from evilpegs_clients.verification.verify import (
    check_signature,
    find_signer,
    is_weak_key,
    require_cryptography,
    verify_match,
)
from evilpegs_clients.verification.violation import NotChecked, Subject, Violation
from evilpegs_game.errors import quoted
from evilpegs_protocol.record import KEY_BYTES, parse_bytes
from evilpegs_protocol.server_messages import MatchStarted
from evilpegs_protocol.text_files import read_text

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
    keys = None if key is None else _read_keys(key)
    started, events = read_record_file(file)
    with progress(console(sys.stderr)) as bar:
        task = bar.add_task("games", total=started.games)
        document = verification_document(started, events, lambda _: bar.advance(task), keys=keys)
    if as_json:
        print_json(document)
    else:
        show_verification(console(), document)
    if not document["holds"]:
        return DOES_NOT_HOLD
    return 0 if document["finished"] else NOT_FINISHED


def _read_keys(key: str) -> tuple[str, ...]:
    require_cryptography()
    keys = (key,) if _is_public_key(key) else _read_key_file(key)
    for weak in filter(is_weak_key, keys):
        raise CommandError(
            f"{weak} is no key of a server: it is a point of small order, with which anyone can sign anything; "
            "do not trust whoever gave it to you"
        )
    return keys


def _read_key_file(key: str) -> tuple[str, ...]:
    try:
        lines = [line.strip() for line in read_text(Path(key)).splitlines()]
    except (OSError, ValueError) as error:
        raise CommandError(
            f"{quoted(key, 200)} is neither a public key of 43 characters nor a file of them: {failure_reason(error)}; "
            "name the .key.pub file beside the server's database"
        ) from None
    keys = tuple(line for line in lines if line and not line.startswith("#"))
    if not keys or not all(map(_is_public_key, keys)):
        raise CommandError(
            f"{key[:200]} is not a list of public keys, one per line; "
            "a server names its own in /api/v1/keys, and in the file .key.pub beside its database"
        )
    return keys


def _is_public_key(text: str) -> bool:
    try:
        parse_bytes(text, KEY_BYTES)
    except ValueError:
        return False
    return True


def verification_document(
    started: MatchStarted,
    events: Sequence[Mapping[str, Any]],
    game_done: Callable[[CheckedGame], object],
    max_codes: int = MAX_CODES,
    keys: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return the document of a record; with ``keys``, it must be signed with one of them.

    On rules with more than ``max_codes`` codes, the independent check reports replies as not checked.
    """
    verified = verify_match(events)
    violations = [violation for violation in verified if violation.subject is not Subject.END]
    report = check_record(events, max_codes, game_done=game_done)
    unsigned = [] if keys is None else check_signature(events, keys)
    findings: list[dict[str, Any]] = []
    not_checked: list[dict[str, Any]] = []
    checked = {"verification": violations, "independent": report.remarks, "signature": unsigned}
    for check, found in checked.items():
        for each in found:
            remarks = not_checked if isinstance(each, NotChecked) else findings
            remarks.append({"check": check, "game": each.game, "turn": each.turn, "what": each.what})
    wrong, unknown = ({remark["game"] for remark in remarks} for remarks in (findings, not_checked))
    return {
        **{name: getattr(started, name) for name in ("match", "player", "ladder", "rules", "codemaker", "tie")},
        "events": len(events),
        "finished": len(violations) == len(verified),
        "holds": not findings,
        "findings": findings,
        "not_checked": not_checked,
        "signed_by": None if keys is None or unsigned else find_signer(events[-1], keys),
        "not_proved": _unproved_claims(started.player, None if keys is None else not unsigned),
        "games": [
            {
                "game": game.game,
                "outcome": game.outcome,
                "guesses": game.guesses,
                "secret": game.witness,
                "result": "does not hold" if game.game in wrong else "not checked" if game.game in unknown else "holds",
            }
            for game in report.games
        ],
    }


def _unproved_claims(player: str, is_signed: bool | None) -> list[dict[str, str]]:
    made_by = "anyone can make up a record that holds"
    if is_signed is None:
        made_by += "; name the public key of the server with --key"
    elif is_signed:
        made_by = "the owner of the key could have made up the whole record"
    claims = {
        "player": f"who played: that it was {player} is the word of the server",
        "times": "when the match was played and how long turns took: the server read its own clocks",
        "void": "why games are void: the server alone says that it failed",
        "conditions": "under which conditions: the record alone says what ladder, rated, guess_limit and tie are",
        "match": f"that the match took place at all: {made_by}",
    }
    return [{"claim": claim, "why": why} for claim, why in claims.items() if not (is_signed and claim == "conditions")]


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
