"""Verification that a server was honest, from nothing but the events it sent.

Events are JSON objects, as in an exported record, or as received but without the field `re`. `protocol/README.md`
states the rules under "Trust, but verify".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from evilpegs_clients.errors import ClientError
from evilpegs_clients.verification.game import DEVIL_BUDGET, GameRecord, VerificationCache, check_game
from evilpegs_clients.verification.violation import NotChecked, Subject, Violation
from evilpegs_game.codes import SYMBOLS
from evilpegs_game.errors import GameError, require
from evilpegs_game.rules import Rules
from evilpegs_protocol.codec import CodecError, canonical, check_canonical, decode_record_event
from evilpegs_protocol.commitment import TIE_NONCES
from evilpegs_protocol.record import GENESIS, KEY_BYTES, SIGNATURE_BYTES, Record, chain, parse_bytes, signed_statement
from evilpegs_protocol.server_messages import (
    FeedbackGiven,
    GameOver,
    GameStarted,
    MatchOver,
    MatchStarted,
    RecordEvent,
)
from evilpegs_protocol.suggestions import install_hint


def check_start(started: MatchStarted) -> Iterator[Violation]:
    try:
        rules = Rules.parse(started.rules)
    except GameError as error:
        yield Violation(str(error), subject=Subject.RULES)
        return
    claimed = (started.rules, started.pegs, started.colors, started.repeats, started.symbols)
    implied = (str(rules), rules.pegs, rules.colors, rules.repeats, SYMBOLS[: rules.colors])
    if claimed != implied:
        what = f"the rules contradict themselves: {started.rules} has {implied[1:]}, not {claimed[1:]}"
        yield Violation(what, subject=Subject.RULES)
    if (started.codemaker == "fixed") != (started.tie is None):
        what = f"a {started.codemaker} codemaker with the tie rule {started.tie}"
        yield Violation(what, subject=Subject.CODEMAKER)
    if started.tie_nonces is not None and (started.tie, started.tie_nonces) != ("largest/seeded", TIE_NONCES):
        what = f"the tie rule {started.tie} with tie_nonces {started.tie_nonces} is unknown"
        yield Violation(what, subject=Subject.CODEMAKER)
    if (started.codemaker == "devil") != (started.exact_up_to is not None):
        what = f"the codemaker {started.codemaker} is exact up to {started.exact_up_to} codes"
        yield Violation(what, subject=Subject.CODEMAKER)


def check_order(events: Sequence[RecordEvent]) -> Iterator[Violation]:
    first = events[0]
    for number, event in enumerate(events, 1):
        if event.seq != number:
            yield Violation(f"event {number} has the number {event.seq}")
        if event.match != first.match:
            yield Violation(f"event {number} is of another match")
    state = _State()
    for event in events[1:]:
        next_state = _next_state(state, event)
        if next_state is None:
            yield Violation(f"event {event.seq}, {event.type}, is out of order")
            return
        state = next_state


def check_end(events: Sequence[RecordEvent], games: int, head: str) -> Iterator[Violation]:
    """Check that the last event sums up the games and names ``head``, the computed hash of the event before it."""
    over = events[-1]
    if not isinstance(over, MatchOver):
        yield Violation("the record ends before the match is over", subject=Subject.END)
        return
    ended = [event for event in events if isinstance(event, GameOver)]
    if len(ended) != games:
        yield Violation(f"{len(ended)} games of {games} have ended", subject=Subject.SUMMARY)
    if over.outcomes != tuple(game.outcome for game in ended):
        yield Violation("the outcomes in match_over are not those of the games", subject=Subject.SUMMARY)
    if over.guesses != tuple(game.guesses for game in ended):
        yield Violation("the guesses in match_over are not those of the games", subject=Subject.SUMMARY)
    if over.elapsed_ms != sum(game.elapsed_ms for game in ended):
        yield Violation("the time in match_over is not that of the games", subject=Subject.SUMMARY)
    if over.head != head:
        what = "the record was changed: the head in match_over is not the hash of the event before"
        yield Violation(what, subject=Subject.HEAD)


class _State(NamedTuple):
    game: int = 0
    turn: int = 0  # the latest
    is_open: bool = False  # the game
    is_over: bool = False  # the match


def _next_state(state: _State, event: RecordEvent) -> _State | None:
    game, turn, is_open, is_over = state
    match event:
        case _ if is_over:
            return None
        case GameStarted() if not is_open and event.game == game + 1:
            return _State(event.game, is_open=True)
        case FeedbackGiven() if is_open and (event.game, event.turn) == (game, turn + 1):
            return state._replace(turn=event.turn)
        case GameOver() if is_open and event.game == game:
            return state._replace(is_open=False)
        case GameOver() if not is_open and event.game == game + 1 and _is_unopened(event):
            return _State(event.game)
        case MatchOver() if not is_open:
            return state._replace(is_over=True)
    return None


def _is_unopened(over: GameOver) -> bool:
    # given up, or its round closed, before it started, it has no commitment, and its last event must be empty
    is_empty = over.outcome in {"resigned", "forfeit", "void"} and not over.guesses and not over.elapsed_ms
    return is_empty and over.secret is None and over.nonce is None and over.client_nonce is None


Events = Sequence[Mapping[str, Any]]

NO_NONCES: Final[Mapping[int, str]] = {}


def verify_match(
    events: Events, nonces_sent: Mapping[int, str] = NO_NONCES, cache: VerificationCache | None = None
) -> list[Violation]:
    """Verify a whole match: first that its record is complete and unchanged, then every reply of each game.

    If the record itself has violations, only those are returned. A match that is not over is an exception: its record
    has one violation, with the subject `Subject.END`, and its games are verified as far as they go.

    Args:
        events: Every event of the match, in order.
        nonces_sent: The nonces that the client sent in `ready`, by the number of the game, as far as they are known.
            They prove that the server did not replace the player's share in the draw of a fixed secret.
        cache: The caches to share between calls; by default new ones.

    Returns:
        The violations, in the order of the record. A statement that could not be checked is a `NotChecked`.

    In the example, ``evilpegs replay last --record match.jsonl`` wrote the file.

    >>> import json
    >>> import evilpegs
    >>> with open("match.jsonl") as file:
    ...     events = [json.loads(line) for line in file]
    >>> evilpegs.verify_match(events)
    []
    """
    require(events, list | tuple, "the events of a match", "a list of JSON objects")
    require(nonces_sent, Mapping, "nonces", "the nonce of each game by its number, such as {1: '...'}")
    require(cache, VerificationCache | None, "a cache", "a VerificationCache, or leave it out")
    violations = verify_record(events)
    if any(violation.subject is not Subject.END for violation in violations):
        return violations
    cache = cache or VerificationCache()
    games = _finished_games(_parse(events)[0], nonces_sent)
    return violations + [violation for game in games for violation in check_game(game, cache)]


def verify_record(events: Events) -> list[Violation]:
    """Verify the order, the hashes and the summary of a whole record, but no statements about single games."""
    parsed, violations = _parse(events)
    if violations:
        return violations
    started = parsed[0]
    assert isinstance(started, MatchStarted)  # noqa: S101 - `_parse` has checked it
    hashes = chain(canonical(dict(event)) for event in events)
    head = hashes[-2] if len(hashes) > 1 else GENESIS
    return [*check_start(started), *check_order(parsed), *check_end(parsed, started.games, head)]


def verify_game(
    events: Events,
    game: int,
    nonce_sent: str | None = None,
    cache: VerificationCache | None = None,
    devil_budget: int = DEVIL_BUDGET,
) -> list[Violation]:
    """Verify one finished game from the first event of the match and its own; the match may still be in progress."""
    parsed, violations = _parse(events)
    if violations:
        return violations
    nonces = {} if nonce_sent is None else {game: nonce_sent}
    records = [record for record in _finished_games(parsed, nonces) if record.over.game == game]
    if not records:
        return [Violation("the game is not in the record, or not over", game)]
    cache = cache or VerificationCache()
    return list(check_start(records[0].match)) or list(check_game(records[0], cache, devil_budget))


def _parse(events: Events) -> tuple[list[RecordEvent], list[Violation]]:
    parsed: list[RecordEvent] = []
    violations: list[Violation] = []
    for number, event in enumerate(events, 1):
        try:
            check_canonical(dict(event))
            parsed.append(decode_record_event(canonical(dict(event))))
        except (CodecError, TypeError, ValueError, RecursionError) as error:
            violations.append(Violation(f"event {number} is not an event of a record: {error}"))
    if not violations and not (parsed and isinstance(parsed[0], MatchStarted)):
        violations.append(Violation("the record does not begin with match_started"))
    return parsed, violations


def _finished_games(parsed: Sequence[RecordEvent], nonces_sent: Mapping[int, str]) -> Iterator[GameRecord]:
    started = parsed[0]
    assert isinstance(started, MatchStarted)  # noqa: S101 - `_parse` has checked it
    for number, game in Record(started, parsed).games.items():
        if game.started is not None and game.over is not None:
            yield GameRecord(started, game.started, tuple(game.turns), game.over, nonces_sent.get(number))


def compare_records(received: Events, handed_out: Events) -> list[Violation]:
    """Return a violation if the two differ, naming the first event that does."""
    for number, (mine, theirs) in enumerate(zip(received, handed_out, strict=False), 1):
        if mine != theirs:
            names = sorted(name for name in {*mine, *theirs} if mine.get(name) != theirs.get(name))
            what = f"event {number} of the server's record is not what was received: it differs in {', '.join(names)}"
            return [Violation(what, subject=Subject.PLAYED)]
    if len(received) != len(handed_out):
        what = f"{len(received)} events were received, but the server's record has {len(handed_out)}"
        return [Violation(what, subject=Subject.PLAYED)]
    return []


class SignatureUncheckableError(ClientError):
    """`cryptography` is not installed; the message says how to install it."""


def can_check_signatures() -> bool:
    return find_spec("cryptography") is not None


def require_cryptography() -> None:
    if not can_check_signatures():
        raise SignatureUncheckableError(
            f"checking a signature needs cryptography, which is not installed; {install_hint('verify')}"
        )


def find_signer(over: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    """Return the key, in base64url, that signed the record ending with ``over``. Raises SignatureUncheckableError."""
    require_cryptography()
    return next((key for key in keys if _is_signed_by(over, key)), None)


def check_signature(events: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> list[Violation]:
    """Return a violation unless one of ``keys`` signed a verified record. Raises SignatureUncheckableError."""
    require_cryptography()
    over = events[-1] if events else {}
    if over.get("type") != "match_over":
        return [NotChecked("the match is not over, so the server has not signed it yet", subject=Subject.SIGNATURE)]
    if over.get("signature") is None:
        return [Violation("the record is not signed", subject=Subject.SIGNATURE)]
    if find_signer(over, keys) is None:
        which = f"the key {keys[0]}" if len(keys) == 1 else f"any of the {len(keys)} keys"
        return [Violation(f"the signature was not made with {which} for this record", subject=Subject.SIGNATURE)]
    return []


_FIELD: Final = 2**255 - 19


def is_weak_key(key: str) -> bool:
    """Return True for a point of small order, with which signatures that nobody made are valid; raises ValueError."""
    encoded = int.from_bytes(parse_bytes(key, KEY_BYTES), "little")
    y = encoded % 2**255  # without the sign of x; not below the field's order for the encodings that are not canonical
    # y is 1 for the order 1, -1 for 2, and 0 for 4. For 8, doubling gives the order 4, so 0 = y^2 + x^2, and with this
    # the curve, -x^2 + y^2 = 1 + d x^2 y^2 with d = -121665/121666, becomes the last factor.
    return y * (y**2 - 1) * (121_666 * (2 * y**2 - 1) - 121_665 * y**4) % _FIELD == 0


def _is_signed_by(over: Mapping[str, Any], key: str) -> bool:
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - see the docstring of this module
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    try:
        public_key = Ed25519PublicKey.from_public_bytes(parse_bytes(key, KEY_BYTES))
        public_key.verify(parse_bytes(over["signature"], SIGNATURE_BYTES), signed_statement(over))
        return not is_weak_key(key)
    except (InvalidSignature, ValueError, TypeError, KeyError, AttributeError):
        return False
