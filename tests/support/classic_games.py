"""Stored games on the classic ladder, whose value curve is frozen, and their luck."""

from sqlalchemy import text

from evilpegs_game.codes import parse_code
from evilpegs_game.feedback import Turn, feedback
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.luck.game_luck import game_luck, load_value_curve, to_millionths
from evilpegs_server.match.ladders import load_ladders
from support.stored_matches import StoredPlay

CLASSIC = load_ladders()["classic"]
GAMES = [("1234", ["1122", "1344", "1234"]), ("6543", ["1122", "3344", "6543"]), ("5555", ["1122"]), ("1111", [])]
"""The games of a match, each as the secret and the guessed codes. The last two are not solved."""


def classic_match(number, *played):
    """Return the steps of a stored match on the classic ladder, by default with the games of `GAMES`."""
    return StoredPlay(number, CLASSIC).play_codes(*(played or GAMES))


def luck_of(secret, codes):
    """Return the luck of a game on the classic ladder in millionths of a guess."""
    curve = load_value_curve(CLASSIC.rules, CLASSIC.guess_limit)
    answer, guesses = parse_code(secret, CLASSIC.rules), [parse_code(code, CLASSIC.rules) for code in codes]
    turns = [Turn(guess, feedback(guess, answer)) for guess in guesses]
    return to_millionths(game_luck(CLASSIC.rules, turns, curve, LiveSets()))


def stored_luck(engine):
    """Return the number of the match, the number of the game and the luck of all games, in this order."""
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT match, game, luck FROM games ORDER BY match, game"))
        return [tuple(row) for row in rows]
