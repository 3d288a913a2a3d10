"""The cost of an evaluation, known before it runs."""

import os
import tracemalloc

import pytest

from evilpegs_clients.evaluation.cost import PROGRAM_BYTES, SMALL_SIZE, check_memory, cost_of
from evilpegs_clients.evaluation.evaluator import Way
from evilpegs_clients.evaluation.spec import Subject
from evilpegs_clients.evaluation.tasks import Games, Part, play
from evilpegs_game.errors import TooLargeError
from evilpegs_game.rules import Rules
from support.printed import numbers_in


def subject(strategy, rules, **fields):
    return Subject(strategy, None, Rules.parse(rules), **fields)


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return position.first_candidate\n")
    return str(tmp_path / "mine.py")


def peak(unit):
    play(unit)  # compiled before anything is measured
    tracemalloc.start()
    try:
        play(unit)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("strategy", "rules"),
    [("first-consistent", "5x7"), ("minimax", "4x5"), ("sampled", "4x7"), ("first-consistent", "8x3")],
)
def test_cost_bounds_memory_of_part(strategy, rules):
    cost = cost_of(subject(strategy, rules))
    assert peak(Part(cost.subject, (), cost.subject.rules.size)) <= cost.bytes


@pytest.mark.parametrize("rules", ["4x6", "6x10"])
def test_cost_bounds_memory_of_games(rules):
    cost = cost_of(subject("random-consistent", rules, games=10))
    assert peak(Games(cost.subject, 0, 10)) <= cost.bytes


def test_cost_is_small_up_to_limits(mine):
    assert cost_of(subject("minimax", "6x6")).is_small
    assert not cost_of(subject("minimax", "6x7")).is_small
    assert not cost_of(subject(mine, "4x6")).is_small
    assert cost_of(subject(mine, "4x5")).is_small
    assert cost_of(subject("sampled", "4x6", games=2000)).is_small
    assert not cost_of(subject("sampled", "4x6", games=2001)).is_small
    assert not cost_of(subject("sampled", "6x10", games=1)).is_small
    assert Rules(6, 6).size <= SMALL_SIZE < Rules(6, 7).size


def test_cost_unit_sizes(mine):
    assert cost_of(subject("minimax", "7x7")).largest == 7**7 // 256
    assert cost_of(subject("minimax", "4x6")).largest == 500
    assert cost_of(subject(mine, "4x6")).largest == 16
    assert cost_of(subject("sampled", "4x6", games=1000)).largest == 4
    assert cost_of(subject("sampled", "4x6", games=10**6)).largest == 1000


def test_cost_work_counts_feedbacks_choices_and_games():
    assert numbers_in(cost_of(subject("minimax", "4x6")).work) == {"1,679,616"}
    assert numbers_in(cost_of(subject("first-consistent", "4x6")).work) == {"1,296"}
    assert numbers_in(cost_of(subject("minimax", "4x6", games=2000)).work) == {"2,000"}


def test_cost_grows_with_threads():
    assert cost_of(subject("minimax", "6x9"), threads=8).bytes > cost_of(subject("minimax", "6x9")).bytes


def test_cost_refuses_rules_over_memory_bound():
    with pytest.raises(TooLargeError, match=r"8x10 .*800,001,024 .*268,435,456.*--games") as caught:
        cost_of(subject("minimax", "8x10"))
    assert (caught.value.needed, caught.value.bound) == (800_001_024, 268_435_456)
    assert cost_of(subject("minimax", "8x10", games=5)).bytes < 1 << 30


def test_check_memory_counts_all_processes():
    installed = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    cost = cost_of(subject("minimax", "6x7"))
    many = (installed - PROGRAM_BYTES) // (cost.bytes + PROGRAM_BYTES)
    check_memory(cost, many)
    needed = (many + 1) * (cost.bytes + PROGRAM_BYTES) + PROGRAM_BYTES
    with pytest.raises(TooLargeError, match=f"{needed:,} .*--jobs") as caught:
        check_memory(cost, many + 1)
    assert (caught.value.needed, caught.value.bound) == (needed, installed)
    check_memory(cost, 0)


def test_way_uses_units_and_journal_when_needed(tmp_path):
    small, large = (cost_of(subject("minimax", rules)) for rules in ("4x6", "6x8"))
    assert [Way(jobs=2).in_units(cost) for cost in (small, large)] == [False, True]
    assert [Way(jobs=2).processes(cost) for cost in (small, large)] == [1, 2]
    assert Way(cluster="tcp://x:1").processes(small) is None
    assert Way(cluster="tcp://x:1").in_units(small)
    assert Way(journal=tmp_path / "a").in_units(small)
    assert Way().journal_of([small]) is None
    assert Way().journal_of([small, large]).suffix == ".journal"
    assert Way(journal=tmp_path / "a").journal_of([small]) == tmp_path / "a"
