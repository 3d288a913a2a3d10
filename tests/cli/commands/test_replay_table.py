"""The analysis of a game's guesses, as a table and as a JSON object."""

import io
import json
import re
from fractions import Fraction

import pytest
from rich.console import Console

from evilpegs.kit.match_table import COLUMNS, EVIL_COLUMNS, UNSURE_COLUMNS, regret_range
from evilpegs.output import print_table, whole_range
from evilpegs_game.analysis.regret import Regret
from evilpegs_game.analysis.turns import Effort, analyze_games
from evilpegs_game.codes import format_code, parse_code
from evilpegs_game.feedback import Feedback, Turn, parse_turns
from evilpegs_game.guessing.criteria import ENTROPY
from evilpegs_game.rules import Rules
from support.analyzed_turns import analyze, analyzed_turn

GAME = ("3x4", "112 1,0", "314 0,3", "143 3,0")
USUAL = Effort()
HEADING = ["turn", "guess", "feedback", "left", "bits", "expected", "chance", "best", "regret", "ms"]


def analyzed(rules, *turns, effort=USUAL):
    parsed = Rules.parse(rules)
    texts = [turn.split() for turn in turns]
    history = tuple(Turn(parse_code(code, parsed), Feedback.parse(given)) for code, given in texts)
    return analyze(parsed, history, effort)


def turn_replays(*game, effort=USUAL):
    return [analyzed_turn(number, found, took_ms=7) for number, found in enumerate(analyzed(*game, effort=effort), 1)]


def printed(turns, width=120, columns=COLUMNS):
    out = io.StringIO()
    print_table(Console(file=out, width=width), turns, columns)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_analysis_table_shows_turns():
    heading, _, *rows = printed(turn_replays(*GAME))
    assert heading.split() == HEADING
    first = analyzed(*GAME)[0]
    assert rows[0].split()[:4] == ["1", "1", "1", "2"]
    assert f"{first.candidates_after}  {first.bits:.2f}      {first.figures.expected_bits:.2f}" in rows[0]
    assert [row.split()[-1] for row in rows] == ["7"] * 3
    assert rows[-1].split()[-2:] == ["0", "7"]


def test_analysis_table_shows_better_optimal_guess():
    turns = turn_replays(*GAME)
    for turn, row in zip(turns, printed(turns)[2:], strict=True):
        found = turn.analysis
        assert found.regret.kind == "exact"
        codes = [played := "  ".join(turn.turn.code), "  ".join(format_code(found.optimal_guess))]
        assert re.findall(r"\b\d  \d  \d\b", row) == (codes if found.regret.at_least else [played])
        assert "*" not in row


def test_analysis_table_marks_best_by_entropy():
    effort = Effort(feedback_budget=64 * 64, solver_budget=0)  # enough for a criterion, not for a walk
    (turn,) = turn_replays("3x4", "111 0,1", effort=effort)
    assert turn.analysis.regret is None
    best = turn.analysis.best_guesses.figures_of(ENTROPY)
    row = printed([turn])[2]
    assert "  ".join(format_code(best.guess)) + " *" in row


def test_analysis_table_without_chance_column():
    assert printed(turn_replays(*GAME), columns=UNSURE_COLUMNS)[0].split() == [
        each for each in HEADING if each != "chance"
    ]


def test_analysis_table_of_a_game_against_evil():
    (turns,) = analyze_games(Rules(3, 4), [parse_turns(["112:0,1", "444:0,0"], Rules(3, 4))], USUAL, ties=["first"])
    rows = printed(
        [analyzed_turn(number, found, took_ms=7) for number, found in enumerate(turns, 1)], columns=EVIL_COLUMNS
    )
    assert rows[0].split() == ["turn", "guess", "feedback", "left", "needed", "best", "lost", "ms"]
    for turn, row in zip(turns, rows[2:], strict=True):
        assert row.split()[-2:] == [str(int(turn.regret.at_least)), "7"]
        assert f" {turn.needed.exact} " in row
        assert ("as played" in row) is (turn.regret.at_least == 0)
    assert turns[1].regret.at_least > 0


def test_whole_bounds_in_words():
    bounds = [(3, 3), (3, 4), (0, 1), (3, None)]
    assert [whole_range(*each) for each in bounds] == ["3", "3-4", "≤1", "≥3"]


@pytest.mark.parametrize(
    ("width", "has_pegs", "has_marks", "has_best", "has_ms"),
    [(120, 1, 1, 1, 1), (91, 1, 1, 1, 1), (71, 0, 1, 1, 1), (65, 0, 0, 1, 1), (60, 0, 0, 0, 1), (57, 0, 0, 0, 0)],
)
def test_analysis_table_fits_narrow_terminal(width, has_pegs, has_marks, has_best, has_ms):
    turns = turn_replays("10x2", "1111122222 5,0", effort=Effort(feedback_budget=0, solver_budget=0))
    lines = printed(turns, width)
    assert max(map(len, lines)) <= width
    assert ("1  1  1  1  1" in lines[2], "●●●●●·" in lines[2]) == (has_pegs, has_marks)
    assert ("best" in lines[0], "ms" in lines[0]) == (has_best, has_ms)


def test_analysis_leaves_unknown_values_empty():
    _, turn = turn_replays("16x34", "1234567890ABCDEF 1,5", "4567890ABCDEFGHJ 1,4")
    row = printed([turn], width=200)[2].split()
    assert row[-3:] == ["●○○○○" + "·" * 11, "1,4", "7"]
    document = turn.analysis.to_json()
    assert document["best"] == []
    assert {value for name, value in document.items() if name != "best"} == {None}


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(0, "1/3", "≤0.34"), ("1/3", "2/3", "0.33-0.67"), ("1/3", None, "≥0.33"), ("1/4", "1/2", "0.25-0.50")],
)
def test_regret_range_rounds_to_safe_side(low, high, shown):
    assert regret_range(Regret(Fraction(low), None if high is None else Fraction(high))) == shown


def test_small_chance_is_not_shown_as_zero():
    turns = turn_replays("4x6", "1122 4,0", effort=Effort(feedback_budget=0, solver_budget=0))
    assert "<1%" in printed(turns)[2]


def test_analysis_document_has_documented_keys():
    first, *_ = analyzed(*GAME)
    document = json.loads(json.dumps(first.to_json()))
    assert (document["before"], document["after"], document["candidate"]) == (64, first.candidates_after, True)
    assert document["largest"] == first.figures.part_sizes[0]
    assert document["regret"] == {
        "kind": "exact",
        "at_least": float(first.regret.at_least),
        "at_most": float(first.regret.at_most),
    }
    assert document["optimal"] == format_code(first.optimal_guess)
    criteria = {best["criterion"]: best for best in document["best"]}
    assert set(criteria) == {"minimax", "lexicographic", "expected-size", "entropy", "most-parts"}
    assert criteria["lexicographic"]["played"] == list(first.figures.part_sizes)
    assert criteria["expected-size"]["played"] == float(first.figures.expected_size)
    assert criteria["minimax"]["figure"] <= criteria["minimax"]["played"]
    assert set(criteria["entropy"]) == {"criterion", "code", "figure", "played"}
    assert document["among"] == "codes"


def test_regret_document_has_null_for_unknown_bound():
    assert Regret(Fraction(1, 2), None).to_json() == {"kind": "at least", "at_least": 0.5, "at_most": None}
