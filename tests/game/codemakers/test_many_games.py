"""Games side by side: each is played as one game with the same codemaker is."""

from random import Random

import numpy as np
import pytest

from evilpegs_game.codemakers.codemaker import Evil, Fixed
from evilpegs_game.codemakers.many_games import ManyGames
from evilpegs_game.codes import all_codes, code_at
from evilpegs_game.feedback import feedback_number, feedbacks
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import game_luck, usual_curve
from evilpegs_game.rules import Rules

GAMES = 6


def break_tie(game, turn, tied):
    return (5 * game + 3 * turn + 1) % tied


def played(rules, is_evil, values=None, turns=6):
    """Yield the games after each guess of some, and one position per game that was played with its own codemaker."""
    rng, sets = Random(str(rules)), LiveSets()
    many = ManyGames(rules, GAMES, values)
    secrets = np.array([rng.randrange(rules.size) for _ in range(GAMES)])
    many.begin(np.arange(GAMES), secrets)
    positions = [Position(rules, (), sets) for _ in range(GAMES)]
    evils = [Evil(lambda turn, tied, game=game: break_tie(game, turn, tied)) for game in range(GAMES)]
    for _ in range(turns):
        games = np.array(sorted(rng.sample(range(GAMES), 4)))
        guesses = np.array([rng.randrange(rules.size) for _ in games])
        replies = many.reply(games, guesses, break_tie if is_evil else None)
        for game, guess, reply in zip(games.tolist(), guesses.tolist(), replies.tolist(), strict=True):
            codemaker = evils[game] if is_evil else Fixed(code_at(int(secrets[game]), rules))
            wanted = codemaker.reply(positions[game], code_at(guess, rules))
            assert feedbacks(rules.pegs)[reply] == wanted
            assert reply == feedback_number(wanted, rules.pegs)
            positions[game] = positions[game].after(code_at(guess, rules), wanted)
        yield many, positions


@pytest.mark.parametrize("is_evil", [True, False])
@pytest.mark.parametrize("name", ["4x6", "1x1", "2x2", "3x5-distinct", "8x2", "4x9-distinct"])
def test_games_are_those_of_single_codemakers(name, is_evil):
    rules = Rules.parse(name)
    codes = [tuple(code) for code in all_codes(rules).T.tolist()]
    for many, positions in played(rules, is_evil):
        assert many.counts.tolist() == [position.count for position in positions]
        assert many.played.tolist() == [len(position.history) for position in positions]
    for mask, position in zip(many.masks, positions, strict=True):
        assert [codes[index] for index in np.flatnonzero(mask)] == [
            tuple(code) for code in position.candidates.T.tolist()
        ]


def test_luck_is_that_of_each_game():
    rules = Rules(4, 6)
    curve = usual_curve(rules)
    values = np.array([0.0, *map(curve.value, range(1, 1297))])
    for many, positions in played(rules, False, values):
        wanted = [game_luck(rules, position.history, curve, LiveSets()) for position in positions]
        assert many.luck == pytest.approx(wanted, abs=1e-12)


def test_only_games_that_begin_again_change():
    (*_, (many, _)) = played(Rules(3, 4), True)
    before = many.counts.tolist()
    many.begin(np.array([1, 4]))
    assert many.counts.tolist() == [64 if game in (1, 4) else left for game, left in enumerate(before)]
    assert many.played[[1, 4]].tolist() == [0, 0]
    assert many.masks.sum(axis=1).tolist() == many.counts.tolist()
