"""The check of the best known results accepts the table, and refuses one that is worse than the program or too good."""

import sys
import tomllib

import pytest

from evilpegs_server.site.bounds import RESULTS_FILE
from tools import known_results
from tools.known_results import FAILURES, check, main, shipped_rules

ROWS = tomllib.loads(RESULTS_FILE.read_text())["results"]
QUICK = 700, 5_040
"""Codes of the rules to solve and to play."""


def verdicts(rows, *limits):
    return {(rules, objective): said for rules, objective, said, _ in check(rows, *(limits or QUICK))}


def doctored(rules, objective, **changes):
    """Return a table of this row with changes."""
    (row,) = [row for row in ROWS if (row["rules"], row["objective"]) == (rules, objective)]
    return [row | changes]


@pytest.mark.full
def test_table_is_as_good_as_the_program():
    found = verdicts(ROWS)
    assert len(found) == len(ROWS)
    assert not set(found.values()) & set(FAILURES)
    assert found["4x8", "mean"] == found["4x10-distinct", "worst"] == "reached here"
    assert found["5x6", "mean"] == found["5x8", "mean"] == found["5x7", "worst"] == "reached here"


def test_every_shipped_tree_is_in_the_table():
    assert {(rules, "mean") for rules in shipped_rules()} <= {(row["rules"], row["objective"]) for row in ROWS}
    assert verdicts([], 0, 0) == {(rules, "mean"): "better here" for rules in shipped_rules()}


@pytest.mark.parametrize(
    ("rules", "objective", "changes", "said"),
    [
        ("4x5", "mean", {}, "proved here"),
        ("4x5", "worst", {}, "proved here"),
        ("4x6", "mean", {}, "reached here"),
        ("5x4", "worst", {}, "reached here"),
        ("4x9", "worst", {}, "only published"),
        ("4x5", "mean", {"total": 2462}, "contradicted"),
        ("4x5", "worst", {"guesses": 4}, "contradicted"),
        ("4x5", "mean", {"total": 2464}, "better here"),
        ("4x5", "mean", {"proved": False}, "better here"),
        ("4x6", "mean", {"total": 5_624}, "contradicted"),
        ("4x6", "mean", {"total": 5_626}, "better here"),
        ("4x6", "worst", {"guesses": 6}, "better here"),
        ("5x6", "mean", {"total": 30_000}, "contradicted"),
    ],
)
def test_entry_as_it_is_and_doctored(rules, objective, changes, said):
    assert verdicts(doctored(rules, objective, **changes))[rules, objective] == said


@pytest.mark.parametrize(("total", "status"), [(2463, 0), (2462, 1), (2464, 1)])
def test_status_of_check(monkeypatch, tmp_path, capsys, total, status):
    """Of a table of one row."""
    file = tmp_path / "known.toml"
    file.write_text(f'[[results]]\nrules = "4x5"\nobjective = "mean"\ntotal = {total}\nproved = true\n')
    monkeypatch.setattr(sys, "argv", ["known_results", "--solve", "0", "--play", "0"])
    monkeypatch.setattr(known_results, "RESULTS_FILE", file)
    monkeypatch.setattr(known_results, "shipped_rules", lambda: ["4x5"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == status
    shown = capsys.readouterr().out
    assert any(said in shown for said in FAILURES) is bool(status)
