"""Analysis of games, held against definitions by enumeration and numbers from outside."""

import json
from fractions import Fraction
from functools import cache
from itertools import groupby, pairwise
from math import log2
from pathlib import Path

import numba
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.analysis.guesses import CRITERIA, best_guesses, guess_figures
from evilpegs_game.analysis.regret import Regret, SplitBound, regret
from evilpegs_game.analysis.turns import THOROUGH, USUAL, Effort, analyze_games, analyze_turn
from evilpegs_game.codemakers.small_sets import least_possible_total
from evilpegs_game.codes import all_codes, code_at, column_code, format_code, parse_code
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.evaluation.heuristic import MAX_BYTES, heuristic_bytes
from evilpegs_game.feedback import Feedback, Turn, all_black, feedback
from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, LEXICOGRAPHIC, MINIMAX, MOST_PARTS
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.least_total import BoundedSolver, LeastTotal
from evilpegs_game.rules import Rules
from support.examples import share
from support.plain_partition import partition_counts
from support.uncountable import uncountable_turns

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "golden.json").read_text())
CLASSIC = Rules(4, 6)
compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
TINY = [Rules(2, 3), Rules(3, 2), Rules(2, 4, repeats=False), Rules(1, 4), Rules(2, 2)]
NOTHING = Effort(feedback_budget=0, solver_budget=0, counted_codes=0)


def analyze(rules, history, effort=USUAL):
    """Return the analysis of every turn of one game."""
    return analyze_games(rules, [history], effort)[0]


def plain_codes(rules):
    columns = all_codes(rules)
    return [column_code(columns, place) for place in range(rules.size)]


def plain_parts(guess, codes):
    ordered = sorted(codes, key=lambda code: feedback(guess, code))
    return {given: tuple(part) for given, part in groupby(ordered, key=lambda code: feedback(guess, code))}


@cache
def plain_total(rules, codes):
    """Return the least total over a tuple of codes, found by trying every guess that splits them."""
    if len(codes) <= 1:
        return len(codes)
    splitting = [guess for guess in plain_codes(rules) if len(plain_parts(guess, codes)) > 1]
    return min(plain_after(rules, codes, guess) for guess in splitting)


def plain_after(rules, codes, guess):
    parts = plain_parts(guess, codes)
    parts.pop(all_black(rules.pegs), None)
    return len(codes) + sum(plain_total(rules, part) for part in parts.values())


@st.composite
def games(draw):
    """Draw a game on tiny rules: any guesses, and at last the secret."""
    rules = draw(st.sampled_from(TINY))
    codes = st.integers(0, rules.size - 1).map(lambda index: code_at(index, rules))
    secret, guesses = draw(codes), draw(st.lists(codes, max_size=3))
    turns = [Turn(guess, feedback(guess, secret)) for guess in guesses if guess != secret]
    return rules, (*turns, Turn(secret, all_black(rules.pegs)))


@settings(max_examples=share(60))
@given(games())
def test_analyze_matches_enumeration(game):
    rules, history = game
    codes = plain_codes(rules)
    for turn, found in zip(history, analyze(rules, history), strict=True):
        parts = {given: len(part) for given, part in plain_parts(turn.guess, codes).items()}
        assert (found.guess, found.feedback, found.candidates_before) == (*turn, len(codes))
        assert found.is_candidate == (turn.guess in codes)
        assert found.figures.part_sizes == tuple(sorted(parts.values(), reverse=True))
        assert found.figures.expected_bits == pytest.approx(
            sum(n * log2(len(codes) / n) for n in parts.values()) / len(codes)
        )
        assert found.chance == plain_chance(parts, turn.feedback, all_black(rules.pegs))
        least, after = plain_total(rules, tuple(codes)), plain_after(rules, tuple(codes), turn.guess)
        assert found.regret == (Fraction(after - least, len(codes)),) * 2
        assert plain_after(rules, tuple(codes), found.optimal_guess) == least
        codes = [code for code in codes if feedback(turn.guess, code) == turn.feedback]
        assert found.candidates_after == len(codes)
        assert found.bits == pytest.approx(log2(found.candidates_before / found.candidates_after))
    assert codes == [history[-1].guess]


def plain_chance(parts, received, ends):
    """Return the probability of a feedback at least as good: all-black is best, then the smaller part."""
    goodness = {given: (given != ends, size) for given, size in parts.items()}
    as_good = sum(size for given, size in parts.items() if goodness[given] <= goodness[received])
    return Fraction(as_good, sum(parts.values()))


@settings(max_examples=share(40))
@given(games())
def test_analyze_best_guesses_are_unbeaten(game):
    rules, history = game
    for turn, found in enumerate(analyze(rules, history)):
        position = Position(rules, history[:turn], LiveSets())
        if position.count <= 2:
            assert {figures.guess for _, figures in found.best_guesses.guesses} == {position.first_candidate}
            continue
        every = [guess_figures(position, guess) for guess in plain_codes(rules)]
        for criterion, best in found.best_guesses.guesses:
            pick = max if criterion in (ENTROPY, MOST_PARTS) else min
            assert CRITERIA[criterion](best) == pick(CRITERIA[criterion](one) for one in every)
        assert found.best_guesses.among == "codes"


@settings(max_examples=share(60))
@given(games())
def test_regret_bounds_contain_exact_value(game):
    rules, history = game
    for turn, (guess, _) in enumerate(history):
        position = Position(rules, history[:turn], LiveSets())
        exact, bounds = regret(position, guess, BoundedSolver(rules)), regret(position, guess, BoundedSolver(rules, 0))
        assert exact.kind == "exact"
        assert 0 <= bounds.at_least <= exact.at_least <= bounds.at_most


def row(guess, given=None):
    return Turn(parse_code(guess, CLASSIC), Feedback.parse(given)) if given else parse_code(guess, CLASSIC)


@compiled
def test_guess_figures_of_published_first_guesses():
    for expected in GOLDEN["first_guess_parts"]:
        if expected["rules"] == "4x6":
            figures = guess_figures(Position(CLASSIC, (), LiveSets()), row(expected["guess"]))
            assert (figures.largest_part, figures.part_count, figures.candidate_count) == (
                expected["largest"],
                expected["parts"],
                1296,
            )
            squares = expected.get("sum_of_squares")
            assert squares is None or figures.expected_size == Fraction(squares, 1296)


@compiled
def test_analyze_evil_line_of_classic():
    line = next(line for line in GOLDEN["evil_lines"] if line["strategy"] == "minimax" and line["rules"] == "4x6")
    turns = [text.partition(":") for text in line["line"].split()]
    history = tuple(row(guess, f"{reply[0]},{reply[1]}") for guess, _, reply in turns)
    found = analyze(CLASSIC, history, Effort(feedback_budget=2_000_000, solver_budget=0))
    assert [turn.candidates_after for turn in found] == [256, 46, 6, 1, 1]
    assert [format_code(turn.best_guesses.figures_of(MINIMAX).guess) for turn in found] == [
        guess for guess, _, _ in turns
    ]
    assert found[0].bits == pytest.approx(log2(1296 / 256))
    first = [format_code(found[0].best_guesses.figures_of(criterion).guess) for criterion in CRITERIA]
    firsts = {
        one["strategy"]: one["first"] for one in GOLDEN["totals"] if one["rules"] == "4x6" and "guesses" not in one
    }
    assert first == [firsts[criterion.name] for criterion in CRITERIA]
    assert [turn.chance for turn in found[1:3]] == [1, 1]
    assert all(turn.chance == 1 for turn in found[:-1] if turn.candidates_after == turn.figures.largest_part)


@compiled
def test_regret_of_first_guess_within_strategy_loss():
    least = 5625  # K. Koyama and T. W. Lai, An optimal Mastermind strategy (1993)
    rows = [one for one in GOLDEN["totals"] if one["rules"] == "4x6"]
    solver, position = BoundedSolver(CLASSIC), Position(CLASSIC, (), LiveSets(), 0)
    found = {one["first"]: regret(position, row(one["first"]), solver) for one in rows}
    assert all(lost.kind == "exact" for lost in found.values())
    assert all(found[one["first"]].at_least <= Fraction(one["total"] - least, 1296) for one in rows)
    assert sorted(found, key=lambda first: found[first].at_least)[-1] == "1111"
    assert found["1111"].at_least > Fraction(1, 10)


@compiled
def test_regret_of_unsolved_classic_is_bounded():
    position = Position(CLASSIC, (), LiveSets(), budget=3 * 1296 * 1296)
    found = regret(position, row("1123"), BoundedSolver(CLASSIC, 0))
    walked = next(one["total"] for one in GOLDEN["totals"] if (one["rules"], one["strategy"]) == ("4x6", "most-parts"))
    count_bound = 1 + 2 * 13 + 3 * 13**2 + 4 * (1296 - 1 - 13 - 13**2)
    assert found.at_least == 0
    assert Fraction(walked - 5625, 1296) <= found.at_most < Fraction(walked - count_bound, 1296)


def unsolved(position, guess):
    """Return the regret when nothing can be solved."""
    return regret(position, guess, BoundedSolver(position.rules, 0))


def test_regret_skips_walk_over_budget():
    assert unsolved(Position(Rules(3, 3), (), LiveSets(), budget=3 * 27 * 27), (0, 0, 0)).at_most
    assert unsolved(Position(Rules(3, 3), (), LiveSets(), budget=3 * 27 * 27 - 1), (0, 0, 0)) is None


@pytest.mark.parametrize("error", [OverBudgetError, TooLargeError])
def test_regret_after_abandoned_search_keeps_bounds(error, monkeypatch):
    def abandon(*_):
        raise error

    position = Position(Rules(3, 3), (), LiveSets())
    bounds, exact = unsolved(position, (0, 0, 0)), regret(position, (0, 0, 0), BoundedSolver(position.rules))
    monkeypatch.setattr(LeastTotal, "total_after", abandon)
    halfway = regret(position, (0, 0, 0), BoundedSolver(position.rules))
    assert bounds.at_least <= halfway.at_least <= exact.at_least <= halfway.at_most <= bounds.at_most
    monkeypatch.setattr(LeastTotal, "total", abandon)
    assert regret(position, (0, 0, 0), BoundedSolver(position.rules)) == bounds


@settings(max_examples=share(60))
@given(games())
def test_split_bound_is_below_optimal_total(game):
    rules, history = game
    for turn, (guess, _) in enumerate(history):
        position = Position(rules, history[:turn], LiveSets())
        codes = tuple(column_code(position.candidates, place) for place in range(position.count))
        bound = SplitBound(position.candidates, position.all_codes)
        assert least_possible_total(len(codes), rules) <= bound.total() <= plain_total(rules, codes)
        assert bound.total() <= bound.total_after(guess) <= plain_after(rules, codes, guess)


@pytest.mark.parametrize("chunk", [1, 5])
def test_split_bound_is_independent_of_chunk(monkeypatch, chunk):
    position = Position(Rules(3, 3), (Turn((0, 0, 1), Feedback(1, 0)),), LiveSets())
    whole = SplitBound(position.candidates, position.all_codes).total()
    monkeypatch.setattr("evilpegs_game.analysis.regret._CHUNK", chunk)
    assert SplitBound(position.candidates, position.all_codes).total() == whole


class KnownTotal(BoundedSolver):
    """Knows a total of one guess per code and nothing else."""

    def total(self, position):
        return position.count

    def total_after(self, position, guess):
        return None


@pytest.mark.parametrize(
    ("live_sets", "budget"),
    [(LiveSets(LiveSets.bytes_needed(Rules(3, 3)) - 1, enumerated_codes=0), None), (LiveSets(), 27 * 27 - 1)],
    ids=["codes over memory", "look-ahead over budget"],
)
def test_regret_uses_count_bound_without_look_ahead(live_sets, budget):
    found = regret(Position(Rules(3, 3), (), live_sets, budget), (0, 0, 0), KnownTotal(Rules(3, 3)))
    after = 27 + sum(least_possible_total(size, Rules(3, 3)) for size in (8, 12, 6))
    assert found.at_least == Fraction(after - 27, 27)


def test_regret_without_walk_has_only_lower_bound():
    class TotalOnly(BoundedSolver):
        def total_after(self, position, guess):
            return None

    look_ahead = 64 * 64  # a walk takes three times as much
    found = regret(Position(Rules(3, 4), (), LiveSets(), look_ahead), (0, 0, 0), TotalOnly(Rules(3, 4)))
    assert (found.kind, found.at_most) == ("at least", None)


def test_analyze_omits_optimal_guess_not_found():
    class NoBest(BoundedSolver):
        def best_guess(self, position):
            return None

    turn = Turn((0, 0), Feedback(0, 0))
    found = analyze_turn(Position(Rules(2, 3)), turn, NoBest(Rules(2, 3)), Effort().counted_codes)
    assert (found.regret.kind, found.optimal_guess) == ("exact", None)


def test_bounded_solver_skips_too_large_rules():
    rules = Rules(10, 12)
    solver, position = BoundedSolver(rules), Position(rules, (), LiveSets())
    assert (solver.total(position), solver.best_guess(position)) == (None, None)
    assert solver.total_after(position, (0,) * 10) is None


def test_bounded_solver_skips_hopeless_search():
    position = Position(Rules(2, 3), (), LiveSets())
    assert BoundedSolver(Rules(2, 3), 9 * 9).total(position) is None
    assert BoundedSolver(Rules(2, 3), 10**6).total(position) == plain_total(
        Rules(2, 3), tuple(plain_codes(Rules(2, 3)))
    )


@pytest.mark.parametrize(
    ("bounds", "kind"),
    [((1, 1), "exact"), ((0, 0), "exact"), ((1, 2), "between"), ((0, 2), "at most"), ((1, None), "at least")],
)
def test_regret_kind(bounds, kind):
    assert Regret(*(None if bound is None else Fraction(bound) for bound in bounds)).kind == kind


def test_regret_skips_walk_over_memory():
    assert heuristic_bytes(Rules(8, 10), threads=1) > MAX_BYTES
    assert unsolved(Position(Rules(8, 10), (), LiveSets()), (0,) * 8) is None


def test_regret_walks_candidates_when_codes_exceed_budget():
    rules, budget = Rules(2, 5), 3 * 9 * 9
    position = Position(rules, (Turn((0, 0), Feedback(0, 0)), Turn((1, 1), Feedback(0, 0))), LiveSets(), budget)
    assert position.count == 9
    codes = tuple(plain_codes(Rules(2, 3)))
    exact = Fraction(plain_after(Rules(2, 3), codes, (0, 1)) - plain_total(Rules(2, 3), codes), 9)
    found = unsolved(position, (2, 3))
    assert found.at_least <= exact <= found.at_most < 1
    assert unsolved(Position(rules, position.history, LiveSets(), budget - 1), (2, 3)) is None


def test_analyze_without_budget_reports_parts():
    rules = Rules(3, 3)
    history = (Turn((0, 0, 1), Feedback(1, 1)), Turn((0, 1, 2), Feedback(0, 3)))
    found = analyze(rules, history, Effort(feedback_budget=0, solver_budget=0))
    plain = partition_counts((0, 0, 1), plain_codes(rules))
    assert (found[0].candidates_before, found[0].candidates_after) == (27, plain[Feedback(1, 1)])
    assert found[0].figures.part_count == len(plain)
    assert (found[0].best_guesses, found[0].regret, found[0].optimal_guess) == (None, None, None)


def test_analyze_counts_first_turns_of_large_rules():
    guesses = [(0, 0, 1), (0, 1, 2), (2, 1, 0), (2, 2, 2)]
    history = tuple(Turn(guess, feedback(guess, (1, 0, 2))) for guess in guesses)
    *counted, last = analyze(Rules(3, 3), history, NOTHING)
    assert counted[0].candidates_before == 27
    assert all(turn.candidates_after == following.candidates_before for turn, following in pairwise(counted))
    assert (last.candidates_before, last.candidates_after, last.bits, last.is_candidate) == (None, None, None, None)
    assert last.feedback == history[-1].feedback


def test_best_guesses_over_budget_among_candidates():
    eight = Position(Rules(3, 3), (Turn((0, 0, 0), Feedback(0, 0)),), LiveSets(), budget=26)
    assert best_guesses(eight) is None
    four = Position(Rules(3, 3), (Turn((0, 0, 1), Feedback(0, 1)),), LiveSets(), budget=26)
    assert best_guesses(four).among == "candidates"
    assert all(figures.is_candidate for _, figures in best_guesses(four).guesses)


@settings(max_examples=share(20))
@given(games())
def test_analyze_is_same_for_counted_codes(game):
    rules, history = game
    enumerated = analyze(rules, history)
    assert analyze_games(rules, [history], Effort(), live_sets=LiveSets(enumerated_codes=0)) == (enumerated,)


def test_analyze_after_contradiction_reports_nothing():
    history = (Turn((0, 0), Feedback(2, 0)), Turn((1, 1), Feedback(1, 0)), Turn((1, 0), Feedback(1, 0)))
    first, second, third = analyze(Rules(2, 3), history)
    assert (first.candidates_before, first.candidates_after) == (9, 1)
    assert (second.candidates_before, second.candidates_after, second.chance, second.bits) == (1, 0, None, None)
    assert (third.candidates_before, third.figures, third.best_guesses, third.regret) == (None,) * 4


def test_analyze_uncountable_rules_reports_nothing():
    _, found = analyze(Rules(16, 34), uncountable_turns(), THOROUGH)
    assert (found.candidates_before, found.figures) == (None, None)


def test_figure_of_each_criterion():
    figures = guess_figures(Position(Rules(2, 2), (), LiveSets()), (0, 0))
    assert CRITERIA[LEXICOGRAPHIC](figures) == (2, 1, 1)
    assert CRITERIA[EXPECTED_SIZE](figures) == Fraction(6, 4)
    assert CRITERIA[ENTROPY](figures) == 1.5
    assert (CRITERIA[MINIMAX](figures), CRITERIA[MOST_PARTS](figures)) == (2, 3)
