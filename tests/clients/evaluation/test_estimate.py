"""Estimates and progress of slow strategies, measured with a clock that the strategy itself moves."""

import math
from io import StringIO

import pytest
from rich.console import Console
from rich.progress import Progress

from evilpegs_clients.evaluation.cost import estimate_cost
from evilpegs_clients.evaluation.estimate import TimeEstimate, duration_text, estimate_time
from evilpegs_clients.evaluation.plan import ExecutionPlan
from evilpegs_clients.evaluation.run import run_evaluation
from evilpegs_clients.evaluation.spec import StrategySpec, read_source
from evilpegs_game.rules import Rules

SLOW = """\
import builtins

def choose(position, rng):
    builtins.slow_clock.choices += 1
    return position.sample(rng)[0]
"""


class ChoiceClock:
    """A clock that advances by ``seconds`` with each choice of the slow strategy."""

    def __init__(self, seconds):
        self.choices, self.seconds = 0, seconds

    def __call__(self):
        return self.choices * self.seconds


@pytest.fixture
def slow(tmp_path, monkeypatch):
    """Give the specification of a slow strategy and its clock."""
    path = tmp_path / "slow.py"
    path.write_text(SLOW)

    def slow(seconds, rules="3x4", **fields):
        clock = ChoiceClock(seconds)
        monkeypatch.setattr("builtins.slow_clock", clock, raising=False)
        return StrategySpec(str(path), read_source(str(path)), Rules.parse(rules), **fields), clock

    return slow


def evaluate(spec, clock):
    err = Console(file=StringIO(), width=200)
    progress = Progress(console=err, disable=True)
    ((tally, seconds),) = run_evaluation([estimate_cost(spec)], ExecutionPlan(), err, progress, clock)
    return tally, seconds, err.file.getvalue().splitlines()


def test_estimate_of_walk_counts_secrets(slow):
    spec, clock = slow(2.0)
    estimate = estimate_time(spec, 1, clock)
    assert (estimate.seconds_per_choice, estimate.choices, clock.choices) == (2.0, 64, 1)
    assert estimate.seconds == 128
    assert estimate_time(spec, 4, clock).seconds == 32


def test_estimate_of_games_counts_guesses(slow):
    spec, clock = slow(0.25, games=1000)
    estimate = estimate_time(spec, 1, clock)
    assert clock.choices in (1, 2, 3, 4)
    assert estimate.choices == round(1000 * (1 + math.log10(64)))
    tally, seconds, _ = evaluate(spec, clock)
    assert estimate.seconds == pytest.approx(seconds, rel=0.3)
    assert sum(tally.lengths) * 0.25 == seconds


def test_estimate_leaves_out_given_first_guess(slow):
    spec, clock = slow(2.0, first="123")
    assert estimate_time(spec, 1, clock).seconds_per_choice == 2.0
    assert clock.choices == 1


def test_compiled_walk_has_no_estimate():
    assert estimate_time(StrategySpec("minimax", None, Rules(3, 4)), 1, ChoiceClock(1.0)) is None


def test_slow_strategy_is_announced_and_reports_progress(slow):
    *_, lines = evaluate(*slow(2.0))
    first, *others = lines
    assert all(fact in first for fact in ("slow.py", "3x4", "2 s per choice", "64 choices", "2 minutes"))
    finished = [int(line.split(": ")[1].split()[0]) for line in others]
    assert len(others) > 5
    assert finished == sorted(set(finished))
    assert max(finished) <= 64


def test_resumed_evaluation_is_not_timed_again(slow, tmp_path):
    spec, clock = slow(2.0)
    plan = ExecutionPlan(checkpoint=tmp_path / "journal")
    err = Console(file=StringIO(), width=200)
    for choices in (65, 65):  # the first choice is timed once more than it is played
        run_evaluation([estimate_cost(spec)], plan, err, Progress(console=err, disable=True), clock)
        assert clock.choices == choices


def test_quick_strategy_is_not_announced(slow):
    assert evaluate(*slow(0.001))[2] == []


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(40, "40 seconds"), (119, "119 seconds"), (720, "12 minutes"), (3 * 3600, "3 hours"), (4 * 86400, "4 days")],
)
def test_duration_names_suitable_unit(seconds, text):
    assert duration_text(seconds) == text
    assert text in str(TimeEstimate(seconds, 1))
