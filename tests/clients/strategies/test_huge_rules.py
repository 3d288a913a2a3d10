"""Whole games on rules whose candidates fit into no table at first."""

from random import Random

import numba
import pytest

from evilpegs_clients.strategies.consistent import RandomConsistent, Sampled
from evilpegs_game.feedback import Turn, all_black
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from support.evil_games import evil_reply


@pytest.mark.full
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
@pytest.mark.parametrize(
    ("strategy", "rules"), [(RandomConsistent(), Rules(11, 12)), (Sampled(), Rules(11, 13))], ids=["one", "many"]
)
def test_guesses_are_consistent_until_evil_gives_up(strategy, rules):
    """In some turns candidates can only be drawn blindly or color by color; 12x14 takes five times as long."""
    rng, live_sets, history = Random(1), LiveSets(), ()
    while not history or history[-1].feedback != all_black(rules.pegs):
        position = Position(rules, history, live_sets)
        guess = strategy.choose(position, rng)
        assert position.is_candidate(guess)
        history = (*history, Turn(guess, evil_reply(rules, position.part_sizes(guess))[0]))
    assert len(history) <= 24
