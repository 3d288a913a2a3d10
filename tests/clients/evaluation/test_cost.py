"""The cost of an evaluation, known before it runs."""

import os
import tracemalloc

import pytest

from evilpegs_clients.evaluation.cost import PROGRAM_BYTES, SMALL_SIZE, check_memory, estimate_cost
from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.evaluation.tasks import GamesTask, SubtreeTask, play
from evilpegs_game.errors import TooLargeError
from evilpegs_game.rules import Rules
from support.printed import numbers_in


def spec(strategy, rules, **fields):
    return StrategySpec(strategy, None, Rules.parse(rules), **fields)


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return position.first_candidate\n")
    return str(tmp_path / "mine.py")


def peak(task):
    play(task)  # compiled before anything is measured
    tracemalloc.start()
    try:
        play(task)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("strategy", "rules"),
    [("first-consistent", "5x7"), ("minimax", "4x5"), ("sampled", "4x7"), ("first-consistent", "8x3")],
)
def test_cost_bounds_memory_of_subtree(strategy, rules):
    cost = estimate_cost(spec(strategy, rules))
    assert peak(SubtreeTask(cost.spec, (), cost.spec.rules.size)) <= cost.memory


@pytest.mark.parametrize("rules", ["4x6", "6x10"])
def test_cost_bounds_memory_of_games(rules):
    cost = estimate_cost(spec("random-consistent", rules, games=10))
    assert peak(GamesTask(cost.spec, 0, 10)) <= cost.memory


def test_cost_is_small_up_to_limits(mine):
    assert estimate_cost(spec("minimax", "6x6")).is_small
    assert not estimate_cost(spec("minimax", "6x7")).is_small
    assert not estimate_cost(spec(mine, "4x6")).is_small
    assert estimate_cost(spec(mine, "4x5")).is_small
    assert estimate_cost(spec("sampled", "4x6", games=2000)).is_small
    assert not estimate_cost(spec("sampled", "4x6", games=2001)).is_small
    assert not estimate_cost(spec("sampled", "6x10", games=1)).is_small
    assert Rules(6, 6).size <= SMALL_SIZE < Rules(6, 7).size


def test_cost_task_sizes(mine):
    assert estimate_cost(spec("minimax", "7x7")).task_size == 7**7 // 256
    assert estimate_cost(spec("minimax", "4x6")).task_size == 500
    assert estimate_cost(spec(mine, "4x6")).task_size == 16
    assert estimate_cost(spec("sampled", "4x6", games=1000)).task_size == 4
    assert estimate_cost(spec("sampled", "4x6", games=10**6)).task_size == 1000


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
