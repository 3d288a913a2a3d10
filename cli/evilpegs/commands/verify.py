"""`evilpegs verify`: whether a record holds, from nothing but its file.

A record, verified twice: by the game's own code, and independently of it.
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
from evilpegs_clients.verification.independent.check import MAX_CODES, CheckedGame, check_record
from evilpegs_clients.verification.verify import verify_match
from evilpegs_clients.verification.violation import NotChecked, Violation
from evilpegs_protocol.server_messages import MatchStarted

Check = Literal["verification", "independent"]
Verdict = Literal["holds", "does not hold", "not checked"]


@dataclass(frozen=True, slots=True)
class Remark:
    """What a check found wrong, or could not check; ``game`` and ``turn`` are 0 where it concerns the whole."""

    check: Check
    game: int
    turn: int
    what: str


@dataclass(frozen=True, slots=True)
class GameVerification:
    """One game; ``secret`` is the code shown at its end."""

    game: int
    outcome: str | None
    guesses: int
    secret: str | None
    result: Verdict


@dataclass(frozen=True, slots=True)
class MatchVerification:
    """One match. It ``holds`` if nothing was found wrong; what was not checked may be wrong all the same."""

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


def verify_record(
    started: MatchStarted,
    events: Sequence[Mapping[str, Any]],
    game_done: Callable[[CheckedGame], object],
    max_codes: int = MAX_CODES,
) -> MatchVerification:
    """Verify a record that begins with ``started``.

    ``game_done`` is called with each game when it is checked. The independent check reports the replies of rules with
    more than ``max_codes`` codes as not checked.
    """
    found = verify_match(events)
    report = check_record(events, max_codes, game_done=game_done)
    said = (*report.violations, *report.not_checked)
    checked: list[tuple[Check, Iterable[Violation]]] = [("verification", found), ("independent", said)]
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
    started, events = read_record(file)
    with progress(console(sys.stderr)) as bar:
        task = bar.add_task("games", total=started.games)
        found = verify_record(started, events, lambda _: bar.advance(task))
    if as_json:
        print_json(asdict(found))
    else:
        show_verification(console(), found)
    return 0 if found.holds else DOES_NOT_HOLD


def show_verification(out: Console, found: MatchVerification) -> None:
    """Print the games of a verified record, its findings, and a summary."""
    codemaker = found.codemaker + (f" ({found.tie})" if found.tie else "")
    out.print(f"match {found.match}: {found.player} on {found.ladder}, {found.rules}, {codemaker}", style="bold")
    shown = "secret" if found.codemaker == "fixed" else "a code that fits"
    columns: list[Column[GameVerification]] = [
        Column("game", lambda game: str(game.game), "right"),
        Column("outcome", lambda game: game.outcome or "not over"),
        Column("guesses", lambda game: str(game.guesses), "right"),
        Column(shown, lambda game: _printable(game.secret or "")[:LONGEST_CODE]),
        Column("result", lambda game: game.result),
    ]
    out.print()
    out.print(make_table(found.games, columns))
    _list(out, "does not hold", found.findings)
    _list(out, "not checked", found.not_checked)
    out.print(f"\n{_summary(found)}", style="bold" if found.holds else "bold red")


def _list(out: Console, what: str, remarks: Sequence[Remark]) -> None:
    if remarks:
        out.print()
    for remark in remarks:
        line = f"{what} ({remark.check}): {Violation(remark.what, remark.game, remark.turn)}"
        out.print(_printable(line), soft_wrap=True)


def _printable(text: str) -> str:
    """The text without what a record may hold to command a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _summary(found: MatchVerification) -> str:
    size = f"{pluralize(found.events, 'event')}, {pluralize(len(found.games), 'game')}"
    left = f"; {pluralize(len(found.not_checked), 'thing')} not checked" if found.not_checked else ""
    if not found.holds:
        return f"{size}: {pluralize(len(found.findings), 'finding')}, the record does not hold{left}"
    return f"{size}: nothing wrong was found{left}" if left else f"{size}: everything holds"
