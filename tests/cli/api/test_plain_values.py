"""Numbers of NumPy and bools, given as numbers, come out as plain numbers; a bool of NumPy is refused."""

from random import Random

import numpy as np
import pytest

import evilpegs
from evilpegs import Devil, Feedback, Fixed, Game, Position, Rules, Turn


def after_guess(game, code):
    return game.guess(code), game.position


# each shows, in its repr, every number that was given
SHOWN = {
    "Certificate": lambda one, zero: evilpegs.Certificate(Rules(1, 2), (one, one)).distribution,
    "Devil": lambda one, zero: Devil(Devil.for_rules("2x2").worst_case, one, budget=one),
    "Devil.for_rules": lambda one, zero: Devil.for_rules("2x2", one),
    "Feedback": Feedback,
    "Fixed": lambda one, zero: Fixed((zero, one)).secret,
    "Game": lambda one, zero: Game("2x2", "fixed", secret=(zero, one), limit=one).limit,
    "Game.guess": lambda one, zero: after_guess(Game("2x2", seed=one), (zero, one))[1].history,
    "Game.guess of fixed": lambda one, zero: after_guess(Game("2x2", "fixed", secret=(zero, one)), "12"),
    "Position": lambda one, zero: Position("2x2", [((zero, one), (one, zero))], budget=one).history,
    "Position.after": lambda one, zero: Position("2x2").after((zero, one), (one, zero)).history,
    "Position.budget": lambda one, zero: Position("2x2", budget=one).budget,
    "Position.candidate": lambda one, zero: Position("2x2").candidate(one),
    "Position.parts": lambda one, zero: Position("2x2").parts((zero, one)),
    "Position.sample": lambda one, zero: Position("2x2").sample(Random(1), one),
    "Rules": lambda one, zero: Rules(one, one),
    "Turn": lambda one, zero: Turn((zero, one), (one, zero)),
    "compare": lambda one, zero: evilpegs.compare(
        "minimax",
        "minimax",
        "1x1",
        guess_limit=one,
        null=0.0 * one,
        alternative=-0.5 * one,
        max_pairs=30 * one,
        seed=one,
    ).to_json(),
    "duel": lambda one, zero: evilpegs.duel("minimax", "fixed", "2x2", secret=(zero, one), first=(one, zero)).turns,
    "duel after": lambda one, zero: evilpegs.duel("minimax", rules="2x2", after=[((zero, one), (one, zero))]).after,
    "evaluate": lambda one, zero: evilpegs.evaluate("minimax", "2x2", first=(zero, one), games=one, seed=one).to_json(),
    "feedback": lambda one, zero: evilpegs.feedback((zero, one), (one, zero)),
    "tree": lambda one, zero: evilpegs.tree("minimax", "2x2", first=(zero, one), seed=one).root.guess,
}
each = pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)


@each
@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int8])
def test_numbers_of_numpy_come_out_plain(shown, kind):
    assert repr(shown(kind(1), kind(0))) == repr(shown(1, 0))


@each
def test_bools_come_out_as_numbers(shown):
    assert repr(shown(True, False)) == repr(shown(1, 0))


@each
def test_bools_of_numpy_are_refused(shown):
    with pytest.raises(evilpegs.MalformedError) as caught:
        shown(np.True_, np.False_)
    assert isinstance(caught.value, ValueError)


def test_bool_of_numpy_is_no_flag():
    with pytest.raises(evilpegs.MalformedError):
        Rules(4, 6, np.True_)
