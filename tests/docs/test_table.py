"""docs/table.md and docs/table.csv agree, and small rows are those of plain programs."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from bench.rules_table import findings
from bench.rules_table.chart import draw_chart, excess
from bench.rules_table.computation import compute, read_certificates, read_rows
from bench.rules_table.counting import Counting, write_journal
from bench.rules_table.heuristics import HEURISTICS
from bench.rules_table.page import page_text
from bench.rules_table.row import FIGURES, Bounds, make_row
from bench.rules_table.rules import TableRules, least_total, rules_up_to, worst_case
from bench.rules_table.table_csv import read_csv, rows_in_order, write_csv
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.optimal.proof_log import ProofLog
from evilpegs_game.optimal.solve import solve
from evilpegs_game.rules import Rules
from evilpegs_game.trees.adversary import format_adversary
from evilpegs_game.trees.certificate import certify
from evilpegs_game.trees.lower_bound import LowerBound, certify_adversary
from evilpegs_game.trees.worst_case_trees import find_adversary, find_strategy
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
    return [row for row in ROWS if row.rules.codes <= codes]


def test_page_is_that_of_file():
    assert (DOCS / "table.md").read_text() == page_text(ROWS)


def test_table_has_all_rules():
    assert [row.rules for row in ROWS] == rules_up_to()


@pytest.mark.full
def test_heuristics_are_those_of_plain_program():
    for row in small(FOR_HEURISTICS):
        game = plain_game(row.rules)
        assert set(row.heuristics) == set(SCORES)
        for name, score in SCORES.items():
            figures = tuple(row.figures[name][figure].upper for figure in FIGURES)
            assert figures == game.heuristic(score), (str(row.rules), name)


@pytest.mark.full
def test_optimal_figures_are_those_of_plain_program():
    for row in small(FOR_OPTIMAL):
        game = plain_game(row.rules)
        plain = game.least_total(), game.worst_case(), game.against_evil(False), game.against_evil(True)
        bounds = [(each.lower, each.upper) for each in row.optimal.values()]
        assert bounds == [(each, each) for each in plain], str(row.rules)


def test_formulas_agree():
    agreed = 0
    for row in ROWS:
        for figure, formula in (("total", least_total), ("worst", worst_case)):
            if (value := formula(row.rules)) is not None:
                assert row.optimal[figure].lower <= value <= row.optimal[figure].upper, (str(row.rules), figure)
                agreed += 1
    assert agreed > 50


def test_formulas_do_not_hold_for_the_fewest_colors():
    assert (least_total(TableRules(2, 2, True)), BY_RULES["2x2"].optimal["total"].upper) == (None, 8)
    assert [worst_case(TableRules(3, colors, True)) for colors in (4, 5, 7)] == [None, 5, 6]


def are_in_order(row):
    """Return whether no figure contradicts another one."""
    every = [bounds for figures in row.figures.values() for bounds in figures.values()]
    ordered = [bounds.lower <= bounds.upper for bounds in every]
    if row.rules.playable:
        evil, ties, worst = (row.optimal[figure] for figure in ("evil", "worst_ties", "worst"))
        ordered += [evil.lower <= ties.lower <= worst.lower, evil.upper <= ties.upper <= worst.upper]
        for figures in row.heuristics.values():
            ordered += [row.optimal[figure].lower <= figures[figure].upper for figure in FIGURES]
            ordered.append(figures["evil"].upper <= figures["worst_ties"].upper <= figures["worst"].upper)
    return all(ordered)


def test_figures_bound_each_other():
    assert [str(row.rules) for row in ROWS if not are_in_order(row)] == []
    evil = BY_RULES["4x6"].optimal["evil"]
    optimal = BY_RULES["4x6"].optimal | {"evil": Bounds(evil.lower + 9, evil.upper + 9, evil.proof)}
    doctored = replace(BY_RULES["4x6"], figures=BY_RULES["4x6"].figures | {"optimal": optimal})
    assert not are_in_order(doctored)


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
    figures = make_row(TableRules(4, 4, False), budget=1)["optimal"]
    for figure, known in BY_RULES["4x4-distinct"].optimal.items():
        assert figures[figure].lower <= known.lower <= known.upper <= figures[figure].upper
        assert figures[figure].lower < figures[figure].upper
    assert {figures[figure].proof for figure in ("evil", "worst_ties", "worst")} == {"counting/minimax"}


def test_counting_is_that_of_plain_program():
    for row in small(FOR_OPTIMAL):
        assert Counting(row.rules.playable).bounds() == plain_bounds(row.rules), str(row.rules)


def plain_bounds(rules):
    """Count after two guesses from sets of codes, without symmetry."""
    game = plain_game(rules)
    most = max(map(len, game.partitions))
    needed = []  # by the code that is found, the fewest guesses first
    while len(needed) < rules.codes:
        guesses = needed[-1] + 1 if needed else 1
        needed += [guesses] * min(rules.codes, most ** (guesses - 1))

    def counted(parts):
        sizes = [part.bit_count() for part in parts]
        return sum(sum(needed[:size]) for size in sizes), max(needed[size - 1] for size in sizes)

    def after(live):
        codes, tried = live.bit_count(), {frozenset(game.parts(live, guess)) for guess in range(len(game.codes))}
        counts = [counted(parts) for parts in tried - {frozenset({live}), frozenset()}]
        if codes <= 2:
            return 2 * codes - 1, codes
        return codes + min(total for total, _ in counts), 1 + min(worst for _, worst in counts)

    firsts = [parts for guess in range(len(game.codes)) if (parts := game.parts(game.all, guess)) != [game.all]]
    totals = [rules.codes + sum(after(part)[0] for part in parts) for parts in firsts]
    worst = [1 + max(after(part)[1] for part in parts) for parts in firsts]
    evil = [1 + after(max(parts, key=int.bit_count))[1] for parts in firsts]
    return min(totals), min(worst), min(evil)


@pytest.mark.parametrize("rules", ["4x4", "3x5", "2x9", "6x2", "4x4-distinct", "3x6-distinct"])
def test_more_guesses_bound_closer(rules):
    bounds = [Counting(Rules.parse(rules), plies).bounds()[0] for plies in (2, 3, 4)]
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1] <= BY_RULES[rules].optimal["total"].lower


def test_solve_goes_on_from_counted_bounds(tmp_path):
    rules, path = Rules(4, 4), tmp_path / "journal"
    write_journal(path, Counting(rules, 3))
    log = ProofLog.from_bytes(path.read_bytes())
    counted = dict(log.known)
    solution = solve(rules, proof_log=log)
    assert (solution.total, solution.is_proved) == (905, True)
    assert all(counted[each].lower <= log.known[each].upper for each in counted)
    path.write_bytes(log.to_bytes())
    write_journal(path, Counting(rules, 3))
    assert ProofLog.from_bytes(path.read_bytes()).known == log.known


def test_certificates_close_worst_case():
    rules = TableRules(4, 4, False)
    worst = WorstCase(rules.playable)
    certificates = [certify(find_strategy(worst, 5)), certify_adversary(find_adversary(worst, 4))]
    without, row = make_row(rules, 1), make_row(rules, 1, certificates=certificates)
    assert without["optimal"]["worst"].lower == 4
    assert row["optimal"]["worst"] == Bounds(5, 5, "certificate/minimax")
    assert row["optimal"]["total"].upper <= certificates[0].total


def test_known_figures_are_not_searched_again(monkeypatch):
    rules = TableRules(3, 4, True)
    row = make_row(rules, 10**9)
    for searched in ("heuristic_figures", "ShortestLineSearch", "FirstGuesses", "WorstCase"):
        monkeypatch.setattr(f"bench.rules_table.row.{searched}", None)
    assert make_row(rules, 10**9, known=json.loads(json.dumps(row))) == row


def test_shipped_certificates_are_found(tmp_path):
    (tmp_path / "4x4.adversary").write_text("evilpegs adversary 1\nrules 4x4\nguesses 3\n")
    found = read_certificates(tmp_path, "4x4")
    assert (found[0].total, found[1].at_least) == (905, 4)
    assert [each.at_least for each in read_certificates(None, "5x5") if isinstance(each, LowerBound)] == [5]


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


def test_open_row_takes_certificate_without_search(tmp_path, monkeypatch, capsys):
    path, rules = tmp_path / "rows.jsonl", TableRules(4, 4, False)
    monkeypatch.setattr("bench.rules_table.computation.rules_up_to", lambda _: [rules])
    compute(path, 24, 1, tmp_path)
    before = read_rows(path)["4x4-distinct"]
    capsys.readouterr()
    compute(path, 24, 1, tmp_path)
    assert capsys.readouterr().out == ""  # nothing is new
    adversary = format_adversary(find_adversary(WorstCase(rules.playable), 4))
    (tmp_path / "4x4-distinct.adversary").write_text(adversary)
    compute(path, 24, 1, tmp_path)
    after = read_rows(path)["4x4-distinct"]
    assert [row["figures"]["optimal"]["worst"][0] for row in (before, after)] == [4, 5]
    assert before["figures"]["entropy"] == after["figures"]["entropy"]


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
