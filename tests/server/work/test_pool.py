"""The pool runs at most one task per slot, each task once and in fair order, and closes cleanly."""

from collections import defaultdict
from functools import partial

import pytest

from evilpegs_server.work.pool import TaskPool, UnwantedError
from evilpegs_server.work.scheduler import PoolMetrics, SchedulerLimits

LIMITS = SchedulerLimits(budget=100, window=60.0, cheap=5, heavy_slots=2, cheap_slots=1)
CHEAP, HEAVY = 1, 40


class TaskExecutor:
    """An executor whose tasks end when a test ends them; ``under_way`` maps tasks to their callbacks."""

    def __init__(self):
        self.under_way = {}

    def submit(self, task, done):
        self.under_way[task] = done

    def end(self, task, outcome=None, cost=0):
        self.under_way.pop(task)(outcome, cost)


class PoolHarness:
    """A pool with its executor and its clock, and the outcomes it handed over."""

    def __init__(self, limits=LIMITS):
        self.seconds, self.outcomes, self.executor = 0.0, [], TaskExecutor()
        self.pool = TaskPool(limits, self.executor, lambda: self.seconds)

    def submit(self, player, cost, task):
        self.pool.submit(player, cost, task, self.outcomes.append)

    @property
    def under_way(self):
        return list(self.executor.under_way)


@pytest.fixture
def harness():
    return PoolHarness()


def test_pool_hands_over_results_and_errors(harness):
    harness.submit("ann", HEAVY, "first")
    harness.submit("bob", HEAVY, "second")
    error = ZeroDivisionError()
    harness.executor.end("second", error)
    harness.executor.end("first", 7)
    assert harness.outcomes == [error, 7]


def test_cheap_task_passes_heavy_ones(harness):
    for player in "abc":
        harness.submit(player, HEAVY, f"heavy {player}")
    harness.submit("d", CHEAP, "cheap")
    assert harness.under_way == ["heavy a", "heavy b", "cheap"]
    harness.executor.end("cheap")
    assert harness.under_way == ["heavy a", "heavy b"]
    harness.executor.end("heavy a")
    assert harness.under_way == ["heavy b", "heavy c"]


def test_finished_task_frees_player_and_slot(harness):
    for player in "abc":
        harness.submit(player, HEAVY, player)
    harness.submit("a", CHEAP, "a again")
    harness.executor.end("a")
    assert harness.under_way == ["b", "c", "a again"]


def test_task_that_nobody_wants_at_its_turn_is_not_run(harness):
    wanted = {"first", "second", "third"}
    for task in ("first", "second", "third"):
        harness.pool.submit("a", HEAVY, task, harness.outcomes.append, partial(wanted.__contains__, task))
    wanted.clear()
    assert harness.under_way == ["first"]
    wanted.add("third")
    harness.executor.end("first", 7)
    assert harness.under_way == ["third"]
    first, second = harness.outcomes
    assert first == 7
    assert isinstance(second, UnwantedError)
    assert (harness.pool.metrics().done, harness.pool.metrics().work) == (1, HEAVY)


def test_waiting_tasks_that_nobody_wants_can_be_dropped(harness):
    tasks = {"running": "a", "left": "a", "asked": "a", "running too": "b", "left too": "c"}
    wanted = set(tasks)
    for task, player in tasks.items():
        harness.pool.submit(player, HEAVY, task, harness.outcomes.append, partial(wanted.__contains__, task))
    harness.pool.drop_unwanted()
    assert harness.pool.metrics().waiting == 3
    wanted.intersection_update({"asked"})
    harness.pool.drop_unwanted()
    assert harness.pool.metrics().waiting == 1
    assert [type(outcome) for outcome in harness.outcomes] == [UnwantedError] * 2
    harness.executor.end("running")
    assert harness.under_way == ["running too", "asked"]


def test_done_callback_may_submit_more(harness):
    harness.pool.submit("a", HEAVY, "first", lambda _: harness.submit("a", HEAVY, "second"))
    harness.executor.end("first")
    assert harness.under_way == ["second"]


def test_pool_runs_tasks_of_player_in_order(harness):
    order = defaultdict(list)
    for number in range(400):
        harness.submit(number % 7, CHEAP if number % 3 else HEAVY, number)
    while harness.under_way:
        players = [number % 7 for number in harness.under_way]
        assert len(set(players)) == len(players) <= LIMITS.heavy_slots + LIMITS.cheap_slots
        number = harness.under_way[len(harness.outcomes) % len(players)]
        order[number % 7].append(number)
        harness.executor.end(number)
    assert dict(order) == {player: list(range(player, 400, 7)) for player in range(7)}


def test_pool_metrics_count_waiting_running_done(harness):
    for player in "abc":
        harness.submit(player, HEAVY, player)
    harness.seconds = 3.0
    harness.submit("d", HEAVY, "d")
    harness.seconds = 5.0
    assert harness.pool.metrics() == PoolMetrics(
        waiting=2,
        oldest_wait=5.0,
        oldest_running=5.0,
        running=2,
        heavy=2,
        done=0,
        work=0,
        longest_wait=0.0,
        charged_players=0,
    )
    for player, cost in zip("abcd", (0, 0, 50, 1), strict=True):
        harness.executor.end(player, cost=cost)
    assert harness.pool.metrics() == PoolMetrics(
        waiting=0,
        oldest_wait=0.0,
        oldest_running=0.0,
        running=0,
        heavy=0,
        done=4,
        work=40 + 40 + 50 + 40,
        longest_wait=5.0,
        charged_players=4,
    )


def test_actual_cost_counts_against_budget():
    harness = PoolHarness(SchedulerLimits(budget=100, window=60.0, cheap=5, heavy_slots=1, cheap_slots=0))
    harness.submit("ann", HEAVY, "first")
    harness.submit("bob", HEAVY, "other")
    harness.executor.end("first", cost=101)
    harness.submit("ann", HEAVY, "over")
    harness.submit("cid", HEAVY, "within")
    harness.executor.end("other")
    assert harness.under_way == ["within"]
    harness.executor.end("within")
    assert harness.under_way == ["over"]


def test_closed_pool_drops_waiting_tasks(harness):
    for player in "abc":
        harness.submit(player, HEAVY, player)
    harness.pool.close()
    assert harness.pool.metrics().waiting == 0
    harness.executor.end("a", 7)
    assert (harness.outcomes, harness.under_way) == ([7], ["b"])
    with pytest.raises(RuntimeError, match="closed"):
        harness.submit("a", CHEAP, "late")
