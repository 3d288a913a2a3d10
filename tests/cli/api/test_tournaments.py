"""`evilpegs.tournament`."""

import json
import sys

import numpy as np
import pytest

import evilpegs

RUBBISH = "rubbish=cat"  # starts in a moment, and loses every game


def test_tournament_matches_command(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return position.first_candidate\n")
    cast = [tmp_path / "mine.py", RUBBISH]
    command = ("tournament", *cast, "--rules", "3x4", "--games", 3, "--seed", 5, "--json")
    result = evilpegs.tournament(cast, rules="3x4", games=3, seed=5)
    assert json.loads(json.dumps(result.to_json())) == run(*command).document
    best, worst = result.entrants
    assert (best.name, best.games, best.failed, worst.failed) == ("mine", 3, 0, 3)
    assert (worst.place, worst.mean, worst.entrant) == (2, result.guess_limit + 1, "cat")
    assert [(fault.name, fault.game) for fault in result.faults] == [("rubbish", game) for game in (1, 2, 3)]
    assert str(result.rules) == "3x4"


def test_seed_is_new_unless_it_is_given():
    cast = [RUBBISH, f"other={RUBBISH.partition('=')[2]}"]
    first, other, again = (evilpegs.tournament(cast, "2x2", "evil", games=1, seed=seed) for seed in (None, None, 3))
    assert first.seed != other.seed
    assert again.seed == 3
    twin = evilpegs.tournament(iter(cast), evilpegs.Rules(2, 2), "evil", games=np.int64(1), seed=3)
    assert (twin.rules, twin.seed, twin.entrants) == (again.rules, again.seed, again.entrants)


@pytest.mark.parametrize(
    "wrong",
    [
        {"entrants": "minimax"},
        {"entrants": ["minimax"]},
        {"entrants": ["minimax", "minimax"]},
        {"entrants": ["minimax", "nope.py"]},
        {"entrants": ["minimax", len]},
        {"entrants": ["minimax", "x" * 5000]},
        {"entrants": ["minimax", "a=" + "x" * 5000]},
        {"codemaker": "devil"},
        {"jobs": 10_000},
    ],
)
def test_tournament_refuses_wrong_arguments(wrong):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the next line says which
        evilpegs.tournament(**{"entrants": ["minimax", "entropy"], "rules": "2x2", "games": 1} | wrong)
    assert getattr(evilpegs, type(caught.value).__name__) is type(caught.value)


def test_tournament_is_refused_elsewhere_than_on_linux(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(evilpegs.MalformedError, match="Linux"):
        evilpegs.tournament(["minimax", "entropy"])
