"""Pairs of games from the matches of two strategies on a server."""

import pytest

from evilpegs_clients.bot.summary import GameSummary, MatchSummary
from evilpegs_clients.paired_games import ServerPairs
from evilpegs_game.codes import parse_code
from evilpegs_game.feedback import Turn, feedback
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.luck.game_luck import adjusted_score, load_value_curve
from evilpegs_game.rules import Rules
from evilpegs_server.match.ladders import load_ladders

CLASSIC = Rules(4, 6)
LADDERS = {name: ladder.info() for name, ladder in load_ladders().items()}
MATCH = "0" * 16


def turns(secret, *guesses):
    codes = [parse_code(guess, CLASSIC) for guess in guesses]
    return tuple(Turn(code, feedback(code, parse_code(secret, CLASSIC))) for code in codes)


def match(*histories, ladder="classic"):
    games = [
        GameSummary(MATCH, number, "solved", len(history), (), history) for number, history in enumerate(histories, 1)
    ]
    return MatchSummary(MATCH, ladder, tuple(games), (), 0)


SHORT = turns("1234", "1122", "1234")
LONG = turns("6543", "1122", "3344", "5566", "6543")
LOST = turns("6543", "1122", "3344")


def score(history):
    return adjusted_score(CLASSIC, history, load_value_curve(CLASSIC, 10), LiveSets())


def test_games_are_paired_in_the_order_of_play():
    pairs = ServerPairs(LADDERS["classic"])
    pairs.add(0, match(SHORT, LONG, LOST))
    assert list(pairs.take()) == []
    pairs.add(1, match(LONG))
    assert list(pairs.take()) == [(score(SHORT), score(LONG))]
    pairs.add(1, match(SHORT, SHORT, SHORT))
    assert list(pairs.take()) == [(score(LONG), score(SHORT)), (score(LOST), score(SHORT))]
    assert list(pairs.take()) == []
    assert score(LOST) > 10 - 3


def test_matches_on_another_ladder_are_left_out():
    pairs = ServerPairs(LADDERS["classic"])
    pairs.add(0, match(SHORT, ladder="classic-practice"))
    pairs.add(1, match(LONG))
    assert list(pairs.take()) == []


def test_ladder_without_curve_has_raw_scores():
    info = LADDERS["classic"].model_copy(update={"guess_limit": 9})
    pairs = ServerPairs(info)
    assert pairs.curve is None
    pairs.add(0, match(LONG))
    pairs.add(1, match(LOST))
    assert list(pairs.take()) == [pytest.approx((4, 10))]
