"""Costs: estimates of memory, units and time, and the progress of slow strategies, on a clock that they move."""

import math
import os
import tracemalloc
from io import StringIO

import pytest
from rich.console import Console
from rich.progress import Progress

import evilpegs
from evilpegs_clients.evaluation.cost import (
    PROGRAM_BYTES,
    SMALL_SIZE,
    TimeEstimate,
    check_memory,
    duration_text,
    estimate_cost,
    estimate_time,
)
from evilpegs_clients.evaluation.run import ExecutionPlan, run_evaluation
from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.evaluation.work_units import GamesUnit, SubtreeUnit
from evilpegs_clients.strategies.loading import read_source
from evilpegs_game.errors import TooLargeError
from evilpegs_game.rules import Rules
from support.printed import numbers_in


def spec(strategy, rules, **fields):
    return StrategySpec(strategy, None, Rules.parse(rules), **fields)


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return position.first_candidate\n")
    return str(tmp_path / "mine.py")


def peak(unit):
    unit.play()  # compiled before anything is measured
    tracemalloc.start()
    try:
        unit.play()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("strategy", "rules"),
    [
        ("minimax", "4x5"),
        ("first-consistent", "5x5"),
        pytest.param("sampled", "4x7", marks=pytest.mark.full),
        pytest.param("first-consistent", "5x7", marks=pytest.mark.full),
        pytest.param("first-consistent", "8x3", marks=pytest.mark.full),
    ],
)
def test_cost_bounds_memory_of_subtree(strategy, rules):
    cost = estimate_cost(spec(strategy, rules))
    assert peak(SubtreeUnit(cost.spec, (), cost.spec.rules.size)) <= cost.memory


def test_tree_is_as_fast_as_a_built_in_strategy(mine, tmp_path):
    (tmp_path / "best.tree").write_text(evilpegs.format_tree(evilpegs.tree("optimal", "4x6")))
    assert estimate_cost(spec(str(tmp_path / "best.tree"), "4x6")).is_small
    assert estimate_cost(spec("optimal", "4x6")).is_small
    assert not estimate_cost(spec(mine, "4x6")).is_small


@pytest.mark.parametrize("rules", ["4x6", pytest.param("6x10", marks=pytest.mark.full)])
def test_cost_bounds_memory_of_games(rules):
    cost = estimate_cost(spec("random-consistent", rules, games=10))
    assert peak(GamesUnit(cost.spec, 0, 10)) <= cost.memory


def test_cost_is_small_up_to_limits(mine):
    assert estimate_cost(spec("minimax", "6x6")).is_small
    assert not estimate_cost(spec("minimax", "6x7")).is_small
    assert not estimate_cost(spec(mine, "4x6")).is_small
    assert estimate_cost(spec(mine, "4x5")).is_small
    assert estimate_cost(spec("sampled", "4x6", games=2000)).is_small
    assert not estimate_cost(spec("sampled", "4x6", games=2001)).is_small
    assert not estimate_cost(spec("sampled", "6x10", games=1)).is_small
    assert Rules(6, 6).size <= SMALL_SIZE < Rules(6, 7).size


def test_cost_unit_sizes(mine):
    assert estimate_cost(spec("minimax", "7x7")).unit_size == 7**7 // 256
    assert estimate_cost(spec("minimax", "4x6")).unit_size == 500
    assert estimate_cost(spec(mine, "4x6")).unit_size == 16
    assert estimate_cost(spec("sampled", "4x6", games=1000)).unit_size == 4
    assert estimate_cost(spec("sampled", "4x6", games=10**6)).unit_size == 1000


def test_cost_work_counts_feedbacks_choices_and_games():
    assert numbers_in(estimate_cost(spec("minimax", "4x6")).work) == {"1,679,616"}
    assert numbers_in(estimate_cost(spec("first-consistent", "4x6")).work) == {"1,296"}
    assert numbers_in(estimate_cost(spec("minimax", "4x6", games=2000)).work) == {"2,000"}


def test_cost_grows_with_threads():
    assert estimate_cost(spec("minimax", "6x9"), threads=8).memory > estimate_cost(spec("minimax", "6x9")).memory


def test_cost_refuses_rules_over_memory_bound():
    with pytest.raises(TooLargeError, match=r"8x10 .*800,001,024 .*268,435,456.*--games") as caught:
        estimate_cost(spec("minimax", "8x10"))
    assert (caught.value.needed, caught.value.bound) == (800_001_024, 268_435_456)
    assert estimate_cost(spec("minimax", "8x10", games=5)).memory < 1 << 30


def test_check_memory_counts_all_processes():
    installed = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    cost = estimate_cost(spec("minimax", "6x7"))
    processes = (installed - PROGRAM_BYTES) // (cost.memory + PROGRAM_BYTES)
    check_memory(cost, processes)
    needed = (processes + 1) * (cost.memory + PROGRAM_BYTES) + PROGRAM_BYTES
    with pytest.raises(TooLargeError, match=f"{needed:,} .*--jobs") as caught:
        check_memory(cost, processes + 1)
    assert (caught.value.needed, caught.value.bound) == (needed, installed)
    check_memory(cost, 0)


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
    plan = ExecutionPlan(journal=tmp_path / "journal")
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
