"""Part sizes counted color by color are those of all codes enumerated."""

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evilpegs_game.counting import count_parts
from evilpegs_game.errors import ContradictionError, TooLargeError
from evilpegs_game.feedback import Feedback, feedback, feedbacks
from evilpegs_game.partition import partition_counts
from evilpegs_game.rules import Rules

SMALL = [Rules(4, 5), Rules(3, 4), Rules(5, 3), Rules(1, 3), Rules(3, 1), Rules(4, 6, repeats=False), Rules(2, 9)]


def enumerate_codes(rules):
    colors = range(rules.colors)
    return list(product(colors, repeat=rules.pegs) if rules.repeats else permutations(colors, rules.pegs))


@given(st.data())
def test_counts_are_those_of_the_plain_definition(data):
    rules = data.draw(st.sampled_from(SMALL))
    codes = enumerate_codes(rules)
    secret, asked, *guesses = data.draw(st.lists(st.sampled_from(codes), min_size=2, max_size=7))
    history = tuple((guess, feedback(guess, secret)) for guess in guesses)
    live = [code for code in codes if all(feedback(guess, code) == answer for guess, answer in history)]
    counted = count_parts(rules, history, asked)
    found = {answer: size for answer, size in zip(feedbacks(rules.pegs), counted.sizes, strict=True) if size}
    assert found == partition_counts(asked, live)


def test_a_history_that_no_code_fits_is_a_contradiction():
    with pytest.raises(ContradictionError):
        count_parts(Rules(3, 4), (((0, 0, 0), Feedback(3, 0)), ((1, 1, 1), Feedback(3, 0))), (0, 1, 2))


def test_more_codes_than_63_bits_hold_are_refused():
    with pytest.raises(TooLargeError, match="at most"):
        count_parts(Rules(16, 34), (), (0,) * 16)
