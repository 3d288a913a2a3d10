import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, code_at, column_code
from evilpegs_game.errors import ContradictionError, MalformedError, TooLargeError
from evilpegs_game.feedback import Feedback, Turn, feedback
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

CLASSIC = Rules(4, 6)
SAME_SIZE = [Feedback(0, 0), Feedback(0, 1), Feedback(1, 0)]
"""The feedbacks after which 1122 leaves 256 codes of 4x6."""
SMALL = st.sampled_from([Rules(2, 4), Rules(3, 3), Rules(4, 3), Rules(3, 5, repeats=False), Rules(1, 7)])


def history_of(rules, secret, guesses):
    return tuple(Turn(guess, feedback(guess, secret)) for guess in guesses)


@st.composite
def games(draw):
    rules = draw(SMALL)
    codes = st.integers(0, rules.size - 1).map(lambda index: code_at(index, rules))
    return rules, history_of(rules, draw(codes), draw(st.lists(codes, max_size=4)))


def plain(columns):
    return [column_code(columns, place) for place in range(columns.shape[1])]


@settings(deadline=None)
@given(games(), st.integers(0, 10**9))
def test_position_part_sizes_with_and_without_candidates(played, number):
    rules, history = played
    guess, position = code_at(number % rules.size, rules), Position(rules, history, LiveSets())
    unseen = position.part_sizes(guess)
    assert sum(unseen) == position.candidates.shape[1]
    assert position.part_sizes(guess) == unseen


def test_position_part_sizes_refuse_contradiction():
    history = (Turn((0, 0), Feedback(2, 0)), Turn((1, 1), Feedback(2, 0)))
    with pytest.raises(ContradictionError) as caught:
        Position(Rules(2, 4), history, LiveSets()).part_sizes((0, 1))
    assert caught.value.turn == 2


@settings(deadline=None)
@given(st.lists(games(), min_size=1, max_size=6))
def test_live_sets_equal_under_tiny_memory(played):
    large = LiveSets()
    tiny = LiveSets(max_bytes=max(LiveSets.bytes_needed(rules) for rules, _ in played))
    for rules, history in played:
        expected = [
            code
            for code in plain(all_codes(rules))
            if all(feedback(guess, code) == given_ for guess, given_ in history)
        ]
        assert plain(large.get(rules, history)) == expected
        assert plain(tiny.get(rules, history)) == expected
        assert tiny.bytes_used <= LiveSets.bytes_needed(rules) + 5 * 4096


@settings(deadline=None)
@given(games())
def test_position_matches_enumeration(game):
    rules, history = game
    position = Position(rules, history, LiveSets())
    everything = plain(all_codes(rules))
    candidates = [code for code in everything if position.is_candidate(code)]
    assert plain(position.candidates) == candidates
    assert position.count == len(candidates)
    assert position.first_candidate == candidates[0]
    assert position.candidate(len(candidates) - 1) == candidates[-1]
    guess = everything[len(everything) // 2]
    parts = position.parts(guess)
    assert sum(parts.values()) == sum(position.part_sizes(guess)) == position.count
    assert list(parts) == sorted(parts)
    assert all(size > 0 for size in parts.values())
    for given_, child in position.split(guess).items():
        alone = position.after(guess, given_)
        assert child.history == alone.history == (*history, (guess, given_))
        assert plain(child.candidates) == plain(alone.candidates)
        assert child.count == parts[given_]


def test_position_returns_plain_integers():
    position = Position(CLASSIC, (), LiveSets())
    sizes = position.part_sizes((0, 0, 1, 1))
    assert type(position.count) is int
    assert {type(size) for size in sizes} == {int}
    assert {type(color) for color in position.first_candidate} == {int}


def test_position_after_keeps_budget_and_counts_turns():
    position = Position(CLASSIC, (), LiveSets(), budget=7)
    after = position.after((0, 0, 1, 1), Feedback(0, 0))
    assert (position.turn, after.turn, after.budget) == (1, 2, 7)
    assert repr(after) == "Position('4x6', ['1122:0,0'], budget=7)"
    assert eval(repr(after), {"Position": Position}) == after


def test_position_after_all_black_has_one_candidate():
    position = Position(CLASSIC, (), LiveSets()).after((0, 1, 2, 3), Feedback(4, 0))
    assert plain(position.candidates) == [(0, 1, 2, 3)]


def test_position_contradiction_names_turn():
    contradictory = (Turn((0, 0, 0, 0), Feedback(4, 0)), Turn((1, 1, 1, 1), Feedback(4, 0)))
    for history in (contradictory, (*contradictory, Turn((2, 2, 2, 2), Feedback(0, 0)))):
        position = Position(CLASSIC, history, LiveSets())
        with pytest.raises(ContradictionError) as caught:
            _ = position.count
        assert caught.value.turn == 2


def test_position_refuses_impossible_feedback():
    with pytest.raises(MalformedError, match="0,5"):
        Position(CLASSIC, [((0, 0, 0, 0), (0, 5))], LiveSets())
    with pytest.raises(MalformedError, match="5,0"):
        Position(CLASSIC).after("1122", Feedback(5, 0))


def test_position_is_a_value():
    position = Position("4x6", ["1122:1,0", ("1344", "0,2"), Turn((0, 0, 2, 2), Feedback(1, 1))], LiveSets(), budget=9)
    others = [Position("4x6"), Position("4x6", ["1122:1,0"]), Position("4x6", position.history), "4x6"]
    for twin in (pickle.loads(pickle.dumps(position)), copy.copy(position), copy.deepcopy(position)):
        assert (twin, hash(twin), repr(twin), twin.count) == (position, hash(position), repr(position), position.count)
    assert position not in others
    assert len({position, *others}) == len(others) + 1


@pytest.mark.parametrize("name", ["rules", "history", "budget", "turn", "candidates", "other"])
def test_position_is_not_changed_by_assignment(name):
    position = Position("4x6", ["1122:1,0"])
    with pytest.raises(AttributeError):
        setattr(position, name, getattr(Position("4x6"), name, None))
    with pytest.raises(AttributeError):
        delattr(position, name)
    assert (position, position.count) == (Position("4x6", ["1122:1,0"]), 256)


def test_position_repr_stays_short():
    turns = [f"{code:04}:0,0" for code in range(1111, 1151)]
    assert len(repr(Position("4x10", turns))) < 250


@pytest.mark.parametrize("rules", [Rules(8, 10), Rules(12, 14), Rules(16, 34)], ids=str)
def test_live_sets_refuse_codes_over_memory(rules):
    live_sets = LiveSets()
    with pytest.raises(TooLargeError, match=f"{LiveSets.bytes_needed(rules):,}") as caught:
        live_sets.get(rules, ())
    assert caught.value.needed == LiveSets.bytes_needed(rules) > caught.value.bound
    assert live_sets.bytes_used == 0


def test_live_sets_share_read_only_codes():
    live_sets = LiveSets()
    first, second = Position(CLASSIC, (), live_sets), Position(CLASSIC, (), live_sets)
    assert first.candidates is second.candidates is first.all_codes
    assert not first.candidates.flags.writeable


def test_live_sets_share_equal_histories():
    live_sets = LiveSets()
    history = (Turn((0, 0, 1, 1), Feedback(1, 0)),)
    assert live_sets.get(CLASSIC, history) is live_sets.get(CLASSIC, (Turn(*history[0]),))


def test_live_sets_drop_least_recently_used():
    one, two, three = ((Turn((0, 0, 1, 1), given_),) for given_ in SAME_SIZE)
    live_sets = LiveSets(max_bytes=LiveSets.bytes_needed(CLASSIC) + 2 * 2048)
    kept, dropped = live_sets.get(CLASSIC, one), live_sets.get(CLASSIC, two)
    live_sets.get(CLASSIC, one)
    live_sets.get(CLASSIC, three)
    assert live_sets.get(CLASSIC, one) is kept
    again = live_sets.get(CLASSIC, two)
    assert again is not dropped
    assert plain(again) == plain(dropped)


def test_live_sets_agree_across_threads():
    live_sets = LiveSets(max_bytes=LiveSets.bytes_needed(CLASSIC) + 8000)
    histories = [history_of(CLASSIC, (5, 4, 3, 2), [code_at(index, CLASSIC)]) for index in range(40)]
    with ThreadPoolExecutor(4) as pool:
        sizes = list(pool.map(lambda history: live_sets.get(CLASSIC, history).shape[1], histories * 5))
    assert sizes[:40] * 5 == sizes
