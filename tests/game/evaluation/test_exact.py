from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codemakers.codemaker import Evil, Fixed
from evilpegs_game.codes import code_at
from evilpegs_game.errors import ContradictionError, IllegalCodeError, StuckError, TooLargeError
from evilpegs_game.evaluation.exact import MAX_IDLE_TURNS, GuessCounts, distribution_from
from evilpegs_game.feedback import Feedback, Turn, all_black, feedback
from evilpegs_game.guessing.criteria import ENTROPY, MINIMAX
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from support.examples import share
from support.messages import values_in
from support.uncountable import uncountable_turns
from support.walks import duel, evaluate

SMALL = [Rules(1, 1), Rules(1, 5), Rules(2, 3), Rules(3, 2), Rules(3, 3), Rules(2, 4), Rules(3, 4, repeats=False)]


def minimax(position):
    return best_guess(position, MINIMAX)


def first_candidate(position):
    return position.first_candidate


@settings(max_examples=share(25))
@given(st.sampled_from(SMALL), st.sampled_from([minimax, first_candidate]), st.integers(0, 10**6))
def test_evaluate_matches_playing_every_secret(rules, choose, pick):
    first = code_at(pick % rules.size, rules)
    played = [len(duel(choose, Fixed(code_at(index, rules)), rules, first)) for index in range(rules.size)]
    result = evaluate(choose, rules, first)
    assert result.total == sum(played)
    assert result.max == max(played)
    assert result.count == len(played) == rules.size
    assert result.distribution == tuple(played.count(turns) for turns in range(1, max(played) + 1))


@settings(max_examples=share(25))
@given(st.sampled_from(SMALL), st.sampled_from([minimax, first_candidate]), st.lists(st.integers(0, 10**6), max_size=3))
def test_distribution_from_matches_playing_candidates(rules, choose, picks):
    position = Position(rules, (), LiveSets())
    for pick in picks:
        guess = code_at(pick % rules.size, rules)
        position = position.after(guess, sorted(position.parts(guess))[pick % len(position.parts(guess))])
    played = Counter()
    for index in range(position.count):
        later, secret = position, position.candidate(index)
        while (guess := choose(later)) != secret:
            later = later.after(guess, feedback(guess, secret))
        played[later.turn - position.turn] += 1
    distribution = distribution_from(choose, rules, position.history)
    assert distribution == tuple(played[turn] for turn in range(max(played) + 1))


@settings(max_examples=share(25))
@given(st.sampled_from(SMALL), st.sampled_from([minimax, first_candidate]), st.integers(0, 10**6))
def test_distribution_from_parts_sum_to_whole(rules, choose, pick):
    first = code_at(pick % rules.size, rules)
    solved = Counter()
    for given_, size in Position(rules, (), LiveSets()).parts(first).items():
        if given_ == all_black(rules.pegs):
            solved[1] += 1
            continue
        part = distribution_from(choose, rules, (Turn(first, given_),))
        assert sum(part) == size
        solved.update(dict(enumerate(part, 2)))
    assert evaluate(choose, rules, first).distribution == tuple(solved[turn] for turn in range(1, max(solved) + 1))


def test_distribution_from_takes_first_guess():
    history = (Turn((0, 0, 1), Feedback(1, 1)),)
    position = Position(Rules(3, 3), history, LiveSets())
    assert position.is_candidate((0, 1, 2))
    assert distribution_from(first_candidate, Rules(3, 3), history, first=(0, 1, 2))[0] == 1
    assert distribution_from(first_candidate, Rules(3, 3), history, first=(2, 2, 2))[0] == 0
    with pytest.raises(IllegalCodeError):
        distribution_from(first_candidate, Rules(3, 3), history, first=(0, 1, 3))


def test_distribution_from_refuses_contradiction():
    with pytest.raises(ContradictionError):
        distribution_from(first_candidate, Rules(3, 3), (Turn((0, 0, 0), Feedback(0, 3)),))


def test_distribution_from_counts_earlier_idle_turns():
    def stuck(_):
        return (0, 0, 0)

    idle = (Turn((0, 0, 0), Feedback(1, 0)), *(Turn((0, 0, 0), Feedback(1, 0)) for _ in range(5)))
    with pytest.raises(StuckError) as caught:
        distribution_from(stuck, Rules(3, 3), idle)
    assert {"3x3", str(MAX_IDLE_TURNS + 2), str(MAX_IDLE_TURNS + 1)} <= values_in(caught.value)


def test_evaluation_totals_follow_from_distribution():
    result = GuessCounts(Rules(3, 3), (1, 7, 17, 2))
    assert (result.count, result.total, result.max) == (27, 74, 4)
    assert result.exact_mean == Fraction(74, 27)
    assert result.mean == pytest.approx(2.7407, abs=1e-4)


def test_evaluate_reports_first_guess():
    assert evaluate(minimax, Rules(3, 3)).first == (0, 0, 1)
    assert evaluate(minimax, Rules(3, 3), first=(2, 2, 2)).first == (2, 2, 2)


def test_evaluate_refuses_illegal_first_guess():
    with pytest.raises(IllegalCodeError):
        evaluate(minimax, Rules(3, 3), first=(0, 0))
    with pytest.raises(IllegalCodeError):
        duel(minimax, Evil(), Rules(3, 3), first=(0, 0, 3))


def test_evaluate_progress_counts_codes():
    seen = []
    evaluate(minimax, Rules(3, 3), progress=seen.append)
    assert seen == list(range(1, 28))


def test_evaluate_stops_repeating_strategy():
    with pytest.raises(StuckError, match=str(MAX_IDLE_TURNS + 1)):
        evaluate(lambda position: (0, 0, 0), Rules(3, 3))
    with pytest.raises(StuckError, match=str(MAX_IDLE_TURNS + 1)):
        duel(lambda position: (0, 0, 0), Evil(), Rules(3, 3))


def test_evaluate_allows_dawdling_strategy():
    def dawdle(position):
        return (0, 0) if position.turn < MAX_IDLE_TURNS else position.first_candidate

    assert evaluate(dawdle, Rules(2, 2)).count == 4


def test_evaluate_refuses_too_large_rules():
    with pytest.raises(TooLargeError, match=f"{LiveSets.bytes_needed(Rules(12, 14)):,}"):
        evaluate(first_candidate, Rules(12, 14))
    turns = uncountable_turns()
    with pytest.raises(TooLargeError, match="16x34"):
        duel(lambda position: turns[min(len(position.history), 1)].guess, Evil(), Rules(16, 34))


def test_duel_ends_with_all_black():
    turns = duel(minimax, Evil(), Rules(3, 3))
    assert turns[-1].feedback == (3, 0)
    assert turns[-1].candidates_left == 1
    position = Position(Rules(3, 3), (), LiveSets())
    for turn in turns:
        position = position.after(turn.guess, turn.feedback)
        assert position.count == turn.candidates_left


def test_evaluate_strategy_limited_to_candidates():
    assert evaluate(lambda position: best_guess(position, ENTROPY, candidates_only=True), Rules(3, 3)).count == 27
