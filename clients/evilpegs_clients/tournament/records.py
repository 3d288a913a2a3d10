"""The record of an entrant's games in a tournament."""

from collections.abc import Sequence

from evilpegs_clients.tournament.play import Conditions, Participant, PlayedGame
from evilpegs_clients.unsigned_record import UnsignedGame, record_lines
from evilpegs_game.codemakers.codemaker import Fixed
from evilpegs_game.feedback import all_black
from evilpegs_game.live.position import Position
from evilpegs_protocol.fields import Outcome


def entrant_lines(conditions: Conditions, entrant: Participant, games: Sequence[PlayedGame], at: int) -> list[str]:
    """Return the lines of a record with all games of an entrant, in their order."""
    return record_lines(
        entrant.match_id(conditions.seed),
        entrant.name,
        entrant.version,
        conditions.rules,
        [_recorded(conditions, entrant, game) for game in games],
        at,
        ladder="tournament",
        guess_limit=conditions.guess_limit,
        codemaker=conditions.codemaker,
        tie=None if conditions.codemaker == "fixed" else "largest/seeded",
    )


def _recorded(conditions: Conditions, entrant: Participant, game: PlayedGame) -> UnsignedGame:
    nonce, codemaker = entrant.nonce(conditions.seed, game.game), conditions.make_codemaker(entrant, game.game)
    witness = (
        codemaker.secret if isinstance(codemaker, Fixed) else Position(conditions.rules, game.turns).first_candidate
    )
    return UnsignedGame(nonce, game.turns, game.took_ms, witness, _outcome(conditions, game))


def _outcome(conditions: Conditions, game: PlayedGame) -> Outcome:
    if game.turns and game.turns[-1].feedback == all_black(conditions.rules.pegs):
        return "solved"
    return "unsolved" if len(game.turns) == conditions.guess_limit else "resigned"
