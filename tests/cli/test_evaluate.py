"""`evilpegs evaluate`."""

import io
import sys

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
