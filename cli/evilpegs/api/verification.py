"""The verification of a record from nothing but its events, twice, by programs that share no code."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from evilpegs.errors import CommandError, as_malformed
from evilpegs.files import failure_reason, read_record_file
from evilpegs_clients.verification.independent.check import MAX_CODES, CheckedGame, check_record
from evilpegs_clients.verification.verify import (
    check_signature,
    find_signer,
    is_weak_key,
    require_cryptography,
    verify_match,
)
from evilpegs_clients.verification.violation import NotChecked, Subject
from evilpegs_game.codes import to_code_of_any_rules
from evilpegs_game.displays import Html, html_caption, html_pegs, html_table
from evilpegs_game.errors import MalformedError, quoted, require
from evilpegs_game.rules import MAX_PEGS
from evilpegs_protocol.record import KEY_BYTES, parse_bytes
from evilpegs_protocol.server_messages import MatchStarted
from evilpegs_protocol.text_files import read_text


class Finding(NamedTuple):
    """What does not hold or could not be checked; ``game`` and ``turn`` are None if it concerns the whole record."""

    check: str
    game: int | None
    turn: int | None
    what: str


class VerifiedGame(NamedTuple):
    """A game of a record; ``secret`` is a code that fits, and ``result`` holds, does not hold or not checked."""

    game: int
    outcome: str | None
    guesses: int
    secret: str | None
    result: str


@dataclass(frozen=True, slots=True, repr=False)
class Verification:
    """The result of `verify`: the terms of the match, what does not hold, and what could not be checked or proved.

    ``findings`` and ``not_checked`` are sequences of a ``check``, the numbers of a ``game`` and a ``turn``, and
    ``what`` is wrong; ``games`` has the outcome of each game. Nothing is wrong if ``holds``; the match is over if
    ``finished``. ``signed_by`` is the key that signed the record, if one was given.

    >>> import evilpegs
    >>> result = evilpegs.verify("match.jsonl")
    >>> result.finished, result.findings, [game.result for game in result.games]
    (True, (), ['holds', 'holds', 'holds', 'holds'])
    """

    match: str
    player: str
    ladder: str
    rules: str
    codemaker: str
    tie: str | None
    events: int
    finished: bool
    findings: tuple[Finding, ...]
    not_checked: tuple[Finding, ...]
    signed_by: str | None
    not_proved: tuple[Mapping[str, str], ...]
    games: tuple[VerifiedGame, ...]

    @property
    def holds(self) -> bool:
        """True if nothing wrong was found."""
        return not self.findings

    def __repr__(self) -> str:
        state = ("holds" if self.holds else "does not hold") + ("" if self.finished else ", not finished")
        return f"<Verification of match {self.match} on {self.rules}: {state}>"

    def _repr_html_(self) -> Html:
        heads = "game", "outcome", "guesses", "secret" if self.codemaker == "fixed" else "a code that fits", "result"
        games = [
            (each.game, each.outcome or "not over", each.guesses, _shown_secret(each.secret), each.result)
            for each in self.games
        ]
        remarks = {"does not hold": self.findings, "not checked": self.not_checked}
        tables = [html_table(what, Finding._fields, found) for what, found in remarks.items() if found]
        return Html("".join([html_table(html_caption(self), heads, games), *tables]))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of ``evilpegs verify --json``."""
        terms = {name: getattr(self, name) for name in ("match", "player", "ladder", "rules", "codemaker", "tie")}
        return {
            **terms,
            "events": self.events,
            "finished": self.finished,
            "holds": self.holds,
            "findings": [each._asdict() for each in self.findings],
            "not_checked": [each._asdict() for each in self.not_checked],
            "signed_by": self.signed_by,
            "not_proved": [dict(each) for each in self.not_proved],
            "games": [each._asdict() for each in self.games],
        }


def _shown_secret(text: str | None) -> Html | str | None:
    try:
        return text and html_pegs(to_code_of_any_rules(text))
    except MalformedError:  # whoever wrote the record wrote this
        return text and text[:MAX_PEGS]


def verify(file: str | Path, *, key: str | Path | None = None) -> Verification:
    """Verify the record of a match without the server that played it, as ``evilpegs verify`` does.

    Hashes, commitments, feedback and the codemaker's replies are computed again; then every reply is checked once more,
    by going through all codes with a program of its own. `verify_match` checks events that are not in a file.

    Args:
        file: A record, as ``evilpegs replay MATCH --record FILE`` writes it, or the events that a client received.
        key: The public key of the server that must have signed the record, or a file with one key per line. Without
            it, anyone could have made the record up.

    Raises:
        EvilpegsError: the file cannot be read or is no record, or the key is none.

    >>> import evilpegs
    >>> evilpegs.verify("match.jsonl")
    <Verification of match 1a2018336be6678e on 4x6: holds>
    """
    require(file, str | Path, "the name of a file", "that of a record")
    require(key, str | Path | None, "a key", "a public key, the name of a file of keys, or leave it out")
    with as_malformed():
        keys = None if key is None else read_keys(str(key))
        return verify_record(*read_record_file(str(file)), keys=keys)


def verify_record(
    started: MatchStarted,
    events: Sequence[Mapping[str, Any]],
    game_done: Callable[[CheckedGame], object] = lambda _: None,
    max_codes: int = MAX_CODES,
    keys: Sequence[str] | None = None,
) -> Verification:
    """Return what holds of a record; with ``keys``, it must be signed with one of them.

    On rules with more than ``max_codes`` codes, the independent check reports replies as not checked.
    """
    verified = verify_match(events)
    violations = [violation for violation in verified if violation.subject is not Subject.END]
    report = check_record(events, max_codes, game_done=game_done)
    unsigned = [] if keys is None else check_signature(events, keys)
    findings, not_checked = list[Finding](), list[Finding]()
    checked = {"verification": violations, "independent": report.remarks, "signature": unsigned}
    for check, found in checked.items():
        for each in found:
            remarks = not_checked if isinstance(each, NotChecked) else findings
            remarks.append(Finding(check, each.game, each.turn, each.what))
    wrong, unknown = ({remark.game for remark in remarks} for remarks in (findings, not_checked))
    games = (
        VerifiedGame(
            *(game.game, game.outcome, game.guesses, game.witness),
            "does not hold" if game.game in wrong else "not checked" if game.game in unknown else "holds",
        )
        for game in report.games
    )
    return Verification(
        *(started.match, started.player, started.ladder, started.rules, started.codemaker, started.tie),
        events=len(events),
        finished=len(violations) == len(verified),
        findings=tuple(findings),
        not_checked=tuple(not_checked),
        signed_by=None if keys is None or unsigned else find_signer(events[-1], keys),
        not_proved=tuple(_unproved_claims(started.player, None if keys is None else not unsigned)),
        games=tuple(games),
    )


def read_keys(key: str) -> tuple[str, ...]:
    """Return the public keys that ``key`` is or names; raise CommandError if they are none."""
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
