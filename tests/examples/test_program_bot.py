"""The example in C is compiled and plays games."""

import os
import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

import evilpegs
from evilpegs_clients.strategies.program import ProgramStrategy

SOURCE = Path(__file__).parents[2] / "examples" / "program_bot.c"


@pytest.fixture(scope="session")
def program_bot(tmp_path_factory):
    """The compiled example."""
    compiler = shutil.which("cc")
    if compiler is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("the example in C needs a compiler")
    program = tmp_path_factory.mktemp("c") / "program_bot"
    subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, SOURCE], check=True)
    return program


@pytest.mark.parametrize(("rules", "secret"), [("4x6", "6543"), ("4x10-distinct", "0987"), ("5x8", "11111")])
def test_program_in_c_solves_game(program_bot, rules, secret):
    with closing(ProgramStrategy(str(program_bot))) as strategy:
        duels = [evilpegs.duel(strategy, "fixed", rules, secret=secret, seed=seed) for seed in range(5)]
    assert all(duel.turns[-1].feedback.black == duel.rules.pegs for duel in duels)
    assert max(map(len, duels)) <= 12
    assert len({duel.turns[0].guess for duel in duels}) > 1
