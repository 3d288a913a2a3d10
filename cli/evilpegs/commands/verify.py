"""`evilpegs verify`: the record of a match is checked without the server that played it, from nothing but its events.

The first check uses the code with which the game is played; the second check shares no code with the first.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from cyclopts import Parameter
from rich.console import Console

from evilpegs.errors import CommandError
from evilpegs.files import failure_reason, read_record
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

DOES_NOT_HOLD: Final = 1
NOT_FINISHED: Final = 3
MAX_SECRET: Final = 16  # characters
Check = Literal["verification", "independent", "signature"]
Verdict = Literal["holds", "does not hold", "not checked"]


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


def _read_keys(key: str) -> tuple[str, ...]:
    require_cryptography()
    if _is_public_key(key):
        return _refuse_weak((key,))
    try:
        lines = [line.strip() for line in Path(key).read_text(encoding="ascii").splitlines()]
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
    return _refuse_weak(keys)


def _refuse_weak(keys: tuple[str, ...]) -> tuple[str, ...]:
    for weak in filter(is_weak_key, keys):
        raise CommandError(
            f"{weak} is no key of a server: it is a point of small order, with which anyone can sign anything; "
            "do not trust whoever gave it to you"
        )
    return keys


def _is_public_key(text: str) -> bool:
    try:
        parse_bytes(text, KEY_BYTES)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Remark:
    """A violation or a statement that was not checked.

    ``game`` is 0 if the remark concerns the whole match, and ``turn`` is 0 if it concerns no single turn.
    """

    check: Check
    game: int
    turn: int
    what: str


@dataclass(frozen=True, slots=True)
class GameVerification:
    """The verification of one game; ``outcome`` is None if it is not over."""

    game: int
    outcome: str | None
    guesses: int
    secret: str | None
    result: Verdict


@dataclass(frozen=True, slots=True)
class Unproved:
    """A claim that no match record can prove, and a line that gives the reason."""

    claim: Literal["player", "times", "void", "conditions", "match"]
    why: str


@dataclass(frozen=True, slots=True)
class MatchVerification:
    """The verification of one match.

    ``holds`` is True if there are no findings; statements that were not checked may still be wrong. ``finished`` is
    True if the record has the last event, which has the hash over the record; without it, the server could still change
    the events before. ``signed_by`` is the public key, None if the signature was not checked or no key fits.
    """

    match: str
    player: str
    ladder: str
    rules: str
    codemaker: str
    tie: str | None
    events: int
    finished: bool
    holds: bool
    findings: tuple[Remark, ...]
    not_checked: tuple[Remark, ...]
    signed_by: str | None
    not_proved: tuple[Unproved, ...]
    games: tuple[GameVerification, ...]


def verify_record(
    started: MatchStarted,
    events: Sequence[Mapping[str, Any]],
    game_done: Callable[[CheckedGame], object],
    max_codes: int = MAX_CODES,
    keys: Sequence[str] | None = None,
) -> MatchVerification:
    """Verify the record of a match.

    On rules with more than ``max_codes`` codes, the independent check reports replies as not checked. With ``keys``,
    the record must be signed with one of them. Raises SignatureUncheckableError if the library for this is not
    installed.
    """
    verified = verify_match(events)
    violations = [violation for violation in verified if violation.subject is not Subject.END]
    report = check_record(events, max_codes, game_done=game_done)
    unsigned = [] if keys is None else check_signature(events, keys)
    checked: list[tuple[Check, Iterable[Violation]]] = [
        ("verification", violations),
        ("independent", report.remarks),
        ("signature", unsigned),
    ]
    findings: list[Remark] = []
    not_checked: list[Remark] = []
    for check, found in checked:
        for each in found:
            remarks = not_checked if isinstance(each, NotChecked) else findings
            remarks.append(Remark(check, each.game, each.turn, each.what))
    return MatchVerification(
        match=started.match,
        player=started.player,
        ladder=started.ladder,
        rules=started.rules,
        codemaker=started.codemaker,
        tie=started.tie,
        events=len(events),
        finished=len(violations) == len(verified),
        holds=not findings,
        findings=tuple(findings),
        not_checked=tuple(not_checked),
        signed_by=None if keys is None or unsigned else find_signer(events[-1], keys),
        not_proved=_unproved_claims(started, None if keys is None else not unsigned),
        games=tuple(_game(game, findings, not_checked) for game in report.games),
    )


def _unproved_claims(started: MatchStarted, is_signed: bool | None) -> tuple[Unproved, ...]:
    made_by = "anyone can make up a record that holds"
    if is_signed is None:
        made_by += "; name the public key of the server with --key"
    elif is_signed:
        made_by = "the owner of the key could have made up the whole record"
    conditions = "under which conditions: the record alone says what ladder, rated and guess_limit are"
    return (
        Unproved("player", f"who played: that it was {started.player} is the word of the server"),
        Unproved("times", "when the match was played and how long turns took: the server read its own clocks"),
        Unproved("void", "why games are void: the server alone says that it failed"),
        *(() if is_signed else (Unproved("conditions", conditions),)),
        Unproved("match", f"that the match took place at all: {made_by}"),
    )


def _game(game: CheckedGame, findings: Iterable[Remark], not_checked: Iterable[Remark]) -> GameVerification:
    result: Verdict = "holds"
    if any(remark.game == game.game for remark in findings):
        result = "does not hold"
    elif any(remark.game == game.game for remark in not_checked):
        result = "not checked"
    return GameVerification(game.game, game.outcome, game.guesses, game.witness, result)


def show_verification(out: Console, match: MatchVerification) -> None:
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
    out.print("\nnot proved by this record:")
    for claim in match.not_proved:
        out.print(f"  {printable(claim.why)}", soft_wrap=True)
    out.print(f"\n{_summary(match)}", style="bold" if match.holds else "bold red")


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
