"""The pool: no more tasks at once than there are lanes, each once, in fair order; a clean close."""

from collections import defaultdict

import pytest

from evilpegs_server.fair_pool import FairPool, PoolMetrics
from evilpegs_server.fair_queue import Terms

TERMS = Terms(budget=100, window=60.0, cheap=5, heavy_lanes=2, cheap_lanes=1)
CHEAP, HEAVY = 1, 40


class Crew:
    """Tasks that were begun, and by name how to say what came of them."""

    def __init__(self):
        self.under_way = {}

    def begin(self, task, done):
        self.under_way[task] = done

    def end(self, task, outcome=None, cost=0):
        self.under_way.pop(task)(outcome, cost)


class Office:
    """A pool, its crew, the seconds it goes by, and what it told."""

    def __init__(self, terms=TERMS):
        self.seconds, self.told, self.crew = 0.0, [], Crew()
        self.pool = FairPool(terms, self.crew, lambda: self.seconds)

    def ask(self, player, cost, task):
        self.pool.submit(player, cost, task, self.told.append)

    @property
    def under_way(self):
        return list(self.crew.under_way)


@pytest.fixture
def office():
    return Office()


def test_what_came_of_a_task_is_told_also_if_that_is_an_error(office):
    office.ask("ann", HEAVY, "first")
    office.ask("bob", HEAVY, "second")
    error = ZeroDivisionError()
    office.crew.end("second", error)
    office.crew.end("first", 7)
    assert office.told == [error, 7]


def test_a_cheap_task_passes_heavy_ones(office):
    for player in "abc":
        office.ask(player, HEAVY, f"heavy {player}")
    office.ask("d", CHEAP, "cheap")
    assert office.under_way == ["heavy a", "heavy b", "cheap"]
    office.crew.end("cheap")
    assert office.under_way == ["heavy a", "heavy b"]
    office.crew.end("heavy a")
    assert office.under_way == ["heavy b", "heavy c"]


def test_the_end_of_a_task_frees_its_players_next_one_and_a_lane(office):
    for player in "abc":
        office.ask(player, HEAVY, player)
    office.ask("a", CHEAP, "a again")
    office.crew.end("a")
    assert office.under_way == ["b", "c", "a again"]


def test_what_is_told_may_ask_for_more(office):
    office.pool.submit("a", HEAVY, "first", lambda _: office.ask("a", HEAVY, "second"))
    office.crew.end("first")
    assert office.under_way == ["second"]


def test_tasks_of_many_players_run_one_at_a_time_each_in_order(office):
    order = defaultdict(list)
    for number in range(400):
        office.ask(number % 7, CHEAP if number % 3 else HEAVY, number)
    while office.under_way:
        players = [number % 7 for number in office.under_way]
        assert len(set(players)) == len(players) <= TERMS.lanes
        number = office.under_way[len(office.told) % len(players)]
        order[number % 7].append(number)
        office.crew.end(number)
    assert dict(order) == {player: list(range(player, 400, 7)) for player in range(7)}


def test_the_metrics_say_what_waits_runs_and_was_done(office):
    for player in "abc":
        office.ask(player, HEAVY, player)
    office.seconds = 3.0
    office.ask("d", HEAVY, "d")
    office.seconds = 5.0
    assert office.pool.metrics() == PoolMetrics(
        waiting=2, oldest_wait=5.0, running=2, heavy=2, done=0, work=0, longest_wait=0.0
    )
    for player, cost in zip("abcd", (0, 0, 50, 1), strict=True):
        office.crew.end(player, cost=cost)
    assert office.pool.metrics() == PoolMetrics(
        waiting=0, oldest_wait=0.0, running=0, heavy=0, done=4, work=40 + 40 + 50 + 40, longest_wait=5.0
    )


def test_what_a_task_cost_counts_against_the_budget():
    office = Office(Terms(budget=100, window=60.0, cheap=5, heavy_lanes=1, cheap_lanes=0))
    office.ask("ann", HEAVY, "first")
    office.ask("bob", HEAVY, "other")
    office.crew.end("first", cost=101)
    office.ask("ann", HEAVY, "over")
    office.ask("cid", HEAVY, "within")
    office.crew.end("other")
    assert office.under_way == ["within"]
    office.crew.end("within")
    assert office.under_way == ["over"]


def test_closing_drops_what_waits_and_begins_nothing_more(office):
    for player in "abc":
        office.ask(player, HEAVY, player)
    office.pool.close()
    assert office.pool.metrics().waiting == 0
    office.crew.end("a", 7)
    assert (office.told, office.under_way) == ([7], ["b"])
    with pytest.raises(RuntimeError, match="closed"):
        office.ask("a", CHEAP, "late")
