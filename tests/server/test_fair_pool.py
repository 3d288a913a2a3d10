"""The pool's threads: each job once, its end told through `notify`, and a clean close."""

import os
import sys
from collections import defaultdict
from queue import SimpleQueue
from threading import Event, Lock, Timer, current_thread, get_native_id
from threading import enumerate as all_threads
from time import monotonic

import pytest

from evilpegs_server.fair_pool import NICENESS, FairPool, PoolMetrics, Worked
from evilpegs_server.fair_queue import Terms

PATIENCE = 5
TERMS = Terms(budget=100, window=60.0, cheap=5, heavy_lanes=2, cheap_lanes=1)
CHEAP, HEAVY = 1, 40


class Held:
    """A job that says when it began and waits until it is let go."""

    def __init__(self, result=None):
        self.began, self.go, self.result = Event(), Event(), result

    def __call__(self):
        self.began.set()
        assert self.go.wait(2 * PATIENCE)
        return self.result


class Office:
    """A pool, the seconds it goes by, and what it told."""

    def __init__(self, terms=TERMS, **options):
        self.seconds, self.told = 0.0, SimpleQueue()
        self.pool = FairPool(terms, lambda *call: self.told.put(call), lambda: self.seconds, **options)

    def ask(self, player, cost, work):
        self.pool.submit(player, cost, work, print)

    def hold(self, player, cost):
        """Submit a job that holds its lane, and wait until it does."""
        held = Held(player)
        self.ask(player, cost, held)
        assert held.began.wait(PATIENCE)
        return held

    def wait_for_a_sleeper(self):
        """Wait until a thread has found nothing to do and sleeps."""
        give_up = monotonic() + PATIENCE
        while not self.pool._changed._waiters:
            assert monotonic() < give_up

    def hear(self):
        """What came of the next job that ended."""
        done, outcome = self.told.get(timeout=PATIENCE)
        assert done is print
        return outcome


@pytest.fixture
def office():
    office = Office()
    yield office
    office.pool.close()


def test_what_came_of_a_job_is_told_through_notify(office):
    office.ask("ann", HEAVY, lambda: (7, current_thread().name))
    value, thread = office.hear()
    assert (value, thread[:5]) == (7, "pool-")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ranks threads")
def test_its_threads_stand_back_and_no_others(office):
    before = os.getpriority(os.PRIO_PROCESS, 0)
    office.ask("ann", HEAVY, lambda: os.getpriority(os.PRIO_PROCESS, get_native_id()))
    assert office.hear() == min(19, before + NICENESS)
    assert os.getpriority(os.PRIO_PROCESS, get_native_id()) == before


def test_an_exception_is_told_like_a_result_and_the_thread_goes_on(office):
    for _ in range(5):
        office.ask("ann", HEAVY, lambda: 1 // 0)
    assert all(isinstance(office.hear(), ZeroDivisionError) for _ in range(5))


def test_a_cheap_job_passes_heavy_ones(office):
    held = [office.hold(player, HEAVY) for player in "ab"]
    office.ask("c", HEAVY, lambda: "heavy")
    office.ask("d", CHEAP, lambda: "cheap")
    assert office.hear() == "cheap"
    for each in held:
        each.go.set()
    assert {office.hear() for _ in range(3)} == {"a", "b", "heavy"}


def test_the_end_of_a_job_frees_its_players_next_one_and_a_lane(office):
    """Both may start at once: the one by the thread that is free, the other by one that slept."""
    first, second = office.hold("a", HEAVY), office.hold("b", HEAVY)
    heavy, cheap = Held(), Held()
    office.ask("c", HEAVY, heavy)
    office.ask("a", CHEAP, cheap)
    office.wait_for_a_sleeper()
    first.go.set()
    assert heavy.began.wait(PATIENCE)
    assert cheap.began.wait(PATIENCE)
    for each in (second, heavy, cheap):
        each.go.set()


def test_jobs_of_many_players_run_one_at_a_time_each_in_order():
    office, guard, inside, order = Office(), Lock(), set(), defaultdict(list)

    def work(player, number):
        with guard:
            assert player not in inside
            inside.add(player)
        order[player].append(number)
        with guard:
            inside.remove(player)

    for number in range(400):
        player = number % 7
        office.ask(player, CHEAP if number % 3 else HEAVY, lambda player=player, number=number: work(player, number))
    assert [office.hear() for _ in range(400)] == [None] * 400
    office.pool.close()
    assert dict(order) == {player: list(range(player, 400, 7)) for player in range(7)}


def test_the_metrics_say_what_waits_runs_and_was_done(office):
    held = [office.hold(player, HEAVY) for player in "ab"]
    office.ask("c", HEAVY, lambda: Worked("more", 50))
    office.seconds = 3.0
    office.ask("d", HEAVY, lambda: Worked("less", 1))
    office.seconds = 5.0
    assert office.pool.metrics() == PoolMetrics(
        waiting=2, oldest_wait=5.0, running=2, heavy=2, done=0, work=0, longest_wait=0.0
    )
    for each in held:
        each.go.set()
    assert {office.hear() for _ in range(4)} == {"a", "b", "more", "less"}
    office.pool.close()
    assert office.pool.metrics() == PoolMetrics(
        waiting=0, oldest_wait=0.0, running=0, heavy=0, done=4, work=40 + 40 + 50 + 40, longest_wait=5.0
    )


def test_what_a_job_cost_counts_against_the_budget():
    office = Office(Terms(budget=100, window=60.0, cheap=5, heavy_lanes=1, cheap_lanes=0))
    office.ask("ann", HEAVY, lambda: Worked("first", 101))
    assert office.hear() == "first"
    held = office.hold("bob", HEAVY)
    office.ask("ann", HEAVY, lambda: "over")
    office.ask("cid", HEAVY, lambda: "within")
    held.go.set()
    assert [office.hear() for _ in range(3)] == ["bob", "within", "over"]
    office.pool.close()


def test_closing_finishes_what_runs_drops_what_waits_and_ends_the_threads():
    office = Office(name="closing")
    held = [office.hold(player, HEAVY) for player in "ab"]
    dropped = Held()
    office.ask("c", HEAVY, dropped)
    for each in held:
        Timer(0.05, each.go.set).start()
    office.pool.close()
    assert {office.hear() for _ in range(2)} == {"a", "b"}
    assert office.told.empty()
    assert office.pool.metrics().waiting == 0
    assert not dropped.began.is_set()
    assert not any(thread.name.startswith("closing") for thread in all_threads())
    with pytest.raises(RuntimeError, match="closed"):
        office.ask("a", CHEAP, int)


def test_a_loop_that_is_gone_stops_no_thread():
    def gone(*_):
        raise RuntimeError("Event loop is closed")

    pool, ran = FairPool(TERMS, gone, lambda: 0.0), Event()
    pool.submit("a", CHEAP, int, print)
    pool.submit("a", CHEAP, ran.set, print)
    assert ran.wait(PATIENCE)
    pool.close()
