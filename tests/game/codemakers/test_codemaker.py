import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codemakers.codemaker import Evil, Fixed, evil_replies
from evilpegs_game.codes import code_at
from evilpegs_game.feedback import Feedback, all_black, feedback
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

CLASSIC = Rules(4, 6)


def start(rules):
    return Position(rules, (), LiveSets())


def test_fixed_answers_truthfully_and_hides_secret():
    codemaker = Fixed((0, 1, 2, 3))
    assert codemaker.reply(start(CLASSIC), (0, 0, 1, 1)) == Feedback(1, 1)
    assert not any(digit in repr(codemaker) for digit in "0123")


def test_evil_takes_largest_part():
    assert Evil().reply(start(CLASSIC), (0, 0, 0, 0)) == Feedback(0, 0)


def test_evil_breaks_ties_in_feedback_order():
    tied = (Feedback(0, 0), Feedback(0, 1), Feedback(1, 0))  # 256 codes each
    assert evil_replies(start(CLASSIC), (0, 0, 1, 1)) == tied
    assert Evil().reply(start(CLASSIC), (0, 0, 1, 1)) == tied[0]


@pytest.mark.parametrize("index", range(3))
def test_evil_tie_break_gets_turn_and_count(index):
    calls = []

    def tie_break(turn, count):
        calls.append((turn, count))
        return index

    reply = Evil(tie_break).reply(start(CLASSIC), (0, 0, 1, 1))
    assert reply == evil_replies(start(CLASSIC), (0, 0, 1, 1))[index]
    assert calls == [(1, 3)]


def test_largest_parts_avoid_all_black():
    one_peg = start(Rules(1, 2))
    assert evil_replies(one_peg, (0,)) == (Feedback(0, 0),)
    left = one_peg.after((0,), Feedback(0, 0))
    assert evil_replies(left, (1,)) == (Feedback(1, 0),)
    assert evil_replies(left, (0,)) == (Feedback(0, 0),)


@settings(deadline=None)
@given(st.data())
def test_evil_game_stays_consistent_with_witness(data):
    rules = data.draw(st.sampled_from([Rules(2, 4), Rules(3, 3), Rules(3, 5, repeats=False)]))
    codes = st.integers(0, rules.size - 1).map(lambda index: code_at(index, rules))
    position = start(rules)
    for guess in data.draw(st.lists(codes, max_size=5)):
        reply = Evil().reply(position, guess)
        sizes = position.parts(guess)
        others = [size for one, size in sizes.items() if one != all_black(rules.pegs)]
        assert sizes[reply] == (max(others) if others else 1)
        position = position.after(guess, reply)
        if reply == all_black(rules.pegs):
            break
    assert all(feedback(guess, position.first_candidate) == reply for guess, reply in position.history)
