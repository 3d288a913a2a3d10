"""Exact numbers of tests/golden/golden.json. They take millions of feedbacks, too many for runs without the JIT."""

import json
from pathlib import Path

import pytest

from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import seeded_choice
from evilpegs_game.codemakers.codemaker import Evil, evil_replies
from evilpegs_game.codes import format_code, parse_code
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, LEXICOGRAPHIC, MINIMAX, MOST_PARTS, TWO_PLY
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from support.walks import duel, evaluate

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "golden.json").read_text())


def label(row):
    return " ".join(str(row[key]) for key in ("rules", "strategy", "guesses", "guess") if key in row)


@pytest.mark.parametrize("row", GOLDEN["totals"], ids=label)
def test_totals_are_golden(row):
    strategy = load_strategy(row["strategy"], candidates_only=row.get("guesses") == "candidates")
    result = evaluate(seeded_choice(strategy), Rules.parse(row["rules"]))
    assert format_code(result.first) == row["first"]
    assert list(result.distribution) == row["distribution"]
    assert (result.total, result.max) == (row["total"], row["max"])
    assert result.count == Rules.parse(row["rules"]).size


CRITERIA = {each.name: each for each in (MINIMAX, LEXICOGRAPHIC, EXPECTED_SIZE, ENTROPY, MOST_PARTS, TWO_PLY)}
WALKED = [row for row in GOLDEN["totals"] if row["strategy"] in CRITERIA]
WALKED += [pytest.param(row, marks=pytest.mark.full) for row in GOLDEN["large_totals"]]  # three seconds each


@pytest.mark.parametrize("row", WALKED, ids=label)
def test_totals_of_walk_are_golden(row):
    rules, criterion, first = Rules.parse(row["rules"]), CRITERIA[row["strategy"]], row["first"]
    candidates_only = row.get("guesses") == "candidates"
    distribution = evaluate_heuristic(rules, criterion, candidates_only=candidates_only, threads=2)
    assert list(distribution) == row["distribution"]
    assert sum(guesses * codes for guesses, codes in enumerate(distribution, 1)) == row["total"]
    assert (
        evaluate_heuristic(rules, criterion, first=parse_code(first, rules), candidates_only=candidates_only)
        == distribution
    )


@pytest.mark.parametrize("row", GOLDEN["evil_lines"], ids=label)
def test_evil_lines_are_golden(row):
    turns = duel(seeded_choice(load_strategy(row["strategy"])), Evil(), Rules.parse(row["rules"]))
    replies = [f"{format_code(guess)}:{given.black}{given.white}" for guess, given, _ in turns]
    left = [f"/{turn.candidates_left}" for turn in turns[:-1]] + [""]
    assert " ".join(map("".join, zip(replies, left, strict=True))) == row["line"]


@pytest.mark.parametrize("row", GOLDEN["first_guess_parts"], ids=label)
def test_first_guess_parts_are_golden(row):
    rules = Rules.parse(row["rules"])
    position, guess = Position(rules, (), LiveSets()), parse_code(row["guess"], rules)
    sizes = list(position.parts(guess).values())
    assert (max(sizes), len(sizes)) == (row["largest"], row["parts"])
    assert sum(size * size for size in sizes) == row.get("sum_of_squares", sum(size * size for size in sizes))
    if row.get("note") == "three parts tie at 256":
        assert len(evil_replies(position, guess)) == 3
