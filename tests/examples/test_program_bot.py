"""The example in C is compiled and plays games."""

from contextlib import closing

import pytest

import evilpegs
from evilpegs_clients.strategies.program import ProgramStrategy
from support.compilers import compile_program


@pytest.fixture(scope="session")
def program_bot(tmp_path_factory):
    """The compiled example."""
    return compile_program("examples/program_bot.c", tmp_path_factory.mktemp("c"))


@pytest.mark.parametrize(("rules", "secret"), [("4x6", "6543"), ("4x10-distinct", "0987"), ("5x8", "11111")])
def test_program_in_c_solves_game(program_bot, rules, secret):
    with closing(ProgramStrategy(str(program_bot))) as strategy:
        duels = [evilpegs.duel(strategy, "fixed", rules, secret=secret, seed=seed) for seed in range(5)]
    assert all(duel.turns[-1].feedback.black == duel.rules.pegs for duel in duels)
    assert max(map(len, duels)) <= 12
    assert len({duel.turns[0].guess for duel in duels}) > 1
