"""`evilpegs compare`."""

from pathlib import Path

import pytest

from support.waiting import wait_until

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


def test_compare_plays_offline_unless_a_server_is_typed(run, monkeypatch):
    """Matches count, so no environment variable makes the command play them."""
    monkeypatch.setenv("EVILPEGS_SERVER", "ws://127.0.0.1:1")
    assert run("compare", "minimax", "entropy", "--max-pairs", "30", "--json").document["server"] is None


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
