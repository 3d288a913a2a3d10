"""The order of the fair queue, by example and for any jobs of any players at any times."""

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from evilpegs_server.work.scheduler import FairQueue, Job, Spending, Terms

TERMS = Terms(budget=100, window=16.0, cheap=5, heavy_lanes=2, cheap_lanes=1)
LANES = TERMS.lanes
CHEAP, HEAVY = 1, 40


def queue_of(*jobs, terms=TERMS):
    queue = FairQueue(terms)
    for number, (player, cost) in enumerate(jobs):
        queue.push(Job(player, cost, 0.0, number))
    return queue


def run(queue, now=0.0):
    """Start and finish one job; return it."""
    job = queue.start(now)
    queue.finish(job, job.cost, now)
    return job


def spend(queue, player, cost, now=0.0):
    queue.push(Job(player, CHEAP, now, "spent"))
    queue.finish(queue.start(now), cost, now)


class TestOrder:
    def test_queue_alternates_players_in_order(self):
        queue = queue_of(("ann", 1), ("ann", 1), ("ann", 1), ("bob", 1), ("cid", 1), ("bob", 1))
        jobs = [run(queue) for _ in range(6)]
        assert [(job.player, job.content) for job in jobs] == [
            ("ann", 0),
            ("bob", 3),
            ("cid", 4),
            ("ann", 1),
            ("bob", 5),
            ("ann", 2),
        ]
        assert queue.start(0.0) is None

    def test_player_runs_one_job_at_once(self):
        queue = queue_of(("ann", 1), ("ann", 1))
        first = queue.start(0.0)
        assert queue.start(0.0) is None
        queue.finish(first, 1, 0.0)
        assert queue.start(0.0).content == 1

    def test_heavy_jobs_leave_cheap_lanes_free(self):
        queue = queue_of(("ann", HEAVY), ("bob", HEAVY), ("cid", HEAVY), ("dot", CHEAP))
        assert [queue.start(0.0).player for _ in range(3)] == ["ann", "bob", "dot"]
        assert queue.start(0.0) is None
        assert (len(queue), queue.running, queue.heavy) == (1, 3, 2)

    def test_cheap_jobs_leave_heavy_lanes_free(self):
        queue = queue_of(("ann", CHEAP), ("bob", CHEAP), ("cid", HEAVY))
        assert [queue.start(0.0).player for _ in range(2)] == ["ann", "cid"]
        assert queue.start(0.0) is None

    def test_job_at_cheap_bound_is_cheap(self):
        queue = queue_of(("ann", 5), ("bob", 6), terms=Terms(100, 16.0, 5, 0, 2))
        assert queue.start(0.0).player == "ann"
        assert queue.start(0.0) is None

    def test_players_over_budget_run_last(self):
        queue = queue_of()
        spend(queue, "ann", 300)
        spend(queue, "bob", 200)
        spend(queue, "cid", 100)
        for player in ("ann", "bob", "cid", "dot"):
            queue.push(Job(player, 1, 0.0, None))
        assert [run(queue).player for _ in range(4)] == ["cid", "dot", "bob", "ann"]

    def test_overspending_is_forgotten_after_window(self):
        queue = queue_of()
        spend(queue, "ann", 300)
        queue.push(Job("ann", 1, 0.0, None))
        queue.push(Job("bob", 1, 0.0, None))
        assert queue.start(16.0).player == "ann"

    def test_clear_removes_only_waiting_jobs(self):
        queue = queue_of(("ann", 1), ("ann", 1), ("bob", 1))
        job = queue.start(0.0)
        assert sorted(each.content for each in queue.clear()) == [1, 2]
        queue.finish(job, 1, 0.0)
        assert (len(queue), queue.running, queue.oldest) == (0, 0, None)


class TestCharge:
    def test_charge_is_larger_of_cost_and_estimate(self):
        queue = queue_of(("ann", 7), ("ann", 7))
        queue.finish(queue.start(0.0), 9, 0.0)
        assert queue.used("ann", 0.0) == 9
        queue.finish(queue.start(0.0), 1, 0.0)
        assert queue.used("ann", 0.0) == 16

    def test_charged_players_are_forgotten_after_window(self):
        queue = queue_of()
        for second in range(100):
            spend(queue, second, 1 + second % 2, float(second))
            spend(queue, "ann", 1, float(second))
        assert queue.charged_players == [*range(84, 100), "ann"]

    def test_free_jobs_are_not_remembered(self):
        queue = queue_of(("ann", 0))
        run(queue)
        assert queue.charged_players == []

    @given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9)), max_size=60))
    def test_spending_sums_last_ticks(self, steps):
        spending, tick, charges = Spending(), 0, []
        for pause, cost in steps:
            tick += pause
            charges.append((tick, cost))
            spending.charge(tick, cost)
            assert spending.used(tick) == sum(cost for when, cost in charges if when > tick - 16)


class Queue(RuleBasedStateMachine):
    """Random pushes, starts and finishes, compared with plain lists."""

    def __init__(self):
        super().__init__()
        self.queue, self.now, self.number = FairQueue(TERMS), 0.0, 0
        self.waiting, self.running, self.charges = [], [], []

    def used(self, player):
        tick = int(self.now)
        return sum(cost for when, who, cost in self.charges if who == player and int(when) > tick - 16)

    def heads(self):
        """Return the jobs that may start: the first job of each idle player, if a lane is free for it."""
        busy = {job.player for job in self.running}
        first = {}
        for job in self.waiting:
            first.setdefault(job.player, job)
        heavy = sum(job.cost > TERMS.cheap for job in self.running)
        free = {True: heavy < TERMS.heavy_lanes, False: len(self.running) - heavy < TERMS.cheap_lanes}
        return [job for job in first.values() if job.player not in busy and free[job.cost > TERMS.cheap]]

    @rule(player=st.sampled_from("abcdef"), cost=st.sampled_from([CHEAP, HEAVY]))
    def push(self, player, cost):
        job = Job(player, cost, self.now, self.number)
        self.number += 1
        self.queue.push(job)
        self.waiting.append(job)

    @rule()
    def start(self):
        allowed, job = self.heads(), self.queue.start(self.now)
        if job is None:
            assert allowed == []
            return
        assert job in allowed
        least = min(max(0, self.used(each.player) - TERMS.budget) for each in allowed)
        assert max(0, self.used(job.player) - TERMS.budget) == least
        self.waiting.remove(job)
        self.running.append(job)

    @precondition(lambda self: self.running)
    @rule(which=st.integers(0, LANES), more=st.integers(-10, 100))
    def finish(self, which, more):
        job = self.running.pop(which % len(self.running))
        self.queue.finish(job, job.cost + more, self.now)
        self.charges.append((self.now, job.player, max(job.cost, job.cost + more)))

    @rule(seconds=st.floats(0, 20))
    def wait(self, seconds):
        self.now += seconds

    @invariant()
    def a_cheap_job_waits_for_no_heavy_one_of_others(self):
        """Each kind of job keeps to its lanes, and `start` returned None only when `heads` was empty."""
        heavy = sum(job.cost > TERMS.cheap for job in self.running)
        assert self.queue.heavy == heavy <= TERMS.heavy_lanes
        assert len(self.running) - heavy <= TERMS.cheap_lanes

    @invariant()
    def counts_agree(self):
        assert (len(self.queue), self.queue.running) == (len(self.waiting), len(self.running))
        assert self.queue.oldest == min((job.since for job in self.waiting), default=None)
        assert all(self.queue.used(player, self.now) == self.used(player) for player in "abcdef")


TestAnyOrder = Queue.TestCase
TestAnyOrder.settings = settings(max_examples=60, stateful_step_count=60)


@given(
    victim=st.sampled_from([CHEAP, HEAVY]),
    spent=st.integers(0, 10**6),
    others=st.integers(0, 12),
    cost=st.sampled_from([CHEAP, HEAVY]),
    seconds=st.floats(0.1, 5),
)
def test_waiting_player_never_starves(victim, spent, others, cost, seconds):
    """New players keep every lane full. A player who has waited for a window runs after those who came earlier."""
    queue, now = FairQueue(TERMS), 0.0
    spend(queue, "victim", spent)
    for number in range(others):
        queue.push(Job(number, cost, now, None))
    queue.push(Job("victim", victim, now, None))
    running, newcomer, after_window = [], 1000, 0
    while True:
        while len(running) < LANES and (job := queue.start(now)) is not None:
            if job.player == "victim":
                return
            after_window += now >= TERMS.window
            running.append(job)
        assert after_window <= others
        now += seconds
        for _ in range(LANES):
            queue.push(Job(newcomer, cost, now, None))
            newcomer += 1
        while running:
            queue.finish(running.pop(0), cost, now)
