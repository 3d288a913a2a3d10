"""`evilpegs compare`."""

from pathlib import Path

import pytest

from evilpegs.errors import CommandError, user_message
from evilpegs.main import app
from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_game.errors import MalformedError
from support.processes import wait_until

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
    monkeypatch.setattr("evilpegs.api.comparison.load_value_curve", lambda rules, limit: None)
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
    "too few pairs": (["--max-pairs", "29"], MalformedError, ["--max-pairs", "30", "29"]),
    "half a pair": (["--max-pairs", "99.5"], CommandError, ["--max-pairs", "99.5"]),
    "equal hypotheses": (["--null", "-0.02"], MalformedError, ["-0.02"]),
    "no number": (["--null", "nan"], MalformedError, ["--null", "nan"]),
    "endless number": (["--alternative", "-inf"], MalformedError, ["--alternative", "-inf"]),
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
    result = run("compare", "minimax", "broken.py", "--seed", 1)
    assert result.status == 2
    assert "broken.py" in result.complaint
    with pytest.raises(StrategyError) as caught:
        app(["compare", "minimax", "broken.py"])
    assert user_message(caught.value) == result.complaint


def test_compare_plays_matches_on_a_server(run, server):
    """Both play rated matches under their names, ten games at a time, until the test decides."""
    words = ("compare", "minimax", "first-consistent", "--alternative", "1", "--server", server.url, "--json")
    result = run(*words, "--names", "compared-a", "compared-b")
    assert (result.status, result.err) == (0, "")
    document = result.document
    assert (document["server"], document["verdict"]) == (server.url, "alternative")
    assert 30 <= document["pairs"] <= 100
    assert document["mean_a"] == pytest.approx(5801 / 1296, abs=0.2)
    assert document["mean_b"] - document["mean_a"] == pytest.approx(document["difference"])
    played = -(-document["pairs"] // 10) * 10
    # a finished match is on the leaderboard within a second
    wait_until(lambda: games_of(run, server) == {"compared-a": played, "compared-b": played})


def games_of(run, server):
    (standings,) = run("leaderboard", "classic", "--server", server.url, "--json").document["ladders"]
    return {row["player"]: row["games"] for row in standings["rows"] if row["player"].startswith("compared-")}


ON_SERVER = {
    "unknown ladder": (["--ladder", "clasic"], ["clasic", "evilpegs ladders --server"]),
    "evil ladder": (["--ladder", "classic-evil"], ["classic-evil", "fixed"]),
    "one name": (["--names", "ann", "ann"], ["ann", "--names"]),
    "no name": (["--names", "ann", "Bob"], ["Bob", "--names"]),
    "half the names": (["--names", "ann"], ["--names"]),
}


@pytest.mark.parametrize("case", ON_SERVER)
def test_compare_refuses_wrong_options_before_it_plays(run, server, case):
    options, words = ON_SERVER[case]
    result = run("compare", "minimax", "entropy", "--server", server.url, *options)
    assert (result.status, result.out) == (2, "")
    assert all(word in result.complaint for word in words)


def test_compare_needs_two_names_for_one_strategy(run, server):
    result = run("compare", "minimax", "minimax", "--server", server.url)
    assert result.status == 2
    assert "minimax-ann" in result.complaint


def test_compare_needs_a_server_for_names(run, monkeypatch):
    """Matches count, so no environment variable makes the command play them."""
    monkeypatch.setenv("EVILPEGS_SERVER", "ws://127.0.0.1:1")
    assert run("compare", "minimax", "entropy", "--max-pairs", "30", "--json").document["server"] is None
    assert "--server" in run("compare", "minimax", "entropy", "--names", "ann", "bob").complaint


def test_compare_plays_a_ladder_of_the_file(run):
    Path("evilpegs.toml").write_text('[ladders.tiny]\nrules = "2x2"\ncodemaker = "fixed"\nguess_limit = 7')
    document = run("compare", "minimax", "entropy", "--ladder", "tiny", "--max-pairs", "30", "--json").document
    assert (document["ladder"], document["rules"], document["guess_limit"]) == ("tiny", "2x2", 7)


class TestThreeOrMore:
    """The worst are dropped early, and no other one can be better than the first by the margin."""

    STRATEGIES = ("first-consistent", "entropy", "minimax")

    def test_worst_is_dropped_early(self, run):
        result = run("compare", *self.STRATEGIES, "--json")
        assert result.status == 0
        document = result.document
        first, *others = document["strategies"]
        assert (first["strategy"], first["low"], first["high"], first["dropped"]) == ("entropy", 0, 0, False)
        dropped = {row["strategy"]: row for row in others if row["dropped"]}
        assert dropped["first-consistent"]["low"] > 0
        assert all(row["low"] > 0 if row["dropped"] else row["low"] > -0.02 for row in others)
        assert document["decided"]
        assert run("compare", *self.STRATEGIES, "--json").document == document

    def test_table_shows_every_strategy(self, run):
        lines = run("compare", *self.STRATEGIES, "--max-pairs", "60").out.splitlines()
        shown = [line.split()[0] for line in lines[2:5]]
        assert shown[0] == "entropy"
        assert sorted(shown) == sorted(self.STRATEGIES)

    def test_too_few_games_decide_nothing(self, run):
        document = run("compare", *self.STRATEGIES, "--max-pairs", "30", "--json").document
        assert not document["decided"]
        assert [row["games"] for row in document["strategies"]] == [30] * 3

    def test_at_most_ten(self, run):
        assert "11" in run("compare", *["minimax"] * 11).complaint

    @pytest.mark.parametrize("words", [("--null", "0.1"), ("--alternative", "0.1")])
    def test_what_is_for_two_is_refused(self, run, words):
        assert words[0] in run("compare", *self.STRATEGIES, *words).complaint
