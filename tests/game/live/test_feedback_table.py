"""The table of all feedbacks: part sizes after a history are those of the consistent codes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codes import all_codes, code_at
from evilpegs_game.errors import IllegalCodeError
from evilpegs_game.feedback import feedback, feedbacks
from evilpegs_game.live.feedback_table import FeedbackTable
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules
from support.examples import share
from support.messages import values_in
from support.plain_partition import partition_counts

RULES = [Rules(1, 1), Rules(1, 34), Rules(2, 7), Rules(3, 4), Rules(5, 2), Rules(3, 6, False), Rules(4, 4, False)]


@settings(deadline=None)
@given(st.sampled_from(RULES), st.lists(st.integers(0, 10**6), min_size=2, max_size=6))
def test_feedback_table_sizes_match_consistent_codes(rules, numbers):
    guess, secret, *asked = [code_at(number % rules.size, rules) for number in numbers]
    history = [(code, feedback(code, secret)) for code in asked]
    codes = [code_at(index, rules) for index in range(rules.size)]
    live = [code for code in codes if all(feedback(code, given_to) == given_ for given_to, given_ in history)]
    counts = partition_counts(guess, live)
    table = FeedbackTable(rules, all_codes(rules))
    for make in (lambda: None, lambda: None, table.complete):  # row by row, with rows that are there, with all rows
        make()
        assert table.part_sizes(history, guess).tolist() == [counts.get(each, 0) for each in feedbacks(rules.pegs)]


@settings(max_examples=share(20))
@given(st.sampled_from([Rules(4, 6), Rules(11, 2), Rules(3, 12, False)]), st.integers(0, 10**6), st.integers(0, 10**6))
def test_feedback_table_of_larger_rules(rules, one, other):
    guess, secret = code_at(one % rules.size, rules), code_at(other % rules.size, rules)
    given_ = feedback(guess, secret)
    sizes = FeedbackTable(rules, all_codes(rules)).part_sizes([(guess, given_)], guess)
    number = feedbacks(rules.pegs).index(given_)
    counts = partition_counts(guess, [code_at(index, rules) for index in range(rules.size)])
    assert (sizes.sum(), sizes[number]) == (counts[given_], counts[given_])


def test_feedback_table_refuses_guess_of_other_rules():
    with pytest.raises(IllegalCodeError, match="2") as caught:
        FeedbackTable(Rules(3, 3), all_codes(Rules(3, 3))).part_sizes((), (0, 0))
    assert caught.value.rule == "pegs"
    assert values_in(caught.value) == {"2", "3"}


def test_feedback_table_is_shared_within_budget():
    rules = Rules(4, 6)
    roomy, narrow = LiveSets(8 << 20), LiveSets(LiveSets.bytes_needed(rules))
    table = roomy.feedback_table(rules)
    assert roomy.feedback_table(Rules(4, 6)) is table
    assert roomy.bytes_used >= FeedbackTable.bytes_needed(rules) > rules.size**2
    assert narrow.feedback_table(rules) is None
    assert roomy.feedback_table(Rules(4, 7)) is None
