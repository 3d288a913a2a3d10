"""docs/table.md and docs/table.csv agree, and small rows are those of plain programs."""

import json
import tomllib
from pathlib import Path

import pytest

from bench.rules_table import findings
from bench.rules_table.chart import draw_chart, excess
from bench.rules_table.computation import compute, read_rows
from bench.rules_table.heuristics import HEURISTICS
from bench.rules_table.page import page_text
from bench.rules_table.row import FIGURES, Bounds, make_row
from bench.rules_table.rules import TableRules, least_total, rules_up_to, worst_case
from bench.rules_table.table_csv import read_csv, rows_in_order, write_csv
from evilpegs_server.site.bounds import RESULTS_FILE
from support.plain_game import SCORES, PlainGame

DOCS = Path(__file__).parents[2] / "docs"
ROWS = read_csv(DOCS / "table.csv")
BY_RULES = {str(row.rules): row for row in ROWS}
FOR_HEURISTICS, FOR_OPTIMAL = 130, 60
"""The most codes of rules that are computed by plain programs."""


def plain_game(rules):
    return PlainGame(rules.pegs, rules.colors, rules.repeats)


def small(codes):
    return pytest.mark.parametrize(
        "row", [row for row in ROWS if row.rules.codes <= codes], ids=lambda row: str(row.rules)
    )


def test_page_is_that_of_file():
    assert (DOCS / "table.md").read_text() == page_text(ROWS)


def test_table_has_all_rules():
    assert [row.rules for row in ROWS] == rules_up_to()


@small(FOR_HEURISTICS)
def test_heuristics_are_those_of_plain_program(row):
    game = plain_game(row.rules)
    assert set(row.heuristics) == set(SCORES)
    for name, score in SCORES.items():
        assert tuple(row.figures[name][figure].upper for figure in FIGURES) == game.heuristic(score), name


@small(FOR_OPTIMAL)
def test_optimal_figures_are_those_of_plain_program(row):
    game = plain_game(row.rules)
    plain = game.least_total(), game.worst_case(), game.against_evil(False), game.against_evil(True)
    assert tuple((bounds.lower, bounds.upper) for bounds in row.optimal.values()) == tuple(
        (each, each) for each in plain
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.rules))
def test_formulas_agree(row):
    for figure, formula in (("total", least_total), ("worst", worst_case)):
        value = formula(row.rules)
        assert value is None or row.optimal[figure].lower <= value <= row.optimal[figure].upper


def test_formulas_do_not_hold_for_the_fewest_colors():
    assert (least_total(TableRules(2, 2, True)), BY_RULES["2x2"].optimal["total"].upper) == (None, 8)
    assert [worst_case(TableRules(3, colors, True)) for colors in (4, 5, 7)] == [None, 5, 6]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.rules))
def test_figures_bound_each_other(row):
    for figures in row.figures.values():
        assert all(bounds.lower <= bounds.upper for bounds in figures.values())
    if row.rules.playable:
        evil, ties, worst = (row.optimal[figure] for figure in ("evil", "worst_ties", "worst"))
        assert evil.lower <= ties.lower <= worst.lower
        assert evil.upper <= ties.upper <= worst.upper
        for figures in row.heuristics.values():
            assert all(row.optimal[figure].lower <= figures[figure].upper for figure in FIGURES)
            assert figures["evil"].upper <= figures["worst_ties"].upper <= figures["worst"].upper


def test_known_results_are_within_bounds():
    known = [row for row in tomllib.loads(RESULTS_FILE.read_text())["results"] if row["rules"] in BY_RULES]
    for row in known:
        bounds = BY_RULES[row["rules"]].optimal["total" if "total" in row else "worst"]
        value = row.get("total", row.get("guesses"))
        assert bounds.lower <= value
        assert not row["proved"] or value <= bounds.upper


def test_smallest_rules_on_which_evil_is_not_worst():
    played = [row for row in ROWS if row.rules.playable]
    first = findings.not_worst(played, "evil", "with its written ties", True, "with repeats")
    assert "`3x3` (3 guesses, and V is 4)" in first
    assert "`3x5` (4 guesses, and V is 5)" in findings.not_worst(played, "worst_ties", "", True, "with repeats")


def test_budget_leaves_interval_that_holds():
    figures = make_row(TableRules(3, 4, True), budget=1)["optimal"]
    for figure, known in BY_RULES["3x4"].optimal.items():
        assert figures[figure].lower <= known.lower <= known.upper <= figures[figure].upper
        assert figures[figure].lower < figures[figure].upper
    assert {figures[figure].proof for figure in ("evil", "worst_ties", "worst")} == {"counting/minimax"}


def test_computation_goes_on_where_it_stopped(tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    compute(path, 9, 10**9, None)
    assert [json.loads(line)["rules"] for line in path.read_text().splitlines()] == [
        str(rules) for rules in rules_up_to(9)
    ]
    whole, first = path.read_text(), path.read_text().splitlines(keepends=True)[0]
    path.write_text(whole[: len(first) + 20])  # the second row was being written
    capsys.readouterr()
    compute(path, 9, 10**9, None)
    assert read_rows(path) == {json.loads(line)["rules"]: json.loads(line) for line in whole.splitlines()}
    assert len(capsys.readouterr().out.splitlines()) == len(rules_up_to(9)) - 1


def test_only_open_rows_are_computed_with_a_larger_budget(tmp_path, capsys):
    path, row = tmp_path / "rows.jsonl", {"rules": "2x2-distinct", "budget": 1, "version": "0"}
    for upper, printed in ((2, 0), (3, 1)):
        path.write_text(json.dumps(row | {"figures": {"optimal": {"worst": [2, upper, "search"]}}}) + "\n")
        compute(path, 2, 10**9, None)
        assert len(capsys.readouterr().out.splitlines()) == printed


def test_file_reads_as_it_was_written(tmp_path):
    write_csv(ROWS, tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_bytes() == (DOCS / "table.csv").read_bytes()
    stored = {"2x3": {"figures": {"optimal": {"worst": [3, 3, "search"]}}, "budget": 1, "version": "1"}}
    (row,) = rows_in_order(stored)
    assert row.optimal == {"worst": Bounds(3, 3, "search")}


def test_chart_shows_every_heuristic(tmp_path):
    draw_chart(ROWS, tmp_path / "chart.svg")
    text = (tmp_path / "chart.svg").read_text()
    assert all(name in text for name in HEURISTICS)
    assert all(
        above >= 0 for name in HEURISTICS for repeats in (True, False) for _, above in excess(ROWS, name, repeats)
    )
    assert text[:200] == (DOCS / "table.svg").read_text()[:200]
