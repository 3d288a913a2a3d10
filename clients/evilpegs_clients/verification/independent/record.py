"""The games of a record, read field by field from the JSON of its events, as protocol/README.md describes them."""

import hashlib
import hmac
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from evilpegs_clients.verification.independent.definitions import MarkedGuess, Marks, Space


def commitment(match: str, game: int, rules: str, nonce: str) -> str:
    """Return the commitment to ``nonce``; both are in hexadecimal."""
    return hashlib.sha256(_canonical(["evilpegs-v1", match, game, rules, nonce])).hexdigest()


def _canonical(value: list[str | int]) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


MOST_PEGS: Final = 16
MOST_COLORS: Final = 34
SYMBOLS: Final = "1234567890ABCDEFGHJKLMNPQRSTUVWXYZ"
OUTCOMES: Final = frozenset({"solved", "unsolved", "flagged", "resigned", "forfeit", "void"})
# None is no tie rule
TIES: Final[Mapping[str, tuple[str | None, ...]]] = {
    "fixed": (None,),
    "evil": ("largest", "largest/seeded"),
    "devil": ("largest", "largest/seeded"),
}

_MATCH_ID: Final = re.compile(r"[0-9a-f]{16}")
_NONCE: Final = re.compile(r"[0-9a-f]{64}")
_T = TypeVar("_T")


class RecordError(ValueError):
    """The events are not the record of a match; the message says why in one line."""


@dataclass(frozen=True, slots=True)
class MatchSetup:
    id: str
    rules: str
    space: Space
    codemaker: str
    tie: str | None
    tie_nonces: bool  # the tie rule depends on the client's nonce too
    exact_up_to: int  # candidates with which a devil searches ahead


@dataclass(frozen=True, slots=True)
class Game:
    """The record of one game; fields that are missing in the record are None."""

    match: MatchSetup
    game: int
    turns: tuple[MarkedGuess, ...]
    methods: tuple[str | None, ...]  # by which a devil says it found each reply
    outcome: str | None
    commitment: str | None
    nonce: str | None
    client_nonce: str | None
    witness: str | None

    def tie_index(self, turn: int, tied: int) -> int | None:
        """Return the index among replies in feedback order; None if the nonce of the server is missing."""
        if self.nonce is None:
            return None
        share = [self.client_nonce or ""] if self.match.tie_nonces else []
        message = _canonical(["tie", self.match.id, self.game, turn, *share])
        return int(hmac.new(bytes.fromhex(self.nonce), message, hashlib.sha256).hexdigest(), 16) % tied


def read_games(events: Sequence[Mapping[str, Any]]) -> list[Game]:
    """Return the games of a record, ordered by number; raises RecordError."""
    if not events or events[0].get("type") != "match_started":
        raise RecordError("the record does not begin with match_started")
    match = _match(events[0])
    numbers: dict[int, list[Mapping[str, Any]]] = {}
    for event in events:
        if event.get("type") in ("game_started", "feedback", "game_over"):
            numbers.setdefault(_field(event, "game", int), []).append(event)
    return [_game(match, game, played) for game, played in sorted(numbers.items())]


def _match(started: Mapping[str, Any]) -> MatchSetup:
    codemaker, tie = _field(started, "codemaker", str), _optional_field(started, "tie", str)
    if tie not in TIES.get(codemaker, ()):
        raise RecordError(f"there is no codemaker {codemaker[:20]!r} with the tie rule {tie and tie[:20]!r}")
    return MatchSetup(
        id=_require_match(_field(started, "match", str), _MATCH_ID, "the id of a match has 16 hex digits"),
        rules=_field(started, "rules", str),
        space=_space(started),
        codemaker=codemaker,
        tie=tie,
        tie_nonces=_tie_nonces(started, tie),
        exact_up_to=_field(started, "exact_up_to", int) if codemaker == "devil" else 0,
    )


def _tie_nonces(started: Mapping[str, Any], tie: str | None) -> bool:
    nonces = _optional_field(started, "tie_nonces", int)
    if nonces is not None and (tie, nonces) != ("largest/seeded", 2):
        raise RecordError(f"there is no tie rule {tie!r} with tie_nonces {nonces if 0 <= nonces < 100 else '?'}")
    return nonces is not None


def _space(started: Mapping[str, Any]) -> Space:
    pegs, colors = _field(started, "pegs", int), _field(started, "colors", int)
    repeats, symbols = _field(started, "repeats", bool), _field(started, "symbols", str)
    rules = f"{pegs}x{colors}" + ("" if repeats else "-distinct")
    if not 1 <= pegs <= MOST_PEGS or not 1 <= colors <= MOST_COLORS or (pegs > colors and not repeats):
        message = "there are no such rules"
    elif rules != started.get("rules"):
        message = "the rules contradict themselves"
    elif symbols != SYMBOLS[:colors]:
        message = "the symbols are not those of the colors"
    else:
        return Space(pegs, colors, repeats, symbols)
    raise RecordError(message)


def _game(match: MatchSetup, game: int, events: Sequence[Mapping[str, Any]]) -> Game:
    started = _last(events, "game_started")
    over = _last(events, "game_over")
    feedbacks = [event for event in events if event["type"] == "feedback"]
    outcome, nonce = _optional_field(over, "outcome", str), _optional_field(over, "nonce", str)
    if (outcome is None) == bool(over) or outcome not in {None, *OUTCOMES}:
        raise RecordError(f"game {game}: there is no such outcome")
    return Game(
        match=match,
        game=game,
        turns=tuple(_turns(match.space, feedbacks)),
        methods=tuple(_optional_field(event, "method", str) for event in feedbacks),
        outcome=outcome,
        commitment=_optional_field(started, "commitment", str),
        nonce=None if nonce is None else _require_match(nonce, _NONCE, f"game {game}: a nonce has 64 hex digits"),
        client_nonce=_optional_field(over, "client_nonce", str),
        witness=_optional_field(over, "secret", str),
    )


def _turns(space: Space, feedbacks: Sequence[Mapping[str, Any]]) -> Iterator[MarkedGuess]:
    for event in feedbacks:
        marks = Marks(_field(event, "black", int), _field(event, "white", int))
        code = _field(event, "code", str)
        if min(marks) < 0 or sum(marks) > space.pegs:
            raise _wrong(event, f"no guess gets this feedback with {space.pegs} pegs")
        try:
            yield MarkedGuess(space.read(code), marks)
        except ValueError as error:
            raise _wrong(event, str(error)) from None


def _require_match(text: str, shape: re.Pattern[str], why: str) -> str:
    if shape.fullmatch(text) is None:
        raise RecordError(why)
    return text


def _last(events: Sequence[Mapping[str, Any]], kind: str) -> Mapping[str, Any]:
    return next((event for event in reversed(events) if event["type"] == kind), {})


def _optional_field(event: Mapping[str, Any], name: str, kind: type[_T]) -> _T | None:
    return None if event.get(name) is None else _field(event, name, kind)


def _field(event: Mapping[str, Any], name: str, kind: type[_T]) -> _T:
    value = event.get(name)
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    raise _wrong(event, f"{name} is missing, or not what it should be")


def _wrong(event: Mapping[str, Any], why: str) -> RecordError:
    seq = event.get("seq")
    return RecordError(f"event {seq}: {why}" if isinstance(seq, int) and 0 <= seq < 10**9 else why)
