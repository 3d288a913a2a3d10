"""`evilpegs verify`: the record of a match, verified twice from nothing but its file.

The first check uses the code of the game, the second is independent of it.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final, Literal

from cyclopts import Parameter
from rich.console import Console

from evilpegs.files import read_record
from evilpegs.options import Json
from evilpegs.output import console, pluralize, print_json, progress
from evilpegs.tables import Column, make_table
from evilpegs_clients.printable import printable
from evilpegs_clients.verification.independent.check import MAX_CODES, CheckedGame, check_record
from evilpegs_clients.verification.verify import verify_match
from evilpegs_clients.verification.violation import NotChecked, Violation
from evilpegs_protocol.server_messages import MatchStarted

Check = Literal["verification", "independent"]
Verdict = Literal["holds", "does not hold", "not checked"]

DOES_NOT_HOLD: Final = 1
MAX_SECRET: Final = 16
"""The most characters that are shown of a secret."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A violation, or something that was not checked; ``game`` and ``turn`` are 0 if it concerns the whole match."""

    check: Check
    game: int
    turn: int
    what: str


@dataclass(frozen=True, slots=True)
class GameVerification:
    """The verification of one game; ``secret`` is the code shown at its end."""

    game: int
    outcome: str | None
    guesses: int
    secret: str | None
    result: Verdict


@dataclass(frozen=True, slots=True)
class MatchVerification:
    """The verification of one match. It ``holds`` if there are no findings; what was not checked may still be wrong."""

    match: str
    player: str
    ladder: str
    rules: str
    codemaker: str
    tie: str | None
    events: int
    holds: bool
    findings: tuple[Remark, ...]
    not_checked: tuple[Remark, ...]
    games: tuple[GameVerification, ...]


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
    started, events = read_record(file)
    with progress(console(sys.stderr)) as bar:
        task = bar.add_task("games", total=started.games)
        verification = verify_record(started, events, lambda _: bar.advance(task))
    if as_json:
        print_json(asdict(verification))
    else:
        show_verification(console(), verification)
    return 0 if verification.holds else DOES_NOT_HOLD


def show_verification(out: Console, match: MatchVerification) -> None:
    """Print the games of a verified record, its findings, and a summary."""
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
    out.print(make_table(match.games, columns))
    _show_remarks(out, "does not hold", match.findings)
    _show_remarks(out, "not checked", match.not_checked)
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
    return f"{size}: nothing wrong was match{left}" if left else f"{size}: everything holds"


def verify_record(
    started: MatchStarted,
    events: Sequence[Mapping[str, Any]],
    game_done: Callable[[CheckedGame], object],
    max_codes: int = MAX_CODES,
) -> MatchVerification:
    """Verify a record that begins with ``started``.

    ``game_done`` is called with each game once it is checked. The independent check reports the replies of rules with
    more than ``max_codes`` codes as not checked.
    """
    violations = verify_match(events)
    report = check_record(events, max_codes, game_done=game_done)
    reported = (*report.violations, *report.not_checked)
    checked: list[tuple[Check, Iterable[Violation]]] = [("verification", violations), ("independent", reported)]
    findings = _remarks(checked, lambda finding: not isinstance(finding, NotChecked))
    not_checked = _remarks(checked, lambda finding: isinstance(finding, NotChecked))
    return MatchVerification(
        match=started.match,
        player=started.player,
        ladder=started.ladder,
        rules=started.rules,
        codemaker=started.codemaker,
        tie=started.tie,
        events=len(events),
        holds=not findings,
        findings=findings,
        not_checked=not_checked,
        games=tuple(_game(game, findings, not_checked) for game in report.games),
    )


def _remarks(
    checked: Iterable[tuple[Check, Iterable[Violation]]], wanted: Callable[[Violation], bool]
) -> tuple[Remark, ...]:
    return tuple(
        Remark(check, finding.game, finding.turn, finding.what)
        for check, findings in checked
        for finding in findings
        if wanted(finding)
    )


def _game(game: CheckedGame, findings: Iterable[Remark], not_checked: Iterable[Remark]) -> GameVerification:
    result: Verdict = "holds"
    if any(remark.game == game.game for remark in findings):
        result = "does not hold"
    elif any(remark.game == game.game for remark in not_checked):
        result = "not checked"
    return GameVerification(game.game, game.outcome, game.guesses, game.witness, result)
