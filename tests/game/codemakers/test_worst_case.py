from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_game.codemakers.small_sets import max_codes_within
from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.codemakers.worst_case import HardestReplies, WorstCase, affordable_codes
from evilpegs_game.codes import all_codes, code_at, parse_code, to_columns
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.feedback import Feedback, Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from support.examples import share
from support.plain_partition import partition_counts
from support.plain_worst_case import PlainWorstCase, plain_codes

compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="too slow as plain Python")

TINY = [
    Rules(1, 1),
    Rules(2, 1),
    Rules(2, 3),
    Rules(2, 4),
    Rules(3, 2),
    Rules(1, 5),
    Rules(3, 3),
    Rules(2, 4, repeats=False),
]
plain = cache(PlainWorstCase)


def shapes(rules):
    """Return a first guess of each kind: 1111, 1112, 1122 and so on."""
    seen = {}
    for index in range(rules.size):
        guess = code_at(index, rules)
        seen.setdefault(tuple(sorted(map(guess.count, set(guess)))), guess)
    return list(seen.values())


@st.composite
def live_sets(draw, rules, most=12):
    indices = draw(st.sets(st.integers(0, rules.size - 1), min_size=1, max_size=most))
    return to_columns([code_at(index, rules) for index in sorted(indices)])


@pytest.mark.parametrize("rules", TINY, ids=str)
def test_worst_case_of_tiny_rules_equals_definition(rules):
    assert WorstCase(rules).value(all_codes(rules)) == plain(rules).value(plain(rules).guesses)


# Knuth 1976 for 4x6 and 4x5; the others from G. Ville, An Optimal Mastermind (4,7) Strategy and More, 2013.
KNOWN = {"3x3": 4, "3x4": 4, "3x5": 5, "3x6": 5, "3x7": 6, "3x8": 6, "4x4": 4, "4x5": 5, "4x6": 5}


@compiled
@pytest.mark.parametrize(("rules", "guesses"), KNOWN.items())
def test_worst_case_of_known_rules(rules, guesses):
    rules = Rules.parse(rules)
    assert WorstCase(rules).value(all_codes(rules)) == guesses


@settings(max_examples=share(60))
@given(st.data())
def test_worst_case_value_equals_definition(data):
    rules = data.draw(st.sampled_from(TINY))
    columns = data.draw(live_sets(rules))
    assert WorstCase(rules).value(columns) == plain(rules).value(plain_codes(columns))


@settings(max_examples=share(60))
@given(st.data())
def test_worst_case_hardest_replies_equal_definition(data):
    rules = data.draw(st.sampled_from(TINY))
    columns = data.draw(live_sets(rules))
    guess = data.draw(st.sampled_from(plain(rules).guesses))
    assert WorstCase(rules).hardest_replies(columns, guess).replies == plain(rules).hardest_replies(
        plain_codes(columns), guess
    )


@compiled
@settings(max_examples=share(30))
@given(st.data())
def test_worst_case_of_deeper_sets_equals_definition(data):
    """Parts of 3x4 after one guess need over three guesses, so that the search itself runs."""
    rules = Rules(3, 4)
    columns = data.draw(live_sets(rules, most=30))
    guess = data.draw(st.sampled_from(plain(rules).guesses))
    assert WorstCase(rules).hardest_replies(columns, guess).replies == plain(rules).hardest_replies(
        plain_codes(columns), guess
    )


@compiled
@pytest.mark.parametrize("guess", shapes(Rules(3, 5)), ids=str)
def test_worst_case_first_replies_on_3x5(guess):
    """After any first guess four more are needed, although the largest part after 112 needs only three."""
    rules = Rules(3, 5)
    solver = WorstCase(rules)
    start = Position(rules, (), LiveSets())
    (reply, *_) = solver.hardest_replies(start.candidates, guess).replies
    assert solver.value(start.after(guess, reply).candidates) == 4


# The value that is left after each is 5 or 4: 1111 costs the codebreaker one guess more, 6 in all.
CLASSIC_FIRST = {
    "1111": (["0,0"], 5),
    "1112": (["1,0"], 4),
    "1122": (["0,0", "0,1", "1,0"], 4),
    "1123": (["0,1"], 4),
    "1234": (["0,2"], 4),
}
CLASSIC_WORK = 150_000_000


@compiled
@pytest.mark.parametrize(("guess", "expected"), CLASSIC_FIRST.items())
def test_worst_case_first_replies_on_4x6_within_work(guess, expected):
    """An independent solver found the same replies, so the whole of 4x6 can be played exactly."""
    rules = Rules(4, 6)
    start, guess = Position(rules, (), LiveSets()), parse_code(guess, rules)
    solver = WorstCase(rules)
    replies, work = solver.hardest_replies(start.candidates, guess, CLASSIC_WORK)
    values = {solver.value(start.after(guess, reply).candidates) for reply in replies}
    assert ([str(reply) for reply in replies], *values) == expected
    assert work <= CLASSIC_WORK


@compiled
def test_worst_case_without_shared_table_is_same():
    rules = Rules(3, 5)
    start = Position(rules, (), LiveSets())
    shared = [WorstCase(rules).hardest_replies(start.candidates, guess).replies for guess in shapes(rules)]
    alone = [
        WorstCase(rules, shared_codes=0).hardest_replies(start.candidates, guess).replies for guess in shapes(rules)
    ]
    assert alone == shared


@compiled
def test_worst_case_with_solved_positions_is_same():
    rules = Rules(4, 5)
    start = Position(rules, (), LiveSets())
    cold = {guess: WorstCase(rules).hardest_replies(start.candidates, guess) for guess in shapes(rules)}
    solved = SolvedPositions()
    warm = WorstCase(rules, solved)
    for _ in range(2):
        assert {guess: warm.hardest_replies(start.candidates, guess).replies for guess in cold} == {
            guess: hardest.replies for guess, hardest in cold.items()
        }
    again = WorstCase(rules, SolvedPositions.from_bytes(solved.to_bytes()))
    for guess, hardest in cold.items():
        found = again.hardest_replies(start.candidates, guess)
        assert found.replies == hardest.replies
        assert found.work < hardest.work / 2


@compiled
def test_worst_case_tells_similar_sets_apart():
    rules = Rules(3, 4)
    beginnings = [np.ascontiguousarray(all_codes(rules)[:, :count]) for count in range(1, rules.size + 1)]
    fresh = [WorstCase(rules).value(columns) for columns in beginnings]
    assert fresh == sorted(fresh)
    solver = WorstCase(rules)
    for _ in range(2):
        assert [solver.value(columns) for columns in beginnings] == fresh
    solver.forget()
    assert [solver.value(columns) for columns in beginnings[::-1]] == fresh[::-1]


@compiled
def test_worst_case_of_image_takes_less_work():
    rules = Rules(4, 5)
    solver = WorstCase(rules)
    first = solver.hardest_replies(all_codes(rules), (0, 0, 0, 1))
    image = solver.hardest_replies(all_codes(rules), (3, 2, 3, 3))
    assert image.replies == first.replies
    assert image.work < first.work


@compiled
def test_worst_case_is_same_in_threads():
    rules = Rules(4, 5)
    columns, guesses = all_codes(rules), shapes(rules) * 2
    alone = [WorstCase(rules).hardest_replies(columns, guess).replies for guess in guesses]
    shared = WorstCase(rules)
    with ThreadPoolExecutor(4) as pool:
        assert [
            found.replies for found in pool.map(lambda guess: shared.hardest_replies(columns, guess), guesses)
        ] == alone


@compiled
def test_worst_case_with_full_memo_is_same():
    rules = Rules(3, 6)
    assert WorstCase(rules, SolvedPositions(max_entries=2)).value(all_codes(rules)) == 5


def test_worst_case_keeps_budget():
    rules = Rules(3, 3)
    columns = all_codes(rules)
    work = WorstCase(rules).hardest_replies(columns, (0, 0, 1)).work
    assert WorstCase(rules).hardest_replies(columns, (0, 0, 1), budget=work).work == work
    with pytest.raises(OverBudgetError, match=f"{work - 1:,}"):
        WorstCase(rules).hardest_replies(columns, (0, 0, 1), budget=work - 1)
    with pytest.raises(OverBudgetError):
        WorstCase(rules).value(columns, budget=1)


def test_worst_case_reports_what_it_tries():
    tried = []
    assert WorstCase(Rules(3, 5)).value(all_codes(Rules(3, 5)), progress=tried.append) == 5
    assert sorted(tried) == tried
    assert set(tried) == {4, 5}
    assert len(tried) > 10


def test_worst_case_reply_without_choice_costs_nothing():
    rules = Rules(2, 4)
    one = to_columns([(0, 1)])
    assert WorstCase(rules).hardest_replies(one, (0, 1), budget=0) == HardestReplies((Feedback(2, 0),), 0)
    assert WorstCase(rules).hardest_replies(one, (1, 0), budget=0) == HardestReplies((Feedback(0, 2),), 0)
    two = to_columns([(0, 1), (2, 3)])
    assert WorstCase(rules).hardest_replies(two, (0, 1), budget=0) == HardestReplies((Feedback(0, 0),), 0)


@pytest.mark.parametrize("rules", [Rules(10, 2), Rules(12, 14), Rules(7, 8)], ids=str)
def test_worst_case_refuses_too_large_rules(rules):
    with pytest.raises(TooLargeError, match=str(rules)):
        WorstCase(rules)


def test_worst_case_refuses_too_large_table():
    rules = Rules(3, 3)
    with pytest.raises(TooLargeError, match=r"27.*3x3") as refused:
        WorstCase(rules, shared_codes=0, max_table_bytes=1457).value(all_codes(rules))
    assert (refused.value.needed, refused.value.bound) == (1458, 1457)
    assert WorstCase(rules, shared_codes=0, max_table_bytes=1458).value(all_codes(rules)) == 4


@compiled
def test_worst_case_needs_full_search():
    """The first, quick look denies the number of guesses that these sets need."""
    rules = Rules(3, 4)
    solver = WorstCase(rules)
    rng = np.random.default_rng(2)
    for _ in range(20):
        indices = np.sort(rng.choice(rules.size, size=25, replace=False))
        columns = np.ascontiguousarray(all_codes(rules)[:, indices])
        assert solver.value(columns) == plain(rules).value(plain_codes(columns))


@pytest.mark.parametrize("rules", [Rules(2, 3), Rules(3, 3), Rules(1, 4), Rules(3, 3, repeats=False)], ids=str)
def test_most_within_counts_feedbacks(rules):
    """No guess has more parts than the bound on codes within two guesses assumes."""
    possible = max(len(partition_counts(guess, plain(rules).guesses)) for guess in plain(rules).guesses)
    assert max_codes_within(rules)[2] >= possible


@compiled
def test_worst_case_of_later_turns_is_exact():
    """A live set of Bulls and Cows after two guesses, by the definition of the hardest reply."""
    rules = Rules.parse("4x10-distinct")
    history = (Turn((0, 1, 2, 3), Feedback(2, 1)), Turn((0, 1, 4, 2), Feedback(1, 2)))
    position = Position(rules, history, LiveSets())
    solver = WorstCase(rules)
    guess = position.first_candidate
    parts = {g: p.candidates for g, p in position.split(guess).items() if g != Feedback(4, 0)}
    hardness = {g: (solver.value(columns), columns.shape[1]) for g, columns in parts.items()}
    assert solver.hardest_replies(position.candidates, guess).replies == tuple(
        g for g in parts if hardness[g] == max(hardness.values())
    )


def test_affordable_codes_by_rules():
    assert affordable_codes(Rules(4, 6)) == 1296
    assert affordable_codes(Rules(5, 8)) == 30
    assert affordable_codes(Rules(12, 14)) == 0
