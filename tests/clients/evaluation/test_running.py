"""A run in units: its sums do not depend on the workers, and outcomes of journals and workers are checked."""

from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_clients.errors import EvaluationError
from evilpegs_clients.evaluation.checkpoint import no_journal
from evilpegs_clients.evaluation.executors import HereExecutor, Workforce
from evilpegs_clients.evaluation.run import run
from evilpegs_clients.evaluation.spec import Subject
from evilpegs_clients.evaluation.tasks import Part, Solved, play
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import seeded_choice
from evilpegs_game.codes import code_at, format_code
from evilpegs_game.errors import StuckError
from evilpegs_game.evaluation.exact import MAX_IDLE_TURNS, evaluate
from evilpegs_game.rules import Rules
from support.printed import numbers_in

RULES = Rules(3, 4)
HERE = Workforce(HereExecutor(), 1)


class Broken(Executor):
    """An executor that raises an error, either when a unit is submitted or when its result is read."""

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
def test_run_sums_equal_one_walk(strategy, largest):
    result = evaluate(seeded_choice(load_strategy(strategy)), RULES)
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
def test_run_sums_equal_walk_of_any_subject(rules, strategy, pick, candidates_only, largest, seed):
    first = code_at(pick % rules.size, rules)
    result = evaluate(seeded_choice(load_strategy(strategy, candidates_only), seed), rules, first)
    found = sums(
        subject(strategy, rules, first=format_code(first), candidates_only=candidates_only, seed=seed), largest
    )
    assert (found.first, found.distribution) == (first, result.distribution)


def test_run_sums_ignore_order_of_workers():
    tree, games = subject("random-consistent", first="123"), subject("random-consistent", games=60)
    with ThreadPoolExecutor(3) as threads:
        for units in (2, 30):
            assert sums(tree, workers=Workforce(threads, units)) == sums(tree)
            assert sums(games, 10, Workforce(threads, units)) == sums(games, 7)


def test_run_advances_to_the_end():
    moved = []
    sums(subject(), advance=moved.append)
    assert sum(moved) == RULES.size
    moved.clear()
    sums(subject(games=17), advance=moved.append)
    assert moved == [5, 5, 5, 2]


def test_run_skips_journaled_units():
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


def test_run_keeps_subjects_of_journal_apart():
    journal = no_journal()
    first = run(subject(), "0 ", HERE, journal, 5, ignored)
    other = run(subject("first-consistent"), "1 ", HERE, journal, 5, ignored)
    assert first != other == sums(subject("first-consistent"))


def part_of(journal):
    """Return the key of the first part in the journal, with its prefix."""
    return next(key for key in journal.known if " part " in key)


WRONG_PARTS = {
    "code too many": lambda known, key: known[key]["distribution"].append(1),
    "negative number": lambda known, key: known[key].update(distribution=[known[key]["distribution"][0] + 1, -1]),
    "outcome of another kind": lambda known, key: known.update({key: known["0 choice"]}),
    "empty outcome": lambda known, key: known.update({key: {}}),
    "list": lambda known, key: known.update({key: [1]}),
    "word for a number": lambda known, key: known[key].update(distribution=["many"]),
}
WRONG_CHOICES = {
    "outcome of another kind": lambda known: known.update({"0 choice": {"distribution": [64]}}),
    "illegal code": lambda known: known["0 choice"].update(guess="119"),
    "part too large": lambda known: known["0 choice"]["parts"].update({"0,0": 1000}),
}


@pytest.mark.parametrize("wrong", WRONG_PARTS.values(), ids=WRONG_PARTS)
def test_run_refuses_impossible_part(wrong):
    journal = no_journal()
    sums(subject(), journal=journal)
    key = part_of(journal)
    wrong(journal.known, key)
    with pytest.raises(EvaluationError) as caught:
        sums(subject(), journal=journal)
    assert repr(key.removeprefix("0 ")) in str(caught.value)


@pytest.mark.parametrize("wrong", WRONG_CHOICES.values(), ids=WRONG_CHOICES)
def test_run_refuses_impossible_choice(wrong):
    journal = no_journal()
    sums(subject(), journal=journal)
    wrong(journal.known)
    with pytest.raises(EvaluationError, match="'choice'"):
        sums(subject(), journal=journal)


def test_run_checks_outcome_before_journaling():
    class Liar(HereExecutor):
        def submit(self, function, /, unit):
            return super().submit(lambda: Solved((unit.size + 1,)) if isinstance(unit, Part) else play(unit))

    journal = no_journal()
    with pytest.raises(EvaluationError, match="'part "):
        sums(subject(), workers=Workforce(Liar(), 1), journal=journal)
    assert journal.known
    assert not any(" part " in key for key in journal.known)


class KilledWorker(Exception):  # noqa: N818
    """The name of distributed's error for a unit whose workers were lost again and again."""


@pytest.mark.parametrize("at_once", [True, False])
def test_run_reports_each_loss_of_workers_differently(at_once):
    messages = []
    for error in (BrokenExecutor(), CancelledError(), KilledWorker()):
        with pytest.raises(EvaluationError) as caught:
            sums(subject(), workers=Workforce(Broken(error, at_once=at_once), 1))
        assert caught.value.__cause__ is error
        messages.append(str(caught.value))
    assert ["--jobs" in message for message in messages] == [True, False, False]
    assert ["cluster" in message for message in messages] == [False, True, True]
    assert len(set(messages)) == 3


def test_run_raises_faults_of_units():
    with pytest.raises(ZeroDivisionError):
        sums(subject(), workers=Workforce(Broken(ZeroDivisionError(), at_once=False), 1))


@pytest.mark.parametrize("largest", [1, 1000])
def test_run_finds_stuck_strategy_in_any_units(tmp_path, largest):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return (0, 0, 0)\n")
    stuck = Subject(str(tmp_path / "mine.py"), None, RULES)
    with pytest.raises(StuckError) as caught:
        sums(stuck, largest)
    assert {str(MAX_IDLE_TURNS + 2), "3x4"} <= numbers_in(str(caught.value))
