"""What a record says about its games: read once more, field by field, from the JSON of its events.

What a nonce decides, by the protocol's page: the commitment, and which of the tied parts is taken.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from evilpegs_clients.verification.independent.definitions import Feedback, Space, Turn


def commitment(match: str, game: int, rules: str, nonce: str) -> str:
    """What `game_started` must have said of the nonce."""
    return hashlib.sha256(_canonical(["evilpegs-v1", match, game, rules, nonce])).hexdigest()


def tie_place(nonce: str, match: str, game: int, turn: int, tied: int) -> int:
    """The place, in feedback order from 0, among the tied parts."""
    digest = hmac.new(bytes.fromhex(nonce), _canonical(["tie", match, game, turn]), hashlib.sha256).hexdigest()
    return int(digest, 16) % tied


def _canonical(value: list[str | int]) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


MOST_PEGS: Final = 16
MOST_COLORS: Final = 34
SYMBOLS: Final = "1234567890ABCDEFGHJKLMNPQRSTUVWXYZ"
OUTCOMES: Final = frozenset({"solved", "unsolved", "flagged", "resigned", "forfeit", "void"})
TIES: Final[Mapping[str, tuple[str | None, ...]]] = {
    "fixed": (None,),
    "evil": ("largest", "largest/seeded"),
    "devil": ("largest", "largest/seeded"),
}
"""The codemakers, and the tie rules of each."""

_MATCH_ID: Final = re.compile(r"[0-9a-f]{16}")
_NONCE: Final = re.compile(r"[0-9a-f]{64}")
_T = TypeVar("_T")


class RecordError(ValueError):
    """What was given is not the record of a match; the message says why in one line."""


@dataclass(frozen=True, slots=True)
class Match:
    """How the games of a match are played; ``exact_up_to`` only against a devil."""

    id: str
    rules: str
    space: Space
    codemaker: str
    tie: str | None
    exact_up_to: int


@dataclass(frozen=True, slots=True)
class Game:
    """What is told of one game; None where it is not. ``methods`` has for each turn how a devil says it chose."""

    match: Match
    game: int
    turns: tuple[Turn, ...]
    methods: tuple[str | None, ...]
    outcome: str | None
    commitment: str | None
    nonce: str | None
    witness: str | None


def read_games(events: Sequence[Mapping[str, Any]]) -> list[Game]:
    """The games of a record, in order; raises RecordError."""
    if not events or events[0].get("type") != "match_started":
        message = "the record does not begin with match_started"
        raise RecordError(message)
    match = _match(events[0])
    numbers: dict[int, list[Mapping[str, Any]]] = {}
    for event in events:
        if event.get("type") in ("game_started", "feedback", "game_over"):
            numbers.setdefault(_told(event, "game", int), []).append(event)
    return [_game(match, game, told) for game, told in sorted(numbers.items())]


def _match(started: Mapping[str, Any]) -> Match:
    codemaker, tie = _told(started, "codemaker", str), _maybe(started, "tie", str)
    if tie not in TIES.get(codemaker, ()):
        message = f"there is no codemaker {codemaker[:20]!r} with the tie rule {tie and tie[:20]!r}"
        raise RecordError(message)
    return Match(
        id=_shaped(_told(started, "match", str), _MATCH_ID, "the id of a match has 16 hex digits"),
        rules=_told(started, "rules", str),
        space=_space(started),
        codemaker=codemaker,
        tie=tie,
        exact_up_to=_told(started, "exact_up_to", int) if codemaker == "devil" else 0,
    )


def _space(started: Mapping[str, Any]) -> Space:
    pegs, colors = _told(started, "pegs", int), _told(started, "colors", int)
    repeats, symbols = _told(started, "repeats", bool), _told(started, "symbols", str)
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


def _game(match: Match, game: int, events: Sequence[Mapping[str, Any]]) -> Game:
    started = _last(events, "game_started")
    over = _last(events, "game_over")
    feedbacks = [event for event in events if event["type"] == "feedback"]
    outcome, nonce = _maybe(over, "outcome", str), _maybe(over, "nonce", str)
    if (outcome is None) == bool(over) or outcome not in {None, *OUTCOMES}:
        message = f"game {game}: there is no such outcome"
        raise RecordError(message)
    return Game(
        match=match,
        game=game,
        turns=tuple(_turns(match.space, feedbacks)),
        methods=tuple(_maybe(event, "method", str) for event in feedbacks),
        outcome=outcome,
        commitment=_maybe(started, "commitment", str),
        nonce=None if nonce is None else _shaped(nonce, _NONCE, f"game {game}: a nonce has 64 hex digits"),
        witness=_maybe(over, "secret", str),
    )


def _turns(space: Space, feedbacks: Sequence[Mapping[str, Any]]) -> Iterator[Turn]:
    for event in feedbacks:
        given = Feedback(_told(event, "black", int), _told(event, "white", int))
        code = _told(event, "code", str)
        if min(given) < 0 or sum(given) > space.pegs:
            raise _wrong(event, f"no guess gets this feedback with {space.pegs} pegs")
        try:
            yield Turn(space.read(code), given)
        except ValueError as error:
            raise _wrong(event, str(error)) from None


def _shaped(text: str, shape: re.Pattern[str], why: str) -> str:
    if shape.fullmatch(text) is None:
        raise RecordError(why)
    return text


def _last(events: Sequence[Mapping[str, Any]], kind: str) -> Mapping[str, Any]:
    return next((event for event in reversed(events) if event["type"] == kind), {})


def _maybe(event: Mapping[str, Any], name: str, kind: type[_T]) -> _T | None:
    return None if event.get(name) is None else _told(event, name, kind)


def _told(event: Mapping[str, Any], name: str, kind: type[_T]) -> _T:
    value = event.get(name)
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    raise _wrong(event, f"{name} is missing, or not what it should be")


def _wrong(event: Mapping[str, Any], why: str) -> RecordError:
    seq = event.get("seq")
    return RecordError(f"event {seq}: {why}" if isinstance(seq, int) and 0 <= seq < 10**9 else why)
