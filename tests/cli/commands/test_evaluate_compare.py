"""`evilpegs evaluate`: comparisons of strategies, and the secrets that cost most."""

import shlex
from io import StringIO

import pytest
from rich.console import Console

from evilpegs.commands.evaluate import show_results
from evilpegs_clients.evaluation.results import StrategyResult
from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_game.evaluation.simulation import length_counts
from evilpegs_game.rules import Rules


def test_evaluate_compares_strategies_game_by_game(run):
    document = run(
        "evaluate", "minimax", "first-consistent", "entropy", "--rules", "3x4", "--games", 400, "--json"
    ).document
    assert list(document) == ["rules", "results", "comparisons"]
    means = {result["strategy"]: result["mean"] for result in document["results"]}
    best = min(means, key=means.get)
    assert [list(row) for row in document["comparisons"]] == [
        ["better", "worse", "difference", "interval", "separated", "games_to_separate"]
    ] * 2
    for row in document["comparisons"]:
        assert row["better"] == best
        assert row["difference"] == pytest.approx(means[row["worse"]] - means[best])
        low, high = row["interval"]
        assert low < row["difference"] < high
        assert row["separated"] is (low > 0)
        assert (row["games_to_separate"] < 420) is row["separated"]
    assert {row["worse"]: row["separated"] for row in document["comparisons"]}["first-consistent"]
    assert all(result["ms_per_guess"] > 0 for result in document["results"])


def test_evaluate_table_names_games_that_separate(run):
    result = run("evaluate", "lexicographic", "entropy", "--rules", "3x4", "--games", 20)
    (row,) = run("evaluate", "lexicographic", "entropy", "--rules", "3x4", "--games", 20, "--json").document[
        "comparisons"
    ]
    (line,) = [line for line in result.out.splitlines() if line.startswith(row["worse"]) and row["better"] in line]
    assert f"{row['difference']:.4f}" in line
    assert not row["separated"]
    assert f" {row['games_to_separate']:,} games" in line


@pytest.mark.parametrize(
    ("strategy", "options"),
    [
        ("mine.py", []),
        ("mine.py", ["--seed", "2"]),
        ("mine.py", ["--games", "60", "--seed", "5"]),
        ("minimax", ["--first", "112"]),
    ],
)
def test_evaluate_lists_worst_secrets_with_replay(run, tmp_path, strategy, options):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return position.sample(rng)[0]\n")
    arguments = ("evaluate", strategy, "--rules", "3x4", "--worst", 5, *options)
    document = run(*arguments, "--json").document
    guesses = [row["guesses"] for row in document["worst"]]
    assert guesses == sorted(guesses, reverse=True)
    longest = [length for length, count in enumerate(document["distribution"], 1) for _ in range(count)][-5:]
    assert sorted(guesses) == longest
    lines = [line for line in run(*arguments).out.splitlines() if "evilpegs duel" in line]
    assert [line.split()[0] for line in lines] == [row["secret"] for row in document["worst"]]
    for line, length in zip(lines, guesses, strict=True):
        words = shlex.split(line.partition("evilpegs ")[2])
        replayed = run(*words, "--json").document
        assert (replayed["guesses"], replayed["turns"][-1]["code"]) == (length, line.split()[0])


def shown_comparison(lengths, others):
    """Return what is printed about two strategies that needed these guesses."""
    spec = StrategySpec("minimax", None, Rules(3, 4), games=len(lengths))
    results = [
        StrategyResult(spec, name, None, length_counts(games), 1.0, lengths=games)
        for name, games in (("one", lengths), ("two", others))
    ]
    out = Console(file=StringIO(), width=200)
    show_results(out, results)
    return out.file.getvalue().splitlines()[-1]


@pytest.mark.parametrize(("others", "difference"), [(b"\3\4\5" * 20, "0.0000"), (b"\4\5\6" * 20, "1.0000")])
def test_equal_differences_are_shown_with_share_of_others(others, difference):
    """Sixty equal differences give no interval; at 95 % confidence, at most 4.9 % of all games have another one."""
    line = shown_comparison(b"\3\4\5" * 20, others)
    assert line.split()[0] == "two"
    assert all(fact in line for fact in (difference, " 60 games", " 4.9 % "))
    assert "95 % interval" not in line


def test_one_game_is_shown_with_reason_for_no_interval():
    shown, _, reason = shown_comparison(b"\3", b"\4").partition(": ")
    assert shown.startswith("two needs 1.0000")
    assert "interval" in reason
    assert "%" not in shown + reason


def test_strategies_of_equal_means_are_not_separated():
    line = shown_comparison(b"\3\4", b"\4\3")
    assert "0.0000" in line
    assert "95 %" in line
    assert "games would" not in line
