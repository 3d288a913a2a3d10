"""The budget of a computation: what is counted, and when it is an error."""

import pytest

from evilpegs_game.codemakers.small_sets import WorkBudget
from evilpegs_game.errors import OverBudgetError


def test_work_up_to_limit_is_allowed():
    budget = WorkBudget(1_000, "this search")
    budget.spend(400)
    budget.check(600)
    budget.spend(600)
    assert (budget.work, budget.left) == (1_000, 0)
    with pytest.raises(OverBudgetError, match=r"this search.*\b1,000\b"):
        budget.spend(1)


def test_check_counts_nothing():
    budget = WorkBudget(10, "this search")
    with pytest.raises(OverBudgetError):
        budget.check(11)
    assert (budget.work, budget.left) == (0, 10)


def test_work_is_reported_before_it_is_too_much():
    seen = []
    budget = WorkBudget(5, "this search", lambda: seen.append(budget.work))
    budget.spend(3)
    with pytest.raises(OverBudgetError):
        budget.spend(4)
    assert seen == [3, 7]


def test_no_limit_allows_any_work():
    budget = WorkBudget(None, "this search")
    budget.spend(10**15)
    assert not budget.is_bounded
    assert budget.work == 10**15
