import numba
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, code_at
from evilpegs_game.errors import ContradictionError, IllegalCodeError, TooLargeError
from evilpegs_game.evaluation.heuristic import MAX_BYTES, evaluate_heuristic, heuristic_bytes
from evilpegs_game.feedback import Feedback, Turn, feedback
from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, LEXICOGRAPHIC, MINIMAX, MOST_PARTS, TWO_PLY
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from support.examples import share
from support.messages import values_in
from support.walks import evaluate

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")

CRITERIA = [MINIMAX, LEXICOGRAPHIC, EXPECTED_SIZE, ENTROPY, MOST_PARTS, TWO_PLY]
SMALL = [Rules(2, 4), Rules(3, 3), Rules(4, 2), Rules(3, 4, repeats=False), Rules(1, 7), Rules(2, 5), Rules(1, 1)]


def plain_walk(rules, criterion, history, first, candidates_only):
    """Return how many candidates each number of further guesses solves, each of them played alone."""
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
    """Draw rules, a history that some secret agrees with, and a first guess or none."""
    rules = draw(st.sampled_from(SMALL))
    codes = st.integers(0, rules.size - 1).map(lambda index: code_at(index, rules))
    secret, guesses = draw(codes), draw(st.lists(codes, max_size=2))
    return rules, tuple(Turn(guess, feedback(guess, secret)) for guess in guesses), draw(st.none() | codes)


@pytest.mark.parametrize("candidates_only", [False, True])
@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: criterion.name)
@pytest.mark.parametrize("batch", [4096, 3, 1], ids=["one batch", "batches of 3", "batches of 1"])
@settings(max_examples=share(15))
@given(game=games())
def test_evaluate_heuristic_matches_playing_every_secret(batch, criterion, candidates_only, game):
    """Small batches lead small games through the code for large ones."""
    rules, history, first = game
    expected = plain_walk(rules, criterion, history, first, candidates_only)
    finished = []
    found = evaluate_heuristic(
        rules, criterion, history, first, candidates_only, progress=finished.append, batch_codes=batch
    )
    assert found == expected
    assert sum(finished) == sum(expected)
    assert (
        evaluate_heuristic(rules, criterion, history, first, candidates_only, threads=2, batch_codes=batch) == expected
    )


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: criterion.name)
def test_evaluate_heuristic_matches_strategy_evaluation(criterion):
    def choose(position):
        return best_guess(position, criterion)

    assert evaluate_heuristic(Rules(3, 4), criterion) == evaluate(choose, Rules(3, 4)).distribution


def test_evaluate_heuristic_refuses_memory_over_bound():
    rules = Rules(10, 12)
    with pytest.raises(TooLargeError) as caught:
        evaluate_heuristic(rules, MINIMAX)
    assert (caught.value.needed, caught.value.bound) == (heuristic_bytes(rules, 1), MAX_BYTES)
    assert {"10x12", f"{heuristic_bytes(rules, 1):,}", "2,147,483,648"} <= values_in(caught.value)


def test_evaluate_heuristic_refuses_illegal_first_guess():
    with pytest.raises(IllegalCodeError, match="'14'") as caught:
        evaluate_heuristic(Rules(2, 3), MINIMAX, first=(0, 3))
    assert caught.value.rule == "colors"
    assert "2x3" in values_in(caught.value)


def test_evaluate_heuristic_refuses_contradiction():
    history = (Turn((0, 0), Feedback(2, 0)), Turn((0, 0), Feedback(0, 0)))
    with pytest.raises(ContradictionError):
        evaluate_heuristic(Rules(2, 3), MINIMAX, history)


@compiled
@pytest.mark.parametrize("rules", [Rules(5, 6), Rules(4, 10, repeats=False), Rules(2, 34)], ids=str)
def test_evaluate_heuristic_is_independent_of_threads(rules):
    """Thousands of codes are enough for threads to search large live sets in chunks."""
    alone, together = (evaluate_heuristic(rules, ENTROPY, threads=threads) for threads in (1, 2))
    assert alone == together
    assert sum(alone) == rules.size


@compiled
def test_evaluate_heuristic_sixteen_pegs_matches_plain():
    rules, secret = Rules(16, 2), code_at(0b0110_1010_0101_1100, Rules(16, 2))
    guesses = [code_at(index, rules) for index in (0b0011_0101_0110_1001, 0b0101_1100_0011_1010, 0b0110_0110_0000_1111)]
    history = tuple(Turn(guess, feedback(guess, secret)) for guess in guesses)
    live = Position(rules, history, LiveSets()).count
    assert 64 < live < 1024
    assert evaluate_heuristic(rules, MINIMAX, history, candidates_only=True) == plain_walk(
        rules, MINIMAX, history, None, True
    )


def test_evaluate_heuristic_stops_on_progress_error():
    def listen(codes):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        evaluate_heuristic(Rules(3, 3), MINIMAX, threads=2, progress=listen, batch_codes=2)


@compiled
@pytest.mark.parametrize("rules", [Rules(5, 7), Rules(6, 5)], ids=str)
def test_evaluate_heuristic_stays_within_stated_memory(rules, peak_of):
    with peak_of(heuristic_bytes(rules, 2)) as measured:
        evaluate_heuristic(rules, MOST_PARTS, candidates_only=True, threads=2)
    assert measured.peak > all_codes(rules).nbytes


def test_heuristic_bytes_of_presets_fit():
    assert heuristic_bytes(Rules(6, 10), 8) < heuristic_bytes(Rules(7, 10), 2) < MAX_BYTES


@compiled
@pytest.mark.full
def test_first_guess_of_others_leads_to_their_total():
    """The total of minimax on 6x8 after 112234 is one that was computed elsewhere."""
    solved = evaluate_heuristic(Rules(6, 8), MINIMAX, first=(0, 0, 1, 1, 2, 3))
    assert sum(turn * codes for turn, codes in enumerate(solved, 1)) == 1_595_582
