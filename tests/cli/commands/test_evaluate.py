"""`evilpegs evaluate`."""

import csv
import errno
import io
import json
import os
import re
import sys
from collections import Counter
from fractions import Fraction

import pytest
from rich.console import Console

from evilpegs.commands.evaluate import show_results
from evilpegs.main import app
from evilpegs_clients.errors import StuckStrategyError
from evilpegs_clients.evaluation.results import StrategyResult, exact_expectation
from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_game.errors import StuckError
from evilpegs_game.evaluation.exact import MAX_IDLE_TURNS
from evilpegs_game.rules import Rules
from support.printed import numbers_in, svg_texts

KEYS = ["rules", "strategy", "first", "codes", "total", "mean", "max", "distribution", "seconds"]


def test_evaluate_json_has_documented_keys(run):
    result = run("evaluate", "minimax", "--rules", "4x6", "--json")
    document = result.document
    assert list(document) == KEYS
    assert (document["total"], document["max"], document["codes"]) == (5801, 5, 1296)
    assert document["distribution"] == [1, 6, 62, 533, 694]
    assert (document["rules"], document["strategy"], document["first"]) == ("4x6", "minimax", "1122")
    assert document["mean"] == 5801 / 1296
    assert 0 < document["seconds"] < 60
    assert result.err == ""


def test_evaluate_candidates_only_changes_total(run):
    document = run("evaluate", "minimax", "--candidates-only", "--json").document
    assert (document["total"], document["max"]) == (5828, 6)


def test_evaluate_plays_given_first_guess(run):
    document = run("evaluate", "minimax", "--rules", "3x3", "--first", "123", "--json").document
    assert document["first"] == "123"
    assert document["total"] >= 74


def test_evaluate_loads_strategy_file(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return position.first_candidate\n")
    document = run("evaluate", "mine.py", "--rules", "3x3", "--json").document
    assert (document["strategy"], document["total"]) == ("mine.py", 89)


def test_evaluate_and_duel_name_stuck_strategy(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return (0,) * 3\n")
    for command in ("evaluate", "duel"):
        with pytest.raises(StuckStrategyError) as caught:
            app([command, "mine.py", "--rules", "3x3"])
        assert isinstance(caught.value.__cause__, StuckError)
        complaint = run(command, "mine.py", "--rules", "3x3").complaint
        assert complaint.startswith("mine.py: ")
        assert {str(MAX_IDLE_TURNS + 2), "3x3"} <= numbers_in(complaint)


def test_evaluate_json_excludes_strategy_prints(run, talker):
    result = run("evaluate", talker, "--rules", "3x3", "--json")
    assert result.document["total"] == 89
    assert result.err.startswith("loaded\nthinking\n")


@pytest.mark.parametrize(("size", "announced"), [(27, 1), (28, 0)])
def test_evaluate_announces_long_work(run, monkeypatch, size, announced):
    monkeypatch.setattr("evilpegs.commands.evaluate.NOTICE_SIZE", size)
    words = ("evaluate", "first-consistent", "--rules", "3x3", "--json")
    choosing, playing = run(*words).err.splitlines(), run(*words, "--first", "112").err.splitlines()
    assert [numbers_in(line) for line in choosing + playing] == [{"3x3", "27"}] * 2 * announced
    assert (choosing != playing) == announced


def test_evaluate_rules_ignore_case(run):
    assert run("evaluate", "first-consistent", "--rules", "Classic", "--json").document["rules"] == "4x6"
    assert run("partition", "112", "--rules", "3X4", "--json").document["rules"] == "3x4"


def test_evaluate_shows_totals_and_histogram(run):
    lines = run("evaluate", "minimax", "--rules", "3x3").out.splitlines()
    assert lines[0].split()[0] == "minimax"
    assert lines[0].split()[-3:] == ["1", "1", "2"]
    assert {"27", "74", "2.7407", "4"} <= numbers_in(lines[1])
    assert lines[-1].split() == ["4", "2", "█" * 5]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_evaluate_shows_progress_on_terminal(run, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    assert run("evaluate", "minimax", "--json").document["total"] == 5801
    assert "4x6" in terminal.getvalue()
    assert "1296/1296" in terminal.getvalue()


def test_evaluate_json_lists_several_strategies(run):
    document = run("evaluate", "minimax", "entropy", "minimax", "--rules", "3x3", "--json").document
    assert list(document) == ["rules", "results"]
    assert [list(result) for result in document["results"]] == [KEYS, KEYS]
    assert [(result["strategy"], result["total"]) for result in document["results"]] == [
        ("minimax", 74),
        ("entropy", 73),
    ]


def test_evaluate_table_has_row_per_strategy(run):
    lines = run("evaluate", "minimax", "first-consistent", "--rules", "3x3").out.splitlines()
    assert numbers_in(lines[0]) == {"3x3", "27"}
    assert lines[2].split()[6:] == ["1", "2", "3", "4", "5"]
    minimax, first = (line.split() for line in lines[4:])
    assert [*minimax[:5], *minimax[6:]] == ["minimax", "112", "74", "2.7407", "4", "1", "7", "17", "2"]
    assert [*first[:5], *first[6:]] == ["first-consistent", "111", "89", "3.2963", "5", "1", "3", "12", "9", "2"]


@pytest.mark.parametrize(("width", "last", "minimax"), [(100, "9", "694"), (60, "1-9", "▁▁▁▇█"), (50, "seconds", "")])
def test_evaluate_table_shows_less_when_narrow(width, last, minimax):
    out, spec = io.StringIO(), StrategySpec("minimax", None, Rules(4, 6))
    minimax_result = StrategyResult(spec, "minimax", (0, 0, 1, 1), (1, 6, 62, 533, 694), 1.5)
    other = StrategyResult(spec, "first-consistent", (0, 0, 0, 0), (1, 4, 25, 108, 305, 602, 196, 49, 6), 0.5)
    show_results(Console(file=out, width=width), [minimax_result, other])
    lines = out.getvalue().splitlines()
    (line,) = (place for place, line in enumerate(lines) if line.startswith("──"))
    assert max(map(len, lines)) <= width
    assert lines[line - 1].split()[-1] == last
    assert lines[line + 1].rstrip().endswith(minimax)
    assert ("694" in lines[line + 1]) == (last == "9")


def test_evaluate_distinguishes_files_of_same_name(run, tmp_path):
    for folder, body in (("a", "position.first_candidate"), ("b", "position.candidate(position.count - 1)")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(f"def choose(position, rng):\n    return {body}\n")
    results = run("evaluate", "a/mine.py", "b/mine.py", "--rules", "3x3", "--json").document["results"]
    assert [(result["strategy"], result["total"]) for result in results] == [("a/mine.py", 89), ("b/mine.py", 89)]
    assert [result["first"] for result in results] == ["111", "333"]


def test_evaluate_games_json_has_interval(run):
    document = run(
        "evaluate", "random-consistent", "--rules", "3x3", "--games", "500", "--seed", "3", "--json"
    ).document
    assert list(document) == [
        *("rules", "strategy", "first", "games", "seed", "interval", "total", "mean", "max", "distribution"),
        *("expected", "seconds", "ms_per_guess"),
    ]
    low, high = document["interval"]
    assert low < document["mean"] < high
    assert low < document["expected"]["mean"] < high
    assert Fraction(document["expected"]["exact"]) == Fraction(700, 243)
    assert (document["games"], sum(document["distribution"]), document["seed"]) == (500, 500, 3)
    again = run("evaluate", "random-consistent", "--rules", "3x3", "--games", "500", "--json").document
    assert again["seed"] == 0
    assert again["distribution"] != document["distribution"]


def test_evaluate_games_text_shows_interval(run):
    lines = run("evaluate", "random-consistent", "--rules", "3x3", "--games", "200").out.splitlines()
    assert lines[0].startswith("random-consistent ")
    assert numbers_in(lines[0]) == {"3x3"}
    assert {"200", "0", "95"} <= numbers_in(lines[1])
    assert lines[2].startswith("random-consistent ")
    assert numbers_in(lines[2]) == {"2.880658"}
    assert lines[3].split()[1] == "games"
    lines = run("evaluate", "sampled", "minimax", "--rules", "3x3", "--games", "1").out.splitlines()
    assert numbers_in(lines[0]) == {"3x3", "1", "0"}
    assert "games" not in lines[0]
    assert "95" in numbers_in(lines[2])


def test_evaluate_games_on_large_rules(run):
    document = run("evaluate", "first-consistent", "--rules", "10x12", "--games", "1", "--json").document
    assert (document["games"], document["interval"]) == (1, None)
    assert document["total"] == document["max"]


def test_evaluate_explains_random_strategies(run):
    lines = run("evaluate", "random-consistent", "--rules", "3x3").out.splitlines()
    assert numbers_in(lines[2]) == {"0"}
    assert "--games" in lines[2]
    assert numbers_in(lines[3]) == {"2.880658"}
    document = run("evaluate", "random-consistent", "--rules", "3x3", "--seed", "7", "--json").document
    assert document["seed"] == 7
    assert document["expected"] == {"mean": float(Fraction(700, 243)), "exact": "700/243"}
    minimax = run("evaluate", "minimax", "--rules", "3x3").out
    assert "--games" not in minimax
    assert [line.split()[0] for line in minimax.splitlines()[4:]] == ["1", "2", "3", "4"]
    *table, first, second, third = run("evaluate", "random-consistent", "sampled", "--rules", "3x3").out.splitlines()
    assert [line.split()[0] for line in (first, second, third)] == ["random-consistent"] * 2 + ["sampled"]
    assert Counter(line.split()[0] for line in table[4:]) == {"random-consistent": 1, "sampled": 1}
    assert ["--games" in line for line in (first, second, third)] == [True, False, True]


@pytest.mark.parametrize("options", [["--rules", "4x6"], ["--rules", "3x3", "--first", "111"]])
def test_evaluate_omits_expensive_expectation(run, options):
    assert "expected" not in run("evaluate", "random-consistent", *options, "--json").document


def test_evaluate_expectation_stops_at_budget():
    spec = StrategySpec("random-consistent", None, Rules(3, 6))
    assert exact_expectation(spec, budget=100) is None
    assert isinstance(exact_expectation(spec), Fraction)


def test_evaluate_csv_file_has_row_per_strategy(run, tmp_path):
    out = run("evaluate", "minimax", "first-consistent", "--rules", "3x3", "--csv", "out.csv").out
    assert numbers_in(out.splitlines()[0]) == {"3x3", "27"}
    heading, *rows = csv.reader((tmp_path / "out.csv").read_text().splitlines())
    assert heading == [
        *("rules", "strategy", "first", "codes", "total", "mean", "max", "seconds"),
        *("1", "2", "3", "4", "5"),
    ]
    assert rows[0][:5] == ["3x3", "minimax", "112", "27", "74"]
    assert [row[8:] for row in rows] == [["1", "7", "17", "2", "0"], ["1", "3", "12", "9", "2"]]
    assert float(rows[0][5]) == 74 / 27


def test_evaluate_csv_goes_to_standard_output(run, talker):
    result = run("evaluate", talker, "--rules", "3x3", "--games", "5", "--csv", "-")
    heading, row = csv.reader(result.out.splitlines())
    assert dict(zip(heading, row, strict=True)) | {"rules": "3x3", "games": "5", "seed": "0"} == dict(
        zip(heading, row, strict=True)
    )
    assert heading[7:9] == ["low", "high"]
    assert "thinking" in result.err


def test_evaluate_plot_shows_totals(run, tmp_path):
    run("evaluate", "minimax", "--rules", "3x3", "--plot", "one.svg")
    texts = svg_texts(tmp_path / "one.svg")
    assert any(numbers_in(text) == {"3x3", "27", "2.7407"} for text in texts)
    assert "17" in texts
    run("evaluate", "minimax", "entropy", "--rules", "3x3", "--games", "9", "--plot", "two.svg")
    texts = svg_texts(tmp_path / "two.svg")
    assert any(numbers_in(text) == {"3x3", "9"} for text in texts)
    assert all(any(text.startswith(name) for text in texts) for name in ("minimax", "entropy"))


def test_evaluate_dry_run_shows_cost_and_writes_nothing(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    raise AssertionError\n")
    out = run("evaluate", "minimax", "mine.py", "--rules", "6x8", "--jobs", "2", "--dry-run", "--plot", "a.svg").out
    lines = out.splitlines()
    assert lines[0].startswith("minimax ")
    assert numbers_in(lines[0]) == {"6x8", "262,144"}
    assert {"160", "2"} <= numbers_in(lines[1])
    assert numbers_in(lines[2]) == {"68,719,476,736", "256", "1,024"}
    assert lines[3].startswith("mine.py ")
    assert numbers_in(lines[5]) == {"262,144", "256", "1,024"}
    assert f"{tmp_path}/data/evilpegs/journals/" in lines[6]
    assert not (tmp_path / "data").exists()
    assert not (tmp_path / "a.svg").exists()


def test_evaluate_dry_run_of_small_work(run, tmp_path):
    lines = run("evaluate", "minimax", "--rules", "3x3", "--jobs", "2", "--dry-run").out.splitlines()
    assert len(numbers_in(lines[1])) == 2
    assert "160" in numbers_in(lines[1])
    assert numbers_in(lines[2]) == {"729"}
    assert len(lines) == 4
    assert str(tmp_path) not in lines[3]
    cluster = ["evaluate", "minimax", "--games", "100", "--cluster", "tcp://x:1", "--dry-run"]
    lines = run(*cluster).out.splitlines()
    assert numbers_in(lines[0]) == {"4x6", "100", "0"}
    assert "cluster" in lines[1]
    assert numbers_in(lines[2]) == {"100", "1"}
    (cost,) = run(*cluster, "--json").document["costs"]
    assert (cost["processes"], cost["units"]) == (None, 100)


def test_evaluate_dry_run_json(run, tmp_path):
    document = run("evaluate", "minimax", "--journal", "kept", "--dry-run", "--json").document
    (cost,) = document.pop("costs")
    assert document == {"rules": "4x6", "journal": "kept"}
    assert cost.pop("bytes") > 1296 * 4
    assert numbers_in(cost.pop("work")) == {"1,679,616"}
    assert cost == {"strategy": "minimax", "processes": 1, "units": 3}
    assert run("evaluate", "minimax", "--rules", "3x3", "--dry-run", "--json").document["journal"] is None


def test_evaluate_named_journal_stays(run, tmp_path):
    alone = run("evaluate", "minimax", "--json").document
    for _ in range(2):
        assert run("evaluate", "minimax", "--journal", "kept", "--json").document | {"seconds": 0} == alone | {
            "seconds": 0
        }
    assert "0 choice" in (tmp_path / "kept").read_text()
    result = run("evaluate", "entropy", "--journal", "kept")
    assert (result.status, result.out) == (2, "")
    assert [word for word in ("kept", "minimax", "entropy", "4x6", "--journal") if word not in result.complaint] == []


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        (["--candidates-only"], {"3x3"}),
        (["--first", "123"], {"3x3", "123"}),
        (["--seed", "7"], {"3x3", "7"}),
        (["--games", "5"], {"3x3", "5", "0"}),
    ],
)
def test_evaluate_journal_of_other_options_describes_both_runs(run, options, numbers):
    both = ["evaluate", "minimax", "entropy", "--rules", "3x3", "--journal", "kept"]
    assert run(*both).status == 0
    complaint = run(*both, *options).complaint
    found, asked = re.search(r"another run \((.*?)\), not of (.*?); name another", complaint).groups()
    assert numbers_in(found) == {"3x3"}
    for parts, expected in ((found.split("; "), {"3x3"}), (asked.split("; "), numbers)):
        assert [part.split()[0] for part in parts] == ["minimax", "entropy"]
        assert [numbers_in(part) for part in parts] == [expected, expected]
    assert found != asked


def test_evaluate_games_journal_keeps_distribution(run, tmp_path):
    games = ["evaluate", "minimax", "--games", "300", "--first", "1234", "--json"]
    expected = run(*games).document
    kept = run(*games, "--journal", "kept").document
    assert kept["distribution"] == expected["distribution"]
    heading, _, _ = (tmp_path / "kept").read_text().partition("\n")
    _, run_of = json.loads(heading.rpartition(" ")[0])
    assert run_of["about"].startswith("minimax ")
    assert numbers_in(run_of["about"]) == {"4x6", "1234", "300", "0"}


def test_evaluate_default_journal_is_removed_when_done(run, tmp_path, talker):
    result = run("evaluate", talker, "--rules", "4x6", "--json")
    assert result.document["total"] == 7471
    journals = tmp_path / "data" / "evilpegs" / "journals"
    assert list(journals.iterdir()) == []


def test_evaluate_default_journal_is_removed_on_failure(run, tmp_path):
    (tmp_path / "mine.py").write_text(
        "def choose(position, rng):\n    assert position.turn < 4\n    return position.first_candidate\n"
    )
    result = run("evaluate", "mine.py", "--rules", "4x6")
    assert "AssertionError" in result.complaint
    assert "line 2" in result.complaint
    assert list((tmp_path / "data" / "evilpegs" / "journals").iterdir()) == []
    assert run("evaluate", "mine.py", "--journal", "kept").status == 2
    assert (tmp_path / "kept").exists()


def test_evaluate_default_journal_is_removed_when_empty(run, tmp_path):
    assert run("evaluate", "minimax", "--cluster", "tcp://127.0.0.1:1").status == 2
    assert list((tmp_path / "data" / "evilpegs" / "journals").iterdir()) == []


def test_evaluate_runs_without_unwritable_default_journal(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return position.first_candidate\n")
    (tmp_path / "data").write_text("")
    result = run("evaluate", "mine.py", "--json")
    assert result.document["total"] == 7471
    assert os.strerror(errno.ENOTDIR) in result.err
    assert result.err.count("\n") == 1
    refused = run("evaluate", "mine.py", "--journal", "data/x")
    assert (refused.status, refused.out) == (2, "")
    assert "data/x" in refused.complaint
    assert os.strerror(errno.ENOTDIR) in refused.complaint


def test_evaluate_interrupt_without_journal_is_quiet(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    raise KeyboardInterrupt\n")
    assert run("evaluate", "mine.py", "--rules", "3x3").err == ""
    (tmp_path / "data").write_text("")
    result = run("evaluate", "mine.py", "--rules", "4x6")
    assert result.status == 130
    assert result.err.count("\n") == 1
    assert os.strerror(errno.ENOTDIR) in result.err


def test_evaluate_interrupt_names_journal(run, tmp_path):
    (tmp_path / "mine.py").write_text(
        "chosen = []\n"
        "def choose(position, rng):\n"
        "    chosen.append(position)\n"
        "    if len(chosen) == 50:\n"
        "        raise KeyboardInterrupt\n"
        "    return position.first_candidate\n"
    )
    result = run("evaluate", "mine.py", "--first", "1122")
    assert result.status == 130
    assert result.err.count("\n") == 1
    (journal,) = (tmp_path / "data" / "evilpegs" / "journals").iterdir()
    assert str(journal) in result.err
    (finished,) = re.findall(r" (\d+) finished", result.err)
    assert int(finished) >= 1


def test_evaluate_jobs_change_no_result(run):
    alone, two = (run("evaluate", "minimax", "--jobs", jobs, "--json").document for jobs in (1, 2))
    assert alone | {"seconds": 0} == two | {"seconds": 0}


@pytest.mark.parametrize("name", ["random.py", "json.py", "struct.py", "numba.py", "llvmlite.py"])
def test_strategy_may_be_called_like_a_module_of_python(run, monkeypatch, tmp_path, name):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "beside_it.py").write_text("def first(position):\n    return position.first_candidate\n")
    text = "import json, random\nfrom beside_it import first\ndef choose(position, rng):\n"
    (tmp_path / name).write_text(text + "    random.Random(json.loads('1'))\n    return first(position)\n")
    alone, two = (run("evaluate", str(tmp_path / name), "--jobs", jobs, "--json").document for jobs in (1, 2))
    assert alone["distribution"] == two["distribution"]


def test_evaluate_shows_progress_per_strategy(run, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    run("evaluate", "minimax", "entropy", "--games", "20", "--json")
    assert "minimax: " in terminal.getvalue()
    assert "entropy: " in terminal.getvalue()
    assert "4x6" in terminal.getvalue()
    assert terminal.getvalue().count("20/20") >= 2
