"""The order of the fair scheduler, by example and for any jobs of any players at any times."""

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from evilpegs_server.work.scheduler import FairScheduler, Job, SchedulerLimits
from support.examples import share

LIMITS = SchedulerLimits(budget=100, window=16.0, cheap=5, heavy_slots=2, cheap_slots=1)
SLOTS = LIMITS.heavy_slots + LIMITS.cheap_slots
CHEAP, HEAVY = 1, 40


def scheduler_with(*jobs, limits=LIMITS):
    scheduler = FairScheduler(limits)
    for number, (player, cost) in enumerate(jobs):
        scheduler.push(Job(player, cost, 0.0, number))
    return scheduler


def run(scheduler, now=0.0):
    """Start and finish one job; return it."""
    job = scheduler.start(now)
    scheduler.finish(job, job.cost, now)
    return job


def spend(scheduler, player, cost, now=0.0):
    scheduler.push(Job(player, CHEAP, now, "spent"))
    scheduler.finish(scheduler.start(now), cost, now)


class TestOrder:
    def test_scheduler_alternates_players_in_order(self):
        scheduler = scheduler_with(("ann", 1), ("ann", 1), ("ann", 1), ("bob", 1), ("cid", 1), ("bob", 1))
        jobs = [run(scheduler) for _ in range(6)]
        assert [(job.player, job.content) for job in jobs] == [
            ("ann", 0),
            ("bob", 3),
            ("cid", 4),
            ("ann", 1),
            ("bob", 5),
            ("ann", 2),
        ]
        assert scheduler.start(0.0) is None

    def test_player_runs_one_job_at_once(self):
        scheduler = scheduler_with(("ann", 1), ("ann", 1))
        first = scheduler.start(0.0)
        assert scheduler.start(0.0) is None
        scheduler.finish(first, 1, 0.0)
        assert scheduler.start(0.0).content == 1

    def test_heavy_jobs_leave_cheap_slots_free(self):
        scheduler = scheduler_with(("ann", HEAVY), ("bob", HEAVY), ("cid", HEAVY), ("dot", CHEAP))
        assert [scheduler.start(0.0).player for _ in range(3)] == ["ann", "bob", "dot"]
        assert scheduler.start(0.0) is None
        metrics = scheduler.metrics(0.0)
        assert (metrics.waiting, metrics.running, metrics.heavy) == (1, 3, 2)

    def test_cheap_jobs_leave_heavy_slots_free(self):
        scheduler = scheduler_with(("ann", CHEAP), ("bob", CHEAP), ("cid", HEAVY))
        assert [scheduler.start(0.0).player for _ in range(2)] == ["ann", "cid"]
        assert scheduler.start(0.0) is None

    def test_job_at_cheap_bound_is_cheap(self):
        scheduler = scheduler_with(("ann", 5), ("bob", 6), limits=SchedulerLimits(100, 16.0, 5, 0, 2))
        assert scheduler.start(0.0).player == "ann"
        assert scheduler.start(0.0) is None

    def test_players_over_budget_run_last(self):
        scheduler = scheduler_with()
        spend(scheduler, "ann", 300)
        spend(scheduler, "bob", 200)
        spend(scheduler, "cid", 100)
        for player in ("ann", "bob", "cid", "dot"):
            scheduler.push(Job(player, 1, 0.0, None))
        assert [run(scheduler).player for _ in range(4)] == ["cid", "dot", "bob", "ann"]

    def test_overspending_is_forgotten_after_window(self):
        scheduler = scheduler_with()
        spend(scheduler, "ann", 300)
        scheduler.push(Job("ann", 1, 0.0, None))
        scheduler.push(Job("bob", 1, 0.0, None))
        assert scheduler.start(16.0).player == "ann"

    def test_clear_removes_only_waiting_jobs(self):
        scheduler = scheduler_with(("ann", 1), ("ann", 1), ("bob", 1))
        job = scheduler.start(0.0)
        scheduler.clear()
        assert (scheduler.metrics(0.0).waiting, scheduler.metrics(0.0).running) == (0, 1)
        scheduler.finish(job, 1, 0.0)
        assert scheduler.metrics(9.0).running == 0
        assert scheduler.start(0.0) is None


class TestCharge:
    def test_charge_is_larger_of_cost_and_estimate(self):
        scheduler = scheduler_with(("ann", 7), ("ann", 7))
        scheduler.finish(scheduler.start(0.0), 9, 0.0)
        assert scheduler.metrics(0.0).work == 9
        scheduler.finish(scheduler.start(0.0), 1, 0.0)
        assert scheduler.metrics(0.0).work == 16

    def test_charged_players_are_forgotten_after_window(self):
        scheduler = scheduler_with()
        for second in range(100):
            spend(scheduler, second, 1 + second % 2, float(second))
            spend(scheduler, "ann", 1, float(second))
        assert scheduler.metrics(99.0).charged_players == len([*range(84, 100), "ann"])

    def test_free_jobs_are_not_remembered(self):
        scheduler = scheduler_with(("ann", 0))
        run(scheduler)
        assert scheduler.metrics(99.0).charged_players == 0

    @given(st.lists(st.tuples(st.integers(0, 5), st.integers(2, 9)), min_size=1, max_size=60))
    def test_used_work_is_that_of_last_ticks(self, steps):
        """Without a budget, who has used less runs first, and of equals who came first."""
        scheduler, tick, charges = FairScheduler(SchedulerLimits(0, 16.0, 5, 0, 1)), 0, []
        for pause, cost in steps:
            tick += pause
            charges.append((tick, cost))
            spend(scheduler, "ann", cost, float(tick))
        used = sum(cost for when, cost in charges if when > tick - 16)
        spend(scheduler, "bob", used - 1, float(tick))
        spend(scheduler, "cid", used, float(tick))
        for player in ("ann", "cid", "bob"):
            scheduler.push(Job(player, CHEAP, float(tick), None))
        assert [run(scheduler, float(tick)).player for _ in range(3)] == ["bob", "ann", "cid"]


class SchedulerMachine(RuleBasedStateMachine):
    """Random pushes, starts and finishes, compared with plain lists."""

    def __init__(self):
        super().__init__()
        self.scheduler, self.now, self.number = FairScheduler(LIMITS), 0.0, 0
        self.waiting, self.running, self.charges = [], [], []

    def used(self, player):
        tick = int(self.now)
        return sum(cost for when, who, cost in self.charges if who == player and int(when) > tick - 16)

    def heads(self):
        """Return the jobs that may start: the first job of each idle player, if a slot is free for it."""
        busy = {job.player for job in self.running}
        first = {}
        for job in self.waiting:
            first.setdefault(job.player, job)
        heavy = sum(job.cost > LIMITS.cheap for job in self.running)
        free = {True: heavy < LIMITS.heavy_slots, False: len(self.running) - heavy < LIMITS.cheap_slots}
        return [job for job in first.values() if job.player not in busy and free[job.cost > LIMITS.cheap]]

    @rule(player=st.sampled_from("abcdef"), cost=st.sampled_from([CHEAP, HEAVY]))
    def push(self, player, cost):
        job = Job(player, cost, self.now, self.number)
        self.number += 1
        self.scheduler.push(job)
        self.waiting.append(job)

    @rule()
    def start(self):
        allowed, job = self.heads(), self.scheduler.start(self.now)
        if job is None:
            assert allowed == []
            return
        assert job in allowed
        least = min(max(0, self.used(each.player) - LIMITS.budget) for each in allowed)
        assert max(0, self.used(job.player) - LIMITS.budget) == least
        self.waiting.remove(job)
        self.running.append(job)

    @precondition(lambda self: self.running)
    @rule(which=st.integers(0, SLOTS), more=st.integers(-10, 100))
    def finish(self, which, more):
        job = self.running.pop(which % len(self.running))
        self.scheduler.finish(job, job.cost + more, self.now)
        self.charges.append((self.now, job.player, max(job.cost, job.cost + more)))

    @rule(seconds=st.floats(0, 20))
    def wait(self, seconds):
        self.now += seconds

    @invariant()
    def a_cheap_job_waits_for_no_heavy_one_of_others(self):
        """Each kind of job keeps to its slots, and `start` returned None only when `heads` was empty."""
        heavy = sum(job.cost > LIMITS.cheap for job in self.running)
        assert self.scheduler.metrics(self.now).heavy == heavy <= LIMITS.heavy_slots
        assert len(self.running) - heavy <= LIMITS.cheap_slots

    @invariant()
    def counts_agree(self):
        metrics = self.scheduler.metrics(self.now)
        assert (metrics.waiting, metrics.running) == (len(self.waiting), len(self.running))
        assert metrics.oldest_wait == max((self.now - job.waiting_since for job in self.waiting), default=0.0)
        assert metrics.oldest_running == max((self.now - job.waiting_since for job in self.running), default=0.0)
        assert metrics.work == sum(cost for _, _, cost in self.charges)


TestAnyOrder = SchedulerMachine.TestCase
TestAnyOrder.settings = settings(max_examples=share(60), stateful_step_count=60)


@given(
    victim=st.sampled_from([CHEAP, HEAVY]),
    spent=st.integers(0, 10**6),
    others=st.integers(0, 12),
    cost=st.sampled_from([CHEAP, HEAVY]),
    seconds=st.floats(0.1, 5),
)
def test_waiting_player_never_starves(victim, spent, others, cost, seconds):
    """New players keep every slot full. A player who has waited for a window runs after those who came earlier."""
    scheduler, now = FairScheduler(LIMITS), 0.0
    spend(scheduler, "victim", spent)
    for number in range(others):
        scheduler.push(Job(number, cost, now, None))
    scheduler.push(Job("victim", victim, now, None))
    running, newcomer, after_window = [], 1000, 0
    while True:
        while len(running) < SLOTS and (job := scheduler.start(now)) is not None:
            if job.player == "victim":
                return
            after_window += now >= LIMITS.window
            running.append(job)
        assert after_window <= others
        now += seconds
        for _ in range(SLOTS):
            scheduler.push(Job(newcomer, cost, now, None))
            newcomer += 1
        while running:
            scheduler.finish(running.pop(0), cost, now)
