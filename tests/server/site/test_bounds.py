"""Bounds of the guesses that rules need."""

import json
import tomllib
from datetime import date
from pathlib import Path

import pytest

from evilpegs_game.codemakers.small_sets import least_possible_total, max_codes_within
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import all_codes
from evilpegs_game.rules import Rules
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.site.bounds import RESULTS_FILE, ladder_bounds, load_known_results

GOLDEN = json.loads((Path(__file__).parents[2] / "golden/golden.json").read_text())
LADDERS = load_ladders()
RESULTS = load_known_results()


def least_mean(rules):
    return least_possible_total(rules.size, rules) / rules.size


def least_worst(rules):
    return len(max_codes_within(rules)) - 1


@pytest.mark.parametrize("row", GOLDEN["totals"], ids=lambda row: f"{row['rules']} {row['strategy']}")
def test_counting_bounds_hold_for_known_strategies(row):
    rules = Rules.parse(row["rules"])
    assert least_mean(rules) <= row["total"] / rules.size
    assert least_worst(rules) <= row["max"]


def test_counting_bounds_of_tiny_rules_are_exact():
    assert (least_worst(Rules(1, 1)), least_mean(Rules(1, 1))) == (1, 1.0)
    assert (least_worst(Rules(1, 3)), least_mean(Rules(1, 3))) == (3, 2.0)


def test_classic_ladder_has_proved_bounds():
    bounds = ladder_bounds(LADDERS["classic"], RESULTS)
    assert bounds.mean.at_least == bounds.mean.at_most == 5625 / 1296
    assert bounds.worst.at_least == bounds.worst.at_most == 5


def test_ladder_without_known_results_has_counting_bounds():
    bounds = ladder_bounds(LADDERS["classic"], {})
    assert (bounds.mean.at_least, bounds.worst.at_least) == (least_mean(Rules(4, 6)), least_worst(Rules(4, 6)))
    assert bounds.mean.at_most is bounds.worst.at_most is None


def test_evil_ladder_has_no_mean_and_may_need_fewer():
    bounds = ladder_bounds(LADDERS["classic-evil"], RESULTS)
    assert bounds.mean is None
    assert bounds.worst.at_least < bounds.worst.at_most == 5


def test_devil_forces_worst_case_of_rules():
    assert ladder_bounds(LADDERS["classic-devil"], RESULTS).worst.at_least == 5


@pytest.mark.parametrize("ladder", LADDERS.values(), ids=LADDERS)
def test_every_ladder_has_consistent_bounds(ladder):
    bounds = ladder_bounds(ladder, RESULTS)
    for bound in filter(None, (bounds.mean, bounds.worst)):
        assert bound.at_least > 1
        assert bound.at_most is None or bound.at_least <= bound.at_most <= ladder.guess_limit
        assert bound.source


@pytest.mark.parametrize("row", [*GOLDEN["totals"], *GOLDEN["large_totals"]], ids=lambda row: str(row["total"]))
def test_known_results_are_the_best_of_golden_data(row):
    rules = row["rules"]
    if (rules, "mean") in RESULTS:
        assert RESULTS[rules, "mean"].guesses <= row["total"] / Rules.parse(rules).size
        assert RESULTS[rules, "worst"].guesses <= row["max"]


def test_proved_worst_cases_are_at_least_what_counting_gives():
    for (rules, objective), known in RESULTS.items():
        least = least_worst if objective == "worst" else least_mean
        assert known.guesses >= least(Rules.parse(rules))


@pytest.mark.parametrize(
    ("rules", "total"),
    [
        *(("4x4", 905), ("4x5", 2463), ("4x6", 5625), ("4x7", 11228), ("4x8", 20471), ("4x9", 34666)),
        *(("5x4", 3954), ("5x5", 13496), ("5x6", 36721), ("4x10-distinct", 26274)),
    ],
)
def test_known_results_have_proved_totals(rules, total):
    known = RESULTS[rules, "mean"]
    assert known.proved
    assert known.guesses == total / Rules.parse(rules).size
    assert f"evilpegs solve --rules {rules} proves it" in known.source


def test_every_known_result_has_a_source_and_a_date():
    rows = tomllib.loads(RESULTS_FILE.read_text())["results"]
    assert len(RESULTS) == len(rows)
    for row in rows:
        known = RESULTS[row["rules"], row["objective"]]
        assert known.source == f"{row['date']}: {row['source']}"
        assert len(row["source"]) > 20
        full = row["date"] + "-01-01"[len(row["date"]) - 4 :]
        assert "1970-01-01" < date.fromisoformat(full).isoformat() <= "2026-12-31"
    assert ladder_bounds(LADDERS["classic"], RESULTS).mean.source.startswith("1993: K. Koyama")


def test_published_results_are_known():
    best, worst = RESULTS["5x8", "mean"], RESULTS["4x10-distinct", "worst"]
    assert (best.guesses, best.proved) == (178_877 / 32_768, False)
    assert (worst.guesses, worst.proved) == (7, True)
    assert ladder_bounds(LADDERS["super"], RESULTS).mean.at_most == 178_877 / 32_768
    assert ladder_bounds(LADDERS["bulls-and-cows"], RESULTS).worst.at_least == 7


@pytest.mark.parametrize("rules", ["4x6", "4x7"])
def test_proved_worst_case_is_value_of_all_codes(rules):
    parsed = Rules.parse(rules)
    known = RESULTS[rules, "worst"]
    assert known.proved
    assert known.guesses == WorstCase(parsed).value(all_codes(parsed))
