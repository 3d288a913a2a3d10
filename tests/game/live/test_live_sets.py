"""Live sets give the same answers whether they are enumerated, counted, listed, shared or computed again."""

from itertools import permutations, product
from random import Random

import numba
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codemakers.codemaker import Evil
from evilpegs_game.codes import column_code
from evilpegs_game.counting.solution_tables import LIST_BYTES
from evilpegs_game.errors import ContradictionError, TooLargeError
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.live.live_sets import LiveSets, max_listed_codes
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from support.examples import share
from support.plain_partition import partition_counts

SMALL = [Rules(4, 5), Rules(5, 3), Rules(3, 6), Rules(4, 6, repeats=False), Rules(3, 9, repeats=False)]
HUGE = Rules(10, 12)


def every_code(rules):
    colors = range(rules.colors)
    return list(product(colors, repeat=rules.pegs) if rules.repeats else permutations(colors, rules.pegs))


def counted(most_listed, **bounds):
    """Return live sets that count small rules too and list the candidates once at most ``most_listed`` are left."""
    return LiveSets(enumerated_codes=1, max_listed_codes=lambda rules: most_listed, **bounds)


@settings(max_examples=share(40))
@given(st.data())
def test_live_sets_counted_or_listed_give_same_answers(data):
    rules = data.draw(st.sampled_from(SMALL))
    live = every_code(rules)
    guesses = data.draw(st.lists(st.sampled_from(live), min_size=1, max_size=5))
    most_listed = data.draw(st.sampled_from([0, 5, 40, 10_000]))
    max_bytes = data.draw(st.sampled_from([1 << 15, 1 << 20, 1 << 25]))
    position = Position(rules, (), counted(most_listed, max_bytes=max_bytes))
    for guess in guesses:
        assert position.parts(guess) == partition_counts(guess, live)
        assert position.count == len(live)
        assert position.first_candidate == live[0]
        assert set(position.sample(Random(1), 3)) <= set(live)
        given_ = Evil().reply(position, guess)
        live = [code for code in live if feedback(guess, code) == given_]
        position = position.after(guess, given_)
    columns = Position(rules, position.history, counted(most_listed)).candidates
    assert [column_code(columns, place) for place in range(columns.shape[1])] == live


def test_live_sets_compute_images_of_opening_once():
    rules, sets, rng = Rules(4, 6), counted(0), Random(4)
    answers, work = set(), []
    for _ in range(20):
        colors, pegs = rng.sample(range(6), 6), rng.sample(range(4), 4)
        first, second = (tuple(colors[code[peg]] for peg in pegs) for code in [(0, 0, 1, 2), (0, 3, 1, 1)])
        answers.add(sets.part_sizes(rules, ((first, Feedback(1, 1)),), second))
        work.append(sets.take_work())
    assert len(answers) == 1
    assert work[0] > 0
    assert not any(work[1:])
    assert sets.state.hits >= 19


def test_live_sets_compute_dropped_sizes_again():
    sets, rules = counted(0, max_bytes=1 << 14), Rules(4, 6)
    first = sets.part_sizes(rules, (), (0, 0, 1, 1))
    for guess in every_code(rules)[:200]:
        sets.part_sizes(rules, ((guess, Feedback(0, 0)),), (5, 4, 5, 4))
    assert sets.state.bytes_used <= 1 << 11
    assert sets.part_sizes(rules, (), (0, 0, 1, 1)) == first


def test_live_sets_never_list_few_pegs():
    assert not max_listed_codes(Rules(7, 10))
    assert max_listed_codes(Rules(8, 10))
    sets = LiveSets(enumerated_codes=1)
    position = Position(Rules(4, 6), (), sets)
    while position.count > 1:
        guess = position.first_candidate
        position = position.after(guess, Evil().reply(position, guess))
    assert position.parts(position.first_candidate) == {Feedback(4, 0): 1}
    assert sets.bytes_used == 0  # nothing was listed


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
def test_live_sets_count_and_sample_huge_rules():
    position = Position(HUGE, (), LiveSets())
    for guess in [(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), (0, 0, 1, 1, 2, 2, 3, 3, 10, 11)]:
        before, given_ = position.parts(guess), Evil().reply(position, guess)
        assert sum(before.values()) == position.count
        position = position.after(guess, given_)
        assert position.count == before[given_]
    first = position.first_candidate
    assert position.is_candidate(first)
    assert all(position.is_candidate(code) and code >= first for code in position.sample(Random(3), 20))
    with pytest.raises(TooLargeError) as refused:
        _ = position.candidates
    assert refused.value.needed == position.count * (HUGE.pegs + LIST_BYTES)


def test_live_sets_contradiction_names_turn():
    history = (((0, 0, 0), Feedback(3, 0)), ((1, 1, 1), Feedback(3, 0)))
    with pytest.raises(ContradictionError, match=r"3x4.*\b1\b.*\b2\b") as refused:
        counted(0).count(Rules(3, 4), history)
    assert refused.value.turn == 2


def test_live_sets_count_repeated_turn_once():
    guess = (0, 0, 1, 2)
    position = Position(Rules(4, 5), ((guess, Feedback(1, 1)), (guess, Feedback(1, 1))), counted(0))
    assert position.parts(guess) == {Feedback(1, 1): position.count}
