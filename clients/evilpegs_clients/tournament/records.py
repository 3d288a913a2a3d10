"""The record of an entrant's games in a tournament: one match that nobody signed, and that can be verified."""

import re
from collections.abc import Sequence
from typing import Any

from evilpegs_clients.tournament.play import Conditions, Participant, PlayedGame
from evilpegs_game.codemakers.codemaker import Fixed
from evilpegs_game.codes import format_code, rules_fields
from evilpegs_game.feedback import all_black
from evilpegs_game.live.position import Position
from evilpegs_protocol.codec import canonical
from evilpegs_protocol.commitment import commitment
from evilpegs_protocol.fields import Event, Outcome, Program
from evilpegs_protocol.record import chain
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, GameStarted, MatchOver, MatchStarted

LADDER = "tournament"
READY_MS = 60_000


def record_lines(conditions: Conditions, entrant: Participant, games: Sequence[PlayedGame], at: int) -> list[str]:
    """Return the events of all games of an entrant, in their order, as the lines of a record with the time ``at``."""
    match, rules = entrant.match_id(conditions.seed), conditions.rules
    lines: list[str] = []

    def add(kind: type[Event], **fields: Any) -> None:
        event = kind(match=match, seq=len(lines) + 1, at=at, **fields)
        lines.append(canonical(event.model_dump(mode="json")))

    add(
        MatchStarted,
        player=player_name(entrant.name),
        client=Program(name=player_name(entrant.name), version=entrant.version),
        ladder=LADDER,
        **rules_fields(rules),
        guess_limit=conditions.guess_limit,
        codemaker=conditions.codemaker,
        tie=None if conditions.codemaker == "fixed" else "largest/seeded",
        clock=None,
        games=len(games),
        rated=False,
    )
    for game in games:
        nonce, codemaker = entrant.nonce(conditions.seed, game.game), conditions.make_codemaker(entrant, game.game)
        secret = codemaker.secret if isinstance(codemaker, Fixed) else Position(rules, game.turns).first_candidate
        binding = commitment(match, game.game, str(rules), nonce)
        add(GameStarted, game=game.game, commitment=binding, ready_by_ms=READY_MS)
        for turn, ((guess, reply), took) in enumerate(zip(game.turns, game.took_ms, strict=True), 1):
            code, pegs = format_code(guess), reply._asdict()
            add(FeedbackGiven, game=game.game, turn=turn, code=code, **pegs, took_ms=took, left_ms=None)
        add(
            GameOver,
            game=game.game,
            outcome=_outcome(conditions, game),
            guesses=len(game.turns),
            elapsed_ms=sum(game.took_ms),
            secret=format_code(secret),
            nonce=nonce,
        )
    add(
        MatchOver,
        outcomes=tuple(_outcome(conditions, game) for game in games),
        guesses=tuple(len(game.turns) for game in games),
        elapsed_ms=sum(sum(game.took_ms) for game in games),
        head=chain(lines)[-1],
    )
    return lines


def player_name(name: str) -> str:
    """Return the name of an entrant as the protocol allows it."""
    plain = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-_")
    return (plain if re.match(r"[a-z].", plain) else f"bot-{plain}")[:20]


def _outcome(conditions: Conditions, game: PlayedGame) -> Outcome:
    if game.turns and game.turns[-1].feedback == all_black(conditions.rules.pegs):
        return "solved"
    return "unsolved" if len(game.turns) == conditions.guess_limit else "resigned"
