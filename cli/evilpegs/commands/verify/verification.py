"""The verification of a match record in two ways, from nothing but its events.

The first check uses the code with which the game is played; the second check shares no code with the first.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evilpegs.commands.verify.not_proved import Unproved, unproved_claims
from evilpegs_clients.verification.independent.check import MAX_CODES, CheckedGame, check_record
from evilpegs_clients.verification.signature import check_signature, find_signer
from evilpegs_clients.verification.verify import find_doubts, verify_match
from evilpegs_clients.verification.violation import NotChecked, Subject, Violation
from evilpegs_protocol.server_messages import MatchStarted

Check = Literal["verification", "independent", "signature", "times"]
Verdict = Literal["holds", "does not hold", "not checked"]


@dataclass(frozen=True, slots=True)
class Remark:
    """A violation, a doubt, or a statement that was not checked.

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
    remarks: tuple[Remark, ...]
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
    reported = (*report.violations, *report.not_checked)
    unsigned = [] if keys is None else check_signature(events, keys)
    checked: list[tuple[Check, Iterable[Violation]]] = [
        ("verification", violations),
        ("independent", reported),
        ("signature", unsigned),
    ]
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
        finished=len(violations) == len(verified),
        holds=not findings,
        findings=findings,
        not_checked=not_checked,
        remarks=_remarks([("times", find_doubts(events))], lambda _: True),
        signed_by=None if keys is None or unsigned else find_signer(events[-1], keys),
        not_proved=unproved_claims(started, None if keys is None else not unsigned),
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
