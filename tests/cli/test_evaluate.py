"""`evilpegs evaluate`."""

import csv
import io
import re
import sys
from fractions import Fraction

import pytest

KEYS = ["rules", "strategy", "first", "codes", "total", "mean", "max", "distribution", "seconds"]


def test_the_document(run):
    result = run("evaluate", "minimax", "--rules", "4x6", "--json")
    document = result.document
    assert list(document) == KEYS
    assert (document["total"], document["max"], document["codes"]) == (5801, 5, 1296)
    assert document["distribution"] == [1, 6, 62, 533, 694]
    assert (document["rules"], document["strategy"], document["first"]) == ("4x6", "minimax", "1122")
    assert document["mean"] == 5801 / 1296
    assert 0 < document["seconds"] < 60
    assert result.err == ""


def test_candidates_only(run):
    document = run("evaluate", "minimax", "--candidates-only", "--json").document
    assert (document["total"], document["max"]) == (5828, 6)


def test_another_first_guess(run):
    document = run("evaluate", "minimax", "--rules", "3x3", "--first", "123", "--json").document
    assert document["first"] == "123"
    assert document["total"] >= 74


def test_a_strategy_of_ones_own(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return position.first_candidate\n")
    document = run("evaluate", "mine.py", "--rules", "3x3", "--json").document
    assert (document["strategy"], document["total"]) == ("mine.py", 89)


def test_a_strategy_that_fails(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return 1 / 0\n")
    result = run("evaluate", "mine.py", "--rules", "3x3")
    assert result.status == 2
    assert "ZeroDivisionError" in result.complaint
    assert "line 2" in result.complaint


def test_a_strategy_that_is_stuck_is_named(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return (0,) * 3\n")
    for command in ("evaluate", "duel"):
        assert run(command, "mine.py", "--rules", "3x3").complaint.startswith("mine.py: the strategy is stuck at turn ")


def test_what_a_strategy_prints_is_no_part_of_the_document(run, talker):
    result = run("evaluate", talker, "--rules", "3x3", "--json")
    assert result.document["total"] == 89
    assert result.err.startswith("loaded\nthinking\n")


def test_it_is_said_at_once_what_takes_long(run):
    result = run("evaluate", "first-consistent", "--rules", "5x8", "--json")
    assert result.err == "5x8: 32,768 secrets; choosing the first guess, this takes a while\n"
    result = run("evaluate", "first-consistent", "--rules", "5x8", "--first", "11223", "--json")
    assert result.err == "5x8: 32,768 secrets; playing, this takes a while\n"


def test_rules_in_another_case(run):
    assert run("evaluate", "first-consistent", "--rules", "Classic", "--json").document["rules"] == "4x6"
    assert run("partition", "112", "--rules", "3X4", "--json").document["rules"] == "3x4"


def test_the_table(run):
    lines = run("evaluate", "minimax", "--rules", "3x3").out.splitlines()
    assert lines[0].startswith("minimax on 3x3, first guess  1  1  2")
    assert lines[1].startswith("27 secrets, 74 guesses, mean 2.7407, at most 4, in ")
    assert lines[-1].split() == ["4", "2", "█" * 5]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_on_a_terminal(run, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    assert run("evaluate", "minimax", "--json").document["total"] == 5801
    assert "codes of 4x6" in terminal.getvalue()


def test_several_strategies_are_a_list_of_documents(run):
    document = run("evaluate", "minimax", "entropy", "minimax", "--rules", "3x3", "--json").document
    assert list(document) == ["rules", "results"]
    assert [list(result) for result in document["results"]] == [KEYS, KEYS]
    assert [(result["strategy"], result["total"]) for result in document["results"]] == [
        ("minimax", 74),
        ("entropy", 73),
    ]


def test_several_strategies_are_rows_of_a_table(run):
    lines = run("evaluate", "minimax", "first-consistent", "--rules", "3x3").out.splitlines()
    assert lines[0] == "3x3: 27 secrets"
    assert lines[2].split() == ["strategy", "first", "guesses", "mean", "most", "seconds", "1", "2", "3", "4", "5"]
    minimax, first = (line.split() for line in lines[4:])
    assert [*minimax[:5], *minimax[6:]] == ["minimax", "112", "74", "2.7407", "4", "1", "7", "17", "2"]
    assert [*first[:5], *first[6:]] == ["first-consistent", "111", "89", "3.2963", "5", "1", "3", "12", "9", "2"]


@pytest.mark.parametrize(("width", "last", "minimax"), [(100, "9", "694"), (70, "1-9", "▁▁▁▇█"), (60, "seconds", "")])
def test_a_table_that_is_too_wide_shows_less(run, monkeypatch, width, last, minimax):
    monkeypatch.setattr("evilpegs.output.PLAIN_WIDTH", width)
    lines = run("evaluate", "minimax", "first-consistent").out.splitlines()
    (line,) = (place for place, line in enumerate(lines) if line.startswith("──"))
    assert max(map(len, lines)) <= width
    assert lines[line - 1].split()[-1] == last
    assert lines[line + 1].rstrip().endswith(minimax)
    assert ("694" in lines[line + 1]) == (last == "9")


def test_two_files_of_one_name_are_told_apart(run, tmp_path):
    for folder, body in (("a", "position.first_candidate"), ("b", "position.candidate(position.count - 1)")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(f"def choose(position, rng):\n    return {body}\n")
    results = run("evaluate", "a/mine.py", "b/mine.py", "--rules", "3x3", "--json").document["results"]
    assert [(result["strategy"], result["total"]) for result in results] == [("a/mine.py", 89), ("b/mine.py", 89)]
    assert [result["first"] for result in results] == ["111", "333"]


def test_games_have_an_interval(run):
    document = run(
        "evaluate", "random-consistent", "--rules", "3x3", "--games", "500", "--seed", "3", "--json"
    ).document
    assert list(document) == [
        *("rules", "strategy", "first", "games", "seed", "interval", "total", "mean", "max", "distribution"),
        *("expected", "seconds"),
    ]
    low, high = document["interval"]
    assert low < document["mean"] < high
    assert low < document["expected"]["mean"] < high
    assert Fraction(document["expected"]["exact"]) == Fraction(700, 243)
    assert (document["games"], sum(document["distribution"]), document["seed"]) == (500, 500, 3)
    again = run("evaluate", "random-consistent", "--rules", "3x3", "--games", "500", "--json").document
    assert again["seed"] == 0
    assert again["distribution"] != document["distribution"]


def test_games_for_people(run):
    lines = run("evaluate", "random-consistent", "--rules", "3x3", "--games", "200").out.splitlines()
    assert lines[0] == "random-consistent on 3x3"
    assert lines[1].startswith("200 games of seed 0, ")
    assert " (95 % interval " in lines[1]
    assert lines[2] == "random-consistent over all chance: mean 2.880658, computed exactly"
    assert lines[3].split() == ["guesses", "games"]
    lines = run("evaluate", "sampled", "minimax", "--rules", "3x3", "--games", "1").out.splitlines()
    assert lines[0] == "3x3: 1 game of seed 0"
    assert "95 % interval" in lines[2]


def test_games_on_rules_too_large_for_every_secret(run):
    document = run("evaluate", "first-consistent", "--rules", "10x12", "--games", "1", "--json").document
    assert (document["games"], document["interval"]) == (1, None)
    assert document["total"] == document["max"]


def test_what_plays_by_chance_says_so(run):
    lines = run("evaluate", "random-consistent", "--rules", "3x3").out.splitlines()
    assert lines[2].startswith("random-consistent plays by chance, here as seed 0 has it; ")
    assert lines[3] == "random-consistent over all chance: mean 2.880658, computed exactly"
    document = run("evaluate", "random-consistent", "--rules", "3x3", "--seed", "7", "--json").document
    assert document["seed"] == 7
    assert document["expected"] == {"mean": float(Fraction(700, 243)), "exact": "700/243"}
    assert "chance" not in run("evaluate", "minimax", "--rules", "3x3").out
    table = run("evaluate", "random-consistent", "sampled", "--rules", "3x3").out.splitlines()
    assert [line.split()[0] for line in table if "chance" in line] == ["random-consistent"] * 2 + ["sampled"]


@pytest.mark.parametrize("options", [["--rules", "4x6"], ["--rules", "3x3", "--first", "111"]])
def test_no_expectation_where_it_is_dear_or_of_something_else(run, options):
    assert "expected" not in run("evaluate", "random-consistent", *options, "--json").document


def test_no_expectation_where_its_budget_is_not_enough(run, monkeypatch):
    monkeypatch.setattr("evilpegs.evaluating.asked.EXPECTATION_BUDGET", 100)
    assert "expected" not in run("evaluate", "random-consistent", "--rules", "3x6", "--json").document


def test_a_csv_file(run, tmp_path):
    out = run("evaluate", "minimax", "first-consistent", "--rules", "3x3", "--csv", "out.csv").out
    assert out.startswith("3x3: 27 secrets")
    heading, *rows = csv.reader((tmp_path / "out.csv").read_text().splitlines())
    assert heading == [
        *("rules", "strategy", "first", "codes", "total", "mean", "max", "seconds"),
        *("1", "2", "3", "4", "5"),
    ]
    assert rows[0][:5] == ["3x3", "minimax", "112", "27", "74"]
    assert [row[8:] for row in rows] == [["1", "7", "17", "2", "0"], ["1", "3", "12", "9", "2"]]
    assert float(rows[0][5]) == 74 / 27


def test_csv_on_standard_output(run, talker):
    result = run("evaluate", talker, "--rules", "3x3", "--games", "5", "--csv", "-")
    heading, row = csv.reader(result.out.splitlines())
    assert dict(zip(heading, row, strict=True)) | {"rules": "3x3", "games": "5", "seed": "0"} == dict(
        zip(heading, row, strict=True)
    )
    assert heading[7:9] == ["low", "high"]
    assert "thinking" in result.err


def test_a_file_that_cannot_be_written(run, tmp_path):
    (tmp_path / "out.csv").mkdir()
    assert "cannot write out.csv: Is a directory" in run("evaluate", "minimax", "--csv", "out.csv").complaint


def test_a_plot(run, tmp_path):
    run("evaluate", "minimax", "--rules", "3x3", "--plot", "one.svg")
    text = (tmp_path / "one.svg").read_text()
    assert "minimax on 3x3: 27 secrets, mean 2.7407" in text
    assert ">17<" in text
    run("evaluate", "minimax", "entropy", "--rules", "3x3", "--games", "9", "--plot", "two.svg")
    text = (tmp_path / "two.svg").read_text()
    assert "3x3, 9 games" in text
    assert ">minimax, mean " in text


def test_a_dry_run_says_the_cost_and_does_nothing(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    raise AssertionError\n")
    out = run("evaluate", "minimax", "mine.py", "--rules", "6x8", "--jobs", "2", "--dry-run", "--plot", "a.svg").out
    lines = out.splitlines()
    assert lines[0] == "minimax on 6x8: 262,144 secrets"
    assert re.fullmatch(
        r"  memory  at most \d+ MB, and about 160 MB that the program takes itself, in each of 2 processes", lines[1]
    )
    assert lines[2].startswith(
        "  work    up to 68,719,476,736 feedback evaluations a turn, in 256 units or more, of at most "
    )
    assert lines[5].startswith("  work    at least 262,144 choices, in ")
    assert lines[6].startswith(f"journal: {tmp_path}/data/evilpegs/journals/")
    assert not (tmp_path / "data").exists()
    assert not (tmp_path / "a.svg").exists()


def test_a_dry_run_of_little(run):
    lines = run("evaluate", "minimax", "--rules", "3x3", "--jobs", "2", "--dry-run").out.splitlines()
    assert re.fullmatch(r"  memory  at most \d+ MB, and about 160 MB that the program takes itself", lines[1])
    assert lines[2].endswith("in one piece in this process")
    assert lines[3] == "journal: none, it is soon done"
    lines = run("evaluate", "minimax", "--games", "100", "--cluster", "tcp://x:1", "--dry-run").out.splitlines()
    assert lines[0] == "minimax on 4x6: 100 games of seed 0"
    assert "in each worker of the cluster" in lines[1]
    assert lines[2] == "  work    100 games, in 100 units or more, of at most 1 games"


def test_a_dry_run_as_a_document(run, tmp_path):
    document = run("evaluate", "minimax", "--journal", "kept", "--dry-run", "--json").document
    (cost,) = document.pop("costs")
    assert document == {"rules": "4x6", "journal": "kept"}
    assert cost.pop("bytes") > 1296 * 4
    assert cost == {
        "strategy": "minimax",
        "processes": 1,
        "units": 3,
        "work": "up to 1,679,616 feedback evaluations a turn",
    }
    assert run("evaluate", "minimax", "--rules", "3x3", "--dry-run", "--json").document["journal"] is None


def test_a_journal_that_is_asked_for_stays(run, tmp_path):
    alone = run("evaluate", "minimax", "--json").document
    for _ in range(2):
        assert run("evaluate", "minimax", "--journal", "kept", "--json").document | {"seconds": 0} == alone | {
            "seconds": 0
        }
    assert "0 choice" in (tmp_path / "kept").read_text()
    complaint = run("evaluate", "entropy", "--journal", "kept").complaint
    assert complaint == (
        "kept is the journal of another run (minimax on 4x6), not of entropy on 4x6; name another file with --journal"
    )


@pytest.mark.parametrize(
    ("options", "this"),
    [
        (["--candidates-only"], "minimax on 3x3, candidates only; entropy on 3x3, candidates only"),
        (["--first", "123"], "minimax on 3x3 from 123; entropy on 3x3 from 123"),
        (["--seed", "7"], "minimax on 3x3, seed 7; entropy on 3x3, seed 7"),
        (["--games", "5"], "minimax on 3x3, 5 games of seed 0; entropy on 3x3, 5 games of seed 0"),
    ],
)
def test_what_differs_from_the_run_of_a_journal_is_said(run, options, this):
    both = ["evaluate", "minimax", "entropy", "--rules", "3x3", "--journal", "kept"]
    assert run(*both).status == 0
    other = "another run (minimax on 3x3; entropy on 3x3)"
    assert f"{other}, not of {this}; name another" in run(*both, *options).complaint


def test_the_journal_of_many_games(run, tmp_path):
    games = ["evaluate", "minimax", "--games", "300", "--first", "1234", "--json"]
    expected = run(*games).document
    kept = run(*games, "--journal", "kept").document
    assert kept["distribution"] == expected["distribution"]
    assert "minimax on 4x6 from 1234, 300 games of seed 0" in (tmp_path / "kept").read_text()


def test_what_is_large_keeps_a_journal_until_it_is_done(run, tmp_path, talker):
    result = run("evaluate", talker, "--rules", "4x6", "--json")
    assert result.document["total"] == 7471
    journals = tmp_path / "data" / "evilpegs" / "journals"
    assert list(journals.iterdir()) == []


def test_what_will_fail_again_keeps_no_journal(run, tmp_path):
    (tmp_path / "mine.py").write_text(
        "def choose(position, rng):\n    assert position.turn < 4\n    return position.first_candidate\n"
    )
    result = run("evaluate", "mine.py", "--rules", "4x6")
    assert "AssertionError (line 2)" in result.complaint
    assert list((tmp_path / "data" / "evilpegs" / "journals").iterdir()) == []
    assert run("evaluate", "mine.py", "--journal", "kept").status == 2
    assert (tmp_path / "kept").exists()


def test_nothing_done_keeps_no_journal(run, tmp_path):
    assert run("evaluate", "minimax", "--cluster", "tcp://127.0.0.1:1").status == 2
    assert list((tmp_path / "data" / "evilpegs" / "journals").iterdir()) == []


def test_where_no_journal_can_be_it_goes_without(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return position.first_candidate\n")
    (tmp_path / "data").write_text("")
    result = run("evaluate", "mine.py", "--json")
    assert result.document["total"] == 7471
    assert result.err.endswith("cannot be written: Not a directory; this run keeps none\n")
    assert "cannot be written" in run("evaluate", "mine.py", "--journal", "data/x").complaint


def test_an_interrupt_without_a_journal_says_nothing(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    raise KeyboardInterrupt\n")
    assert run("evaluate", "mine.py", "--rules", "3x3").err == ""
    (tmp_path / "data").write_text("")
    assert "interrupted" not in run("evaluate", "mine.py", "--rules", "4x6").err


def test_an_interrupt_says_where_to_go_on(run, tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    raise KeyboardInterrupt\n")
    result = run("evaluate", "mine.py", "--first", "1122")
    assert result.status == 130
    assert result.err.startswith("interrupted; the same command goes on from ")


def test_jobs_on_what_is_small_are_threads(run):
    alone, two = (run("evaluate", "minimax", "--jobs", jobs, "--json").document for jobs in (1, 2))
    assert alone | {"seconds": 0} == two | {"seconds": 0}


def test_bars_on_a_terminal(run, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    run("evaluate", "minimax", "entropy", "--games", "20", "--json")
    assert "minimax: games of 4x6" in terminal.getvalue()
    assert "entropy: games of 4x6" in terminal.getvalue()
    assert terminal.getvalue().count("20/20") >= 2
