import pytest

from evilpegs_clients.bot.chooser import EVALUATIONS_PER_MS, UNTIMED_MS, evaluations, turns_to_come
from evilpegs_game.rules import Rules

CLASSIC = Rules(4, 6)


def test_budget_of_untimed_guess_is_fixed():
    assert evaluations(CLASSIC, 1, 10, None) == UNTIMED_MS * EVALUATIONS_PER_MS


def test_budget_suffices_for_first_minimax_guess():
    assert evaluations(CLASSIC, 1, 10, 60_000, 1000) > 1296**2
    assert evaluations(Rules(5, 8), 2, 14, 60_000, 1000) > 32768**2 // 2


def test_budget_shrinks_with_time_left():
    budgets = [evaluations(CLASSIC, 3, 10, left) for left in (60_000, 5000, 400, 100, 0)]
    assert budgets == sorted(budgets, reverse=True)
    assert budgets[-1] == 1


def test_budget_includes_half_the_increment():
    assert evaluations(CLASSIC, 3, 10, 0, 1000) == 500 * EVALUATIONS_PER_MS


@pytest.mark.parametrize(("turn", "to_come"), [(1, 8), (4, 5), (7, 2), (9, 2), (10, 1)])
def test_turns_to_come_shrink_during_game(turn, to_come):
    assert turns_to_come(CLASSIC, turn, 10) == to_come


def test_budgets_never_use_up_clock():
    left = 60_000.0
    for turn in range(1, 11):
        left -= evaluations(CLASSIC, turn, 10, int(left)) / EVALUATIONS_PER_MS
        assert left > 0
