"""`evilpegs compare`."""

import pytest

from evilpegs.errors import CommandError, user_message
from evilpegs.main import app
from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_game.errors import MalformedError

HALF = """
def choose(position, rng):
    return position.first_candidate if position.turn > 1 else (0, 0, 1, 2)
"""


def test_compare_finds_the_better_strategy(run):
    result = run("compare", "minimax", "entropy", "--json").document
    assert (result["verdict"], result["a"], result["b"]) == ("alternative", "minimax", "entropy")
    assert result["exact"] == {
        "a": pytest.approx(5801 / 1296),
        "b": pytest.approx(5722 / 1296),
        "difference": pytest.approx(-79 / 1296),
    }
    assert 30 <= result["pairs"] < 1000
    assert result["difference"] == pytest.approx(result["mean_b"] - result["mean_a"])
    assert result["log_likelihood_ratio"] >= result["bound"]


def test_compare_rejects_the_worse_strategy(run):
    result = run("compare", "entropy", "minimax", "--json").document
    assert result["verdict"] == "null"
    assert result["log_likelihood_ratio"] <= -result["bound"]


def test_compare_plays_files_with_a_seed(run, tmp_path):
    (tmp_path / "half.py").write_text(HALF)
    words = ("compare", "first-consistent", "half.py", "--alternative", "-0.2", "--json", "--seed")
    first, again, other = (run(*words, seed).document for seed in (1, 1, 2))
    assert first == again != other
    assert first["exact"] is None
    assert first["b"] == "half.py"
    assert first["verdict"] == "alternative"


def test_compare_ends_undecided_at_max_pairs(run):
    result = run("compare", "random-consistent", "random-consistent", "--max-pairs", "40", "--json").document
    assert (result["pairs"], result["verdict"]) == (40, "undecided")


def test_compare_on_ladder_without_curve_uses_raw_scores(run, monkeypatch):
    monkeypatch.setattr("evilpegs.commands.compare.command.load_value_curve", lambda rules, limit: None)
    result = run("compare", "minimax", "first-consistent", "--alternative", "0.5", "--json").document
    assert result["curve"] is None
    assert result["mean_a"] * result["pairs"] == pytest.approx(round(result["mean_a"] * result["pairs"]))
    assert result["verdict"] == "alternative"


def test_compare_text_names_strategies_and_verdict(run):
    result = run("compare", "minimax", "entropy")
    exact, pairs, verdict = result.out.splitlines()
    assert {"minimax", "4.4761,", "entropy", "4.4151,", "-0.0610"} <= set(exact.split())
    assert "classic" in pairs
    assert verdict.startswith("entropy is better than minimax")


BAD = {
    "unknown ladder": (["--ladder", "clasic"], CommandError, ["clasic", "evilpegs ladders"]),
    "evil ladder": (["--ladder", "classic-evil"], CommandError, ["classic-evil", "fixed"]),
    "too few pairs": (["--max-pairs", "29"], CommandError, ["--max-pairs", "30", "29"]),
    "half a pair": (["--max-pairs", "99.5"], CommandError, ["--max-pairs", "99.5"]),
    "equal hypotheses": (["--null", "-0.02"], MalformedError, ["-0.02"]),
    "no number": (["--null", "nan"], CommandError, ["--null", "nan"]),
    "endless number": (["--alternative", "-inf"], CommandError, ["--alternative", "-inf"]),
}


@pytest.mark.parametrize("case", BAD)
def test_compare_refuses_wrong_options_in_one_line(run, case):
    options, error, words = BAD[case]
    result = run("compare", "minimax", "entropy", *options)
    assert (result.status, result.out) == (2, "")
    assert all(word in result.complaint for word in words)
    with pytest.raises(error):
        app(["compare", "minimax", "entropy", *options])


def test_compare_refuses_unknown_strategy(run):
    result = run("compare", "minimax", "minimaks")
    assert result.status == 2
    assert "minimaks" in result.complaint


def test_compare_names_strategy_that_fails(run, tmp_path):
    (tmp_path / "broken.py").write_text("def choose(position, rng):\n    return (9, 9, 9, 9)\n")
    result = run("compare", "minimax", "broken.py")
    assert result.status == 2
    assert "broken.py" in result.complaint
    with pytest.raises(StrategyError) as caught:
        app(["compare", "minimax", "broken.py"])
    assert user_message(caught.value) == result.complaint
