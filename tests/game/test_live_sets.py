"""Counted or enumerated, listed or not, shared or computed anew: the answers are the same."""

from itertools import permutations, product
from random import Random

import numba
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game import live_sets
from evilpegs_game.candidates import LiveSets, Position
from evilpegs_game.codemaker import Evil
from evilpegs_game.codes import column_code
from evilpegs_game.errors import ContradictionError, TooLargeError
from evilpegs_game.feedback import Feedback, feedback
from evilpegs_game.partition import partition_counts
from evilpegs_game.rules import Rules

SMALL = [Rules(4, 5), Rules(5, 3), Rules(3, 6), Rules(4, 6, repeats=False), Rules(3, 9, repeats=False)]
HUGE = Rules(10, 12)


def every_code(rules):
    colors = range(rules.colors)
    return list(product(colors, repeat=rules.pegs) if rules.repeats else permutations(colors, rules.pegs))


def counted(listed_at, **bounds):
    """Live sets that count small rules too and list the candidates once at most ``listed_at`` are left."""
    return LiveSets(enumerated_codes=1, listed_at=lambda rules: listed_at, **bounds)


@settings(max_examples=10 if numba.config.DISABLE_JIT else 40)
@given(st.data())
def test_the_switch_from_counting_to_listing_cannot_be_seen(data):
    rules = data.draw(st.sampled_from(SMALL))
    live = every_code(rules)
    guesses = data.draw(st.lists(st.sampled_from(live), min_size=1, max_size=5))
    listed_at = data.draw(st.sampled_from([0, 5, 40, 10_000]))
    max_bytes = data.draw(st.sampled_from([1 << 15, 1 << 20, 1 << 25]))
    position = Position(rules, (), counted(listed_at, max_bytes=max_bytes))
    for guess in guesses:
        assert position.parts(guess) == partition_counts(guess, live)
        assert position.count == len(live)
        assert position.first_candidate == live[0]
        assert set(position.sample(Random(1), 3)) <= set(live)
        given_ = Evil().reply(position, guess)
        live = [code for code in live if feedback(guess, code) == given_]
        position = position.after(guess, given_)
    columns = Position(rules, position.history, counted(listed_at)).candidates
    assert [column_code(columns, place) for place in range(columns.shape[1])] == live


def test_one_opening_in_other_colors_on_other_pegs_is_computed_once(monkeypatch):
    asked = []
    count = live_sets.count_parts
    monkeypatch.setattr(live_sets, "count_parts", lambda *args: asked.append(args) or count(*args))
    rules, sets, rng = Rules(4, 6), counted(0), Random(4)
    answers = set()
    for _ in range(20):
        colors, pegs = rng.sample(range(6), 6), rng.sample(range(4), 4)
        first, second = (tuple(colors[code[peg]] for peg in pegs) for code in [(0, 0, 1, 2), (0, 3, 1, 1)])
        answers.add(sets.part_sizes(rules, ((first, Feedback(1, 1)),), second))
    assert len(answers) == 1
    assert len(asked) == 1
    assert sets.state.hits >= 19


def test_what_was_dropped_is_computed_again():
    sets, rules = counted(0, max_bytes=1 << 14), Rules(4, 6)
    first = sets.part_sizes(rules, (), (0, 0, 1, 1))
    for guess in every_code(rules)[:200]:
        sets.part_sizes(rules, ((guess, Feedback(0, 0)),), (5, 4, 5, 4))
    assert sets.state.bytes_used <= 1 << 11
    assert sets.part_sizes(rules, (), (0, 0, 1, 1)) == first


def test_a_game_of_few_pegs_is_counted_to_its_last_candidate(monkeypatch):
    rules, listings = Rules(4, 6), []
    assert not live_sets.listed_at(Rules(7, 10))
    assert live_sets.listed_at(Rules(8, 10))
    monkeypatch.setattr(live_sets, "Atlas", lambda *args: listings.append(args))
    position = Position(rules, (), counted(live_sets.listed_at(rules)))
    while position.count > 1:
        guess = position.first_candidate
        position = position.after(guess, Evil().reply(position, guess))
    assert position.parts(position.first_candidate) == {Feedback(4, 0): 1}
    assert not listings


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")
def test_a_huge_game_knows_its_count_its_first_candidate_and_samples():
    position = Position(HUGE, (), LiveSets())
    for guess in [(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), (0, 0, 1, 1, 2, 2, 3, 3, 10, 11)]:
        before, given_ = position.parts(guess), Evil().reply(position, guess)
        assert sum(before.values()) == position.count
        position = position.after(guess, given_)
        assert position.count == before[given_]
    first = position.first_candidate
    assert position.is_candidate(first)
    assert all(position.is_candidate(code) and code >= first for code in position.sample(Random(3), 20))
    with pytest.raises(TooLargeError, match="bytes to list"):
        _ = position.candidates


def test_errors_say_which_turns_clash():
    history = (((0, 0, 0), Feedback(3, 0)), ((1, 1, 1), Feedback(3, 0)))
    with pytest.raises(ContradictionError, match="turns 1 to 2"):
        counted(0).count(Rules(3, 4), history)


def test_games_that_cannot_be_counted_do_not_fit():
    assert LiveSets().fits(HUGE)
    assert not LiveSets().fits(Rules(16, 34))
    assert not LiveSets(count_bytes=1 << 16).fits(HUGE)
    assert not LiveSets(max_bytes=1 << 12).fits(Rules(4, 6))


def test_a_turn_repeated_word_for_word_asks_nothing_of_itself():
    guess = (0, 0, 1, 2)
    position = Position(Rules(4, 5), ((guess, Feedback(1, 1)), (guess, Feedback(1, 1))), counted(0))
    assert position.parts(guess) == {Feedback(1, 1): position.count}
