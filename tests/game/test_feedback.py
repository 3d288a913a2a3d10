import re
from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.errors import MalformedError
from evilpegs_game.feedback import Feedback, all_black, feedback, feedback_number, feedbacks
from support.messages import values_in

PAIRS = st.integers(1, 16).flatmap(
    lambda pegs: st.tuples(*[st.lists(st.integers(0, 33), min_size=pegs, max_size=pegs)] * 2)
)


@pytest.mark.parametrize(
    ("guess", "secret", "expected"),
    [
        ((0, 0, 1, 1), (0, 0, 1, 1), (4, 0)),
        ((0, 0, 1, 1), (1, 1, 0, 0), (0, 4)),
        ((0, 0, 1, 1), (0, 1, 2, 3), (1, 1)),
        ((0, 0, 0, 1), (1, 0, 2, 3), (1, 1)),  # colors are counted, not merely present
        ((0, 0, 0, 0), (0, 1, 1, 0), (2, 0)),
        ((2, 3, 4, 5), (0, 0, 1, 1), (0, 0)),
    ],
)
def test_feedback_by_hand(guess, secret, expected):
    assert feedback(guess, secret) == expected


@given(PAIRS)
def test_feedback_is_symmetric_and_counts_colors(pair):
    guess, secret = pair
    given_ = feedback(guess, secret)
    assert given_ == feedback(secret, guess)
    assert sum(given_) == sum((Counter(guess) & Counter(secret)).values())
    given_.check(len(guess))
    assert (given_ == all_black(len(guess))) == (guess == secret)


@pytest.mark.parametrize("pegs", range(1, 17))
def test_feedbacks_are_numbered_in_order(pegs):
    order = feedbacks(pegs)
    assert len(order) == len(set(order)) == (pegs + 1) * (pegs + 2) // 2
    assert all(earlier < later for earlier, later in combinations(order, 2))
    assert [feedback_number(one, pegs) for one in order] == list(range(len(order)))
    assert order[-1] == all_black(pegs)


@pytest.mark.parametrize("pegs", range(1, 4))
def test_feedbacks_all_occur_but_one(pegs):
    codes = list(product(range(2 * pegs), repeat=pegs))
    seen = {feedback(guess, secret) for guess, secret in product(codes, repeat=2)}
    assert set(feedbacks(pegs)) - seen == {Feedback(pegs - 1, 1)}


@pytest.mark.parametrize("pegs", [1, 4, 16])
def test_feedback_text_round_trips(pegs):
    assert [Feedback.parse(str(one)) for one in feedbacks(pegs)] == list(feedbacks(pegs))


@pytest.mark.parametrize("text", ["", "1", "1,", ",1", "1, 2", "-1,2", "1,2,3", "100,2", "1.0,2", "٤,1", "1,2\n"])
def test_feedback_parse_refuses_other_text(text):
    with pytest.raises(MalformedError, match=re.escape(repr(text))):
        Feedback.parse(text)


@pytest.mark.parametrize("wrong", [(0, 5), (5, 0), (3, 2)])
def test_feedback_check_refuses_impossible(wrong):
    with pytest.raises(MalformedError, match=str(Feedback(*wrong))) as caught:
        Feedback(*wrong).check(4)
    assert "4" in values_in(caught.value)
