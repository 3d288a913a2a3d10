import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.candidates import LiveSets, Position
from evilpegs_game.codemaker import Evil, Fixed, largest_parts, witness
from evilpegs_game.codes import code_at
from evilpegs_game.feedback import Feedback, all_black, feedback
from evilpegs_game.rules import Rules

CLASSIC = Rules(4, 6)


def start(rules):
    return Position(rules, (), LiveSets())


def test_fixed_tells_the_truth_and_keeps_its_secret():
    codemaker = Fixed((0, 1, 2, 3))
    assert codemaker.reply(start(CLASSIC), (0, 0, 1, 1)) == Feedback(1, 1)
    assert repr(codemaker) == "Fixed()"


def test_evil_takes_the_largest_part():
    assert Evil().reply(start(CLASSIC), (0, 0, 0, 0)) == Feedback(0, 0)


def test_ties_go_to_fewest_blacks_then_fewest_whites():
    tied = (Feedback(0, 0), Feedback(0, 1), Feedback(1, 0))  # 256 codes each
    assert largest_parts(start(CLASSIC), (0, 0, 1, 1)) == tied
    assert Evil().reply(start(CLASSIC), (0, 0, 1, 1)) == tied[0]


@pytest.mark.parametrize("index", range(3))
def test_a_tie_break_is_asked_with_the_turn_and_the_number_of_parts(index):
    asked = []

    def tie_break(turn, count):
        asked.append((turn, count))
        return index

    reply = Evil(tie_break).reply(start(CLASSIC), (0, 0, 1, 1))
    assert reply == largest_parts(start(CLASSIC), (0, 0, 1, 1))[index]
    assert asked == [(1, 3)]


def test_all_black_only_when_there_is_no_other():
    one_peg = start(Rules(1, 2))
    assert largest_parts(one_peg, (0,)) == (Feedback(0, 0),)
    left = one_peg.after((0,), Feedback(0, 0))
    assert largest_parts(left, (1,)) == (Feedback(1, 0),)
    assert largest_parts(left, (0,)) == (Feedback(0, 0),)


@settings(deadline=None)
@given(st.data())
def test_an_evil_game_never_contradicts_itself_and_has_a_witness(data):
    rules = data.draw(st.sampled_from([Rules(2, 4), Rules(3, 3), Rules(3, 5, repeats=False)]))
    codes = st.integers(0, rules.size - 1).map(lambda index: code_at(index, rules))
    position = start(rules)
    for guess in data.draw(st.lists(codes, max_size=5)):
        given_ = Evil().reply(position, guess)
        sizes = position.parts(guess)
        others = [size for one, size in sizes.items() if one != all_black(rules.pegs)]
        assert sizes[given_] == (max(others) if others else 1)
        position = position.after(guess, given_)
        if given_ == all_black(rules.pegs):
            break
    assert all(feedback(guess, witness(position)) == given_ for guess, given_ in position.history)
