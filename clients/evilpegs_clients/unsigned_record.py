"""The record of games that were played without a server: one match that nobody signed, and that can be verified."""

import re
from collections.abc import Sequence
from hashlib import sha256
from itertools import count, zip_longest
from typing import Any, NamedTuple

from evilpegs_game.codemakers.devil import Method
from evilpegs_game.codes import Code, code_at, format_code, rules_fields
from evilpegs_game.feedback import History
from evilpegs_game.rules import Rules
from evilpegs_protocol.codec import canonical
from evilpegs_protocol.commitment import commitment, secret_index
from evilpegs_protocol.fields import Event, Outcome, Program
from evilpegs_protocol.record import chain
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, GameStarted, MatchOver, MatchStarted

READY_MS = 60_000


class UnsignedGame(NamedTuple):
    """A game; ``secret`` is a witness if there was none, and ``methods`` are those of a devil's replies."""

    nonce: str
    turns: History
    took_ms: Sequence[int]
    secret: Code
    outcome: Outcome
    methods: Sequence[Method] = ()


def record_lines(
    match: str, player: str, version: str, rules: Rules, games: Sequence[UnsignedGame], at: int, **terms: Any
) -> list[str]:
    """Return the lines of a record with the time ``at``; ``terms`` are the other fields of `MatchStarted`."""
    lines: list[str] = []

    def add(kind: type[Event], **fields: Any) -> None:
        event = kind(match=match, seq=len(lines) + 1, at=at, **fields)
        lines.append(canonical(event.model_dump(mode="json")))

    plain = re.sub(r"[^a-z0-9_-]+", "-", player.lower()).strip("-_")
    name = (plain if re.match(r"[a-z].", plain) else f"bot-{plain}")[:20]  # as the protocol allows it
    fixed: dict[str, Any] = {"clock": None, "games": len(games), "rated": False, **rules_fields(rules)}
    add(MatchStarted, player=name, client=Program(name=name, version=version), **terms, **fixed)
    for number, game in enumerate(games, 1):
        binding = commitment(match, number, str(rules), game.nonce)
        add(GameStarted, game=number, commitment=binding, ready_by_ms=READY_MS)
        turns = zip_longest(game.turns, game.took_ms, game.methods)
        for turn, ((guess, reply), took, method) in enumerate(turns, 1):
            pegs = reply._asdict() | ({} if method is None else {"method": method})
            add(FeedbackGiven, game=number, turn=turn, code=format_code(guess), **pegs, took_ms=took, left_ms=None)
        add(
            GameOver,
            game=number,
            outcome=game.outcome,
            guesses=len(game.turns),
            elapsed_ms=sum(game.took_ms),
            secret=format_code(game.secret),
            nonce=game.nonce,
        )
    add(
        MatchOver,
        outcomes=tuple(game.outcome for game in games),
        guesses=tuple(len(game.turns) for game in games),
        elapsed_ms=sum(sum(game.took_ms) for game in games),
        head=chain(lines)[-1],
    )
    return lines


def nonce_of(secret: Code, match: str, rules: Rules) -> str:
    """Return a nonce from which ``secret`` follows in the first game; it takes about one hash per code of ``rules``."""
    nonces = (sha256(f"{match} {number}".encode()).hexdigest() for number in count())
    return next(nonce for nonce in nonces if code_at(secret_index(nonce, None, match, 1, rules.size), rules) == secret)
