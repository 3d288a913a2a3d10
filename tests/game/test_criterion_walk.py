import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.candidates import LiveSets, Position, Turn
from evilpegs_game.codes import code_at
from evilpegs_game.criteria import ENTROPY, EXPECTED_SIZE, LEXICOGRAPHIC, MINIMAX, MOST_PARTS
from evilpegs_game.criterion_walk import walk
from evilpegs_game.errors import ContradictionError, IllegalCodeError, TooLargeError
from evilpegs_game.evaluation import evaluate
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.rules import Rules
from evilpegs_game.selection import best_guess

CRITERIA = [MINIMAX, LEXICOGRAPHIC, EXPECTED_SIZE, ENTROPY, MOST_PARTS]
SMALL = [Rules(2, 4), Rules(3, 3), Rules(4, 2), Rules(3, 4, repeats=False), Rules(1, 7), Rules(2, 5), Rules(1, 1)]


def plain_walk(rules, criterion, history, first, candidates_only):
    """How many candidates each number of further guesses solves, played one after another."""
    solved = {}
    live = Position(rules, history, LiveSets())
    for index in range(live.count):
        secret, position = live.candidate(index), live
        guess = first or best_guess(position, criterion, candidates_only)
        turns = 1
        while guess != secret:
            position = position.after(guess, feedback(guess, secret))
            guess = best_guess(position, criterion, candidates_only)
            turns += 1
        solved[turns] = solved.get(turns, 0) + 1
    return tuple(solved.get(turn, 0) for turn in range(1, max(solved) + 1))


@st.composite
def games(draw):
    """Rules, a history that some secret agrees with, and a first guess or none."""
    rules = draw(st.sampled_from(SMALL))
    codes = st.integers(0, rules.size - 1).map(lambda index: code_at(index, rules))
    secret, guesses = draw(codes), draw(st.lists(codes, max_size=2))
    return rules, tuple(Turn(guess, feedback(guess, secret)) for guess in guesses), draw(st.none() | codes)


@pytest.mark.parametrize("candidates_only", [False, True])
@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: criterion.name)
@settings(deadline=None, max_examples=15)
@given(game=games())
def test_distributions_are_those_of_playing_every_secret(criterion, candidates_only, game):
    rules, history, first = game
    expected = plain_walk(rules, criterion, history, first, candidates_only)
    told = []
    assert walk(rules, criterion, history, first, candidates_only, progress=told.append) == expected
    assert sum(told) == sum(expected)
    assert walk(rules, criterion, history, first, candidates_only, threads=2) == expected


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: criterion.name)
def test_the_walk_is_that_of_the_strategy(criterion):
    def choose(position):
        return best_guess(position, criterion)

    assert walk(Rules(3, 4), criterion) == evaluate(choose, Rules(3, 4)).distribution


def test_what_does_not_fit_is_refused_with_the_number():
    with pytest.raises(TooLargeError, match=r"walking 10x12 takes [\d,]+ bytes; the bound is 2,147,483,648"):
        walk(Rules(10, 12), MINIMAX)


def test_a_first_guess_is_a_code_of_the_rules():
    with pytest.raises(IllegalCodeError, match="has a color that 2x3 lacks"):
        walk(Rules(2, 3), MINIMAX, first=(0, 3))


def test_a_history_that_contradicts_itself_is_refused():
    history = (Turn((0, 0), Feedback(2, 0)), Turn((0, 0), Feedback(0, 0)))
    with pytest.raises(ContradictionError):
        walk(Rules(2, 3), MINIMAX, history)
