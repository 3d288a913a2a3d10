"""A record, verified twice: by the game's own code, and independently of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evilpegs_clients.finding import Finding, NotChecked
from evilpegs_clients.independent.check import MAX_CODES, check_record
from evilpegs_clients.independent.report import CheckedGame
from evilpegs_clients.verify import verify_match
from evilpegs_protocol.server_messages import MatchStarted

Check = Literal["verification", "independent"]
Result = Literal["holds", "does not hold", "not checked"]


@dataclass(frozen=True, slots=True)
class Remark:
    """What a check found wrong, or could not check; ``game`` and ``turn`` are 0 where it concerns the whole."""

    check: Check
    game: int
    turn: int
    what: str


@dataclass(frozen=True, slots=True)
class VerifiedGame:
    """One game; ``secret`` is the code shown at its end."""

    game: int
    outcome: str | None
    guesses: int
    secret: str | None
    result: Result


@dataclass(frozen=True, slots=True)
class VerifiedMatch:
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
    games: tuple[VerifiedGame, ...]


def verified(
    started: MatchStarted,
    events: Sequence[Mapping[str, Any]],
    game_done: Callable[[CheckedGame], object],
    max_codes: int = MAX_CODES,
) -> VerifiedMatch:
    """Verify a record that begins with ``started``.

    ``game_done`` is called with each game when it is checked. The independent check reports the replies of rules with
    more than ``max_codes`` codes as not checked.
    """
    found = verify_match(events)
    report = check_record(events, max_codes, game_done=game_done)
    said = (*report.findings, *report.not_checked)
    checked: list[tuple[Check, Iterable[Finding]]] = [("verification", found), ("independent", said)]
    findings = _remarks(checked, lambda finding: not isinstance(finding, NotChecked))
    not_checked = _remarks(checked, lambda finding: isinstance(finding, NotChecked))
    return VerifiedMatch(
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
    checked: Iterable[tuple[Check, Iterable[Finding]]], wanted: Callable[[Finding], bool]
) -> tuple[Remark, ...]:
    return tuple(
        Remark(check, finding.game, finding.turn, finding.what)
        for check, findings in checked
        for finding in findings
        if wanted(finding)
    )


def _game(game: CheckedGame, findings: Iterable[Remark], not_checked: Iterable[Remark]) -> VerifiedGame:
    result: Result = "holds"
    if any(remark.game == game.game for remark in findings):
        result = "does not hold"
    elif any(remark.game == game.game for remark in not_checked):
        result = "not checked"
    return VerifiedGame(game.game, game.outcome, game.guesses, game.witness, result)
