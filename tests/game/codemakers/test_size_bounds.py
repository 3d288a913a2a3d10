import pytest

from evilpegs_game.codemakers.small_sets import (
    least_possible_total,
    least_total_table,
    max_codes_within,
    other_feedback_count,
)
from evilpegs_game.codes import all_codes, column_code
from evilpegs_game.feedback import all_black, feedback
from evilpegs_game.rules import Rules


@pytest.mark.parametrize(("codes", "least"), [(0, 0), (1, 1), (2, 3), (14, 27), (15, 30), (183, 534), (184, 538)])
def test_count_bound_of_four_pegs(codes, least):
    """At most 1 code is found with the first guess, 13 with the second, 169 with the third."""
    assert least_possible_total(codes, Rules(4, 6)) == least


@pytest.mark.parametrize("rules", [Rules(1, 4), Rules(2, 3), Rules(3, 4), Rules(4, 3)], ids=str)
def test_other_feedbacks_match_enumeration(rules):
    codes = [column_code(all_codes(rules), index) for index in range(rules.size)]
    others = {feedback(codes[0], code) for code in codes} | {feedback(codes[1], code) for code in codes}
    others |= {feedback(guess, code) for guess in codes for code in codes} - {all_black(rules.pegs)}
    assert len(others - {all_black(rules.pegs)}) == other_feedback_count(rules)


def test_most_within_each_number_of_guesses():
    assert max_codes_within(Rules(4, 6)) == (0, 1, 14, 183, 2380)
    assert max_codes_within(Rules(1, 3)) == (0, 1, 2, 3)


def test_least_totals_table_by_parts():
    """With two parts at most 1, 2, 4 and 8 codes are found with one guess after another."""
    table = least_total_table(3, 9)
    assert table.shape == (4, 10)
    assert table[2].tolist() == [0, 1, 3, 5, 8, 11, 14, 17, 21, 25]
    assert table[1].tolist() == [0, 1, 3, 6, 10, 15, 21, 28, 36, 45]
    assert table[0].tolist() == table[1].tolist()
    four_pegs = least_total_table(other_feedback_count(Rules(4, 6)), 200)
    assert [int(total) for total in four_pegs[13]] == [least_possible_total(codes, Rules(4, 6)) for codes in range(201)]
