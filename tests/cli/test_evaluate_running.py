"""A run in units: the same sums whoever plays what, and what a journal or a worker says is checked."""

from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs.errors import CommandError
from evilpegs.evaluating.executors import HereExecutor, Workforce
from evilpegs.evaluating.journal import no_journal
from evilpegs.evaluating.running import run
from evilpegs.evaluating.subject import Subject
from evilpegs.evaluating.units import Part, Solved, play
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import player
from evilpegs_game.candidates import LiveSets
from evilpegs_game.codes import code_at, format_code
from evilpegs_game.errors import StuckError
from evilpegs_game.evaluation import MAX_IDLE_TURNS, evaluate
from evilpegs_game.rules import Rules

RULES = Rules(3, 4)
HERE = Workforce(HereExecutor(), 1)


class Broken(Executor):
    """Fails in a given way, when a unit is submitted or when it is over."""

    def __init__(self, error, *, at_once):
        self.error, self.at_once = error, at_once

    def submit(self, function, /, *arguments):
        if self.at_once:
            raise self.error
        future = Future()
        future.set_exception(self.error)
        return future


def subject(strategy="minimax", rules=RULES, **fields):
    return Subject(strategy, None, rules, **fields)


def ignored(_):
    pass


def sums(of, largest=5, workers=HERE, journal=None, advance=ignored):
    return run(of, "0 ", workers, journal or no_journal(), largest, advance)


@pytest.mark.parametrize("strategy", ["minimax", "first-consistent", "random-consistent", "sampled"])
@pytest.mark.parametrize("largest", [1, 5, 20, 1000])
def test_the_sums_are_those_of_one_walk(strategy, largest):
    result = evaluate(player(load_strategy(strategy)), RULES)
    found = sums(subject(strategy), largest)
    assert (found.first, found.distribution) == (result.first, result.distribution)


@settings(max_examples=40)
@given(
    st.sampled_from([Rules(1, 5), Rules(2, 3), Rules(2, 4), Rules(3, 3), Rules(3, 4, repeats=False)]),
    st.sampled_from(["minimax", "entropy", "first-consistent", "random-consistent", "sampled"]),
    st.integers(0, 10**6),
    st.booleans(),
    st.integers(1, 30),
    st.integers(0, 3),
)
def test_any_subject_in_any_units(rules, strategy, pick, candidates_only, largest, seed):
    first = code_at(pick % rules.size, rules)
    result = evaluate(player(load_strategy(strategy, candidates_only), seed), rules, first)
    found = sums(
        subject(strategy, rules, first=format_code(first), candidates_only=candidates_only, seed=seed), largest
    )
    assert (found.first, found.distribution) == (first, result.distribution)


@pytest.mark.parametrize("strategy", ["random-consistent", "sampled"])
def test_chance_is_the_same_where_codes_are_counted(monkeypatch, strategy):
    for module in ("evilpegs.evaluating.evaluator", "evilpegs.evaluating.units", "evilpegs_game.evaluation"):
        monkeypatch.setattr(f"{module}.LiveSets", partial(LiveSets, enumerated_codes=50))
    result = evaluate(player(load_strategy(strategy)), Rules(4, 4))
    found = sums(subject(strategy, Rules(4, 4)), largest=20)
    assert (found.first, found.distribution) == (result.first, result.distribution)


def test_who_plays_what_and_when_does_not_matter():
    tree, games = subject("random-consistent", first="123"), subject("random-consistent", games=60)
    with ThreadPoolExecutor(3) as threads:
        for units in (2, 30):
            assert sums(tree, workers=Workforce(threads, units)) == sums(tree)
            assert sums(games, 10, Workforce(threads, units)) == sums(games, 7)


def test_a_bar_moves_to_the_end():
    moved = []
    sums(subject(), advance=moved.append)
    assert sum(moved) == RULES.size
    moved.clear()
    sums(subject(games=17), advance=moved.append)
    assert moved == [5, 5, 5, 2]


def test_what_is_known_is_not_played():
    journal = no_journal()
    expected = sums(subject(), journal=journal)
    nobody = Workforce(Broken(AssertionError("played"), at_once=True), 1)
    assert sums(subject(), journal=journal, workers=nobody) == expected
    lost = sorted(journal.known)[3]
    del journal.known[lost]
    with pytest.raises(AssertionError, match="played"):
        sums(subject(), journal=journal, workers=nobody)
    assert sums(subject(), journal=journal) == expected
    assert lost in journal.known


def test_the_subjects_of_a_journal_are_kept_apart():
    journal = no_journal()
    first = run(subject(), "0 ", HERE, journal, 5, ignored)
    other = run(subject("first-consistent"), "1 ", HERE, journal, 5, ignored)
    assert first != other == sums(subject("first-consistent"))


def part_of(journal):
    return next(key for key in journal.known if " part " in key)


WRONG = {
    "a code too many": lambda known, key: known[key]["distribution"].append(1),
    "less than none": lambda known, key: known[key].update(distribution=[known[key]["distribution"][0] + 1, -1]),
    "of another kind": lambda known, key: known.update({key: known["0 choice"]}),
    "a choice that is none": lambda known, key: known.update({"0 choice": {"distribution": [64]}}),
    "no outcome": lambda known, key: known.update({key: {}}),
    "a list": lambda known, key: known.update({key: [1]}),
    "no code": lambda known, key: known["0 choice"].update(guess="119"),
    "a part too many": lambda known, key: known["0 choice"]["parts"].update({"0,0": 1000}),
    "words for numbers": lambda known, key: known[key].update(distribution=["many"]),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_cannot_be_is_noticed(wrong):
    journal = no_journal()
    sums(subject(), journal=journal)
    wrong(journal.known, part_of(journal))
    with pytest.raises(CommandError, match="cannot be; delete the journal and begin anew"):
        sums(subject(), journal=journal)


def test_what_a_worker_says_is_checked_before_it_is_kept():
    class Liar(HereExecutor):
        def submit(self, function, /, unit):
            return super().submit(lambda: Solved((unit.size + 1,)) if isinstance(unit, Part) else play(unit))

    journal = no_journal()
    with pytest.raises(CommandError, match="cannot be"):
        sums(subject(), workers=Workforce(Liar(), 1), journal=journal)
    assert journal.known
    assert not any(" part " in key for key in journal.known)


class KilledWorker(Exception):  # noqa: N818
    """By this name distributed says that a unit's workers were lost time after time."""


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    ("error", "says"),
    [
        (BrokenExecutor(), "a worker process was lost"),
        (CancelledError(), "the cluster was lost"),
        (KilledWorker(), "the cluster lost too many workers"),
    ],
)
def test_it_is_said_what_became_of_the_workers(error, says, at_once):
    with pytest.raises(CommandError, match=says):
        sums(subject(), workers=Workforce(Broken(error, at_once=at_once), 1))


def test_a_fault_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        sums(subject(), workers=Workforce(Broken(ZeroDivisionError(), at_once=False), 1))


@pytest.mark.parametrize("largest", [1, 1000])
def test_a_strategy_that_is_stuck_is_found_out_in_any_units(tmp_path, largest):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return (0, 0, 0)\n")
    stuck = Subject(str(tmp_path / "mine.py"), None, RULES)
    with pytest.raises(StuckError, match=f"at turn {MAX_IDLE_TURNS + 2} of 3x4"):
        sums(stuck, largest)
