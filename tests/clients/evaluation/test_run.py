"""Whole runs: tallies do not depend on the workers, journals and workers are checked, and plans use what is needed."""

from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_clients.errors import EvaluationError
from evilpegs_clients.evaluation.cost import estimate_cost
from evilpegs_clients.evaluation.journal import Journal
from evilpegs_clients.evaluation.run import ExecutionPlan, tally_units
from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.evaluation.work_units import SolvedCounts, SubtreeUnit
from evilpegs_clients.evaluation.workers import InlineExecutor, Workers
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import draw_secret, game_seed, seeded_choice
from evilpegs_game.codemakers.codemaker import Fixed
from evilpegs_game.codes import code_at, format_code
from evilpegs_game.errors import StuckError
from evilpegs_game.evaluation.exact import MAX_IDLE_TURNS
from evilpegs_game.rules import Rules
from support.examples import share
from support.printed import numbers_in
from support.walks import duel, evaluate

RULES = Rules(3, 4)
INLINE = Workers(InlineExecutor(), 1)


class FailingExecutor(Executor):
    """An executor that raises an error, either when a unit is submitted or when its result is read."""

    def __init__(self, error, *, at_once):
        self.error, self.at_once = error, at_once

    def submit(self, function, /, *arguments):
        if self.at_once:
            raise self.error
        future = Future()
        future.set_exception(self.error)
        return future


def spec(strategy="minimax", rules=RULES, **fields):
    return StrategySpec(strategy, None, rules, **fields)


def ignore(_):
    pass


def tally(of, unit_size=5, workers=INLINE, journal=None, advance=ignore):
    return tally_units(of, "0 ", workers, journal or Journal(), unit_size, advance)


@pytest.mark.parametrize("strategy", ["minimax", "first-consistent", "random-consistent", "sampled"])
@pytest.mark.parametrize("unit_size", [1, 5, 20, 1000])
def test_tally_equals_one_walk(strategy, unit_size):
    result = evaluate(seeded_choice(load_strategy(strategy)), RULES)
    found = tally(spec(strategy), unit_size)
    assert (found.first, found.distribution) == (result.first, result.distribution)


@settings(max_examples=share(40))
@given(
    st.sampled_from([Rules(1, 5), Rules(2, 3), Rules(2, 4), Rules(3, 3), Rules(3, 4, repeats=False)]),
    st.sampled_from(["minimax", "entropy", "first-consistent", "random-consistent", "sampled"]),
    st.integers(0, 10**6),
    st.booleans(),
    st.integers(1, 30),
    st.integers(0, 3),
)
def test_tally_equals_walk_of_any_spec(rules, strategy, pick, candidates_only, unit_size, seed):
    first = code_at(pick % rules.size, rules)
    result = evaluate(seeded_choice(load_strategy(strategy, candidates_only), seed), rules, first)
    found = tally(
        spec(strategy, rules, first=format_code(first), candidates_only=candidates_only, seed=seed), unit_size
    )
    assert (found.first, found.distribution) == (first, result.distribution)


def test_tally_ignores_order_of_workers():
    tree, games = spec("random-consistent", first="123"), spec("random-consistent", games=60)
    with ThreadPoolExecutor(3) as threads:
        for units in (2, 30):
            assert tally(tree, workers=Workers(threads, units)) == tally(tree)
            assert tally(games, 10, Workers(threads, units)) == tally(games, 7)


def test_tally_advances_to_the_end():
    moved = []
    tally(spec(), advance=moved.append)
    assert sum(moved) == RULES.size
    moved.clear()
    tally(spec(games=17), advance=moved.append)
    assert moved == [5, 5, 5, 2]


def test_tally_skips_units_in_journal():
    journal = Journal()
    expected = tally(spec(), journal=journal)
    nobody = Workers(FailingExecutor(AssertionError("played"), at_once=True), 1)
    assert tally(spec(), journal=journal, workers=nobody) == expected
    lost = sorted(journal.outcomes)[3]
    del journal.outcomes[lost]
    with pytest.raises(AssertionError, match="played"):
        tally(spec(), journal=journal, workers=nobody)
    assert tally(spec(), journal=journal) == expected
    assert lost in journal.outcomes


def test_tally_keeps_specs_in_journal_apart():
    journal = Journal()
    first = tally_units(spec(), "0 ", INLINE, journal, 5, ignore)
    other = tally_units(spec("first-consistent"), "1 ", INLINE, journal, 5, ignore)
    assert first != other == tally(spec("first-consistent"))


def subtree_key(journal):
    """Return the key of the first subtree in the journal, with its prefix."""
    return next(key for key in journal.outcomes if " part " in key)


WRONG_PARTS = {
    "code too many": lambda outcomes, key: outcomes[key]["distribution"].append(1),
    "negative number": lambda outcomes, key: outcomes[key].update(
        distribution=[outcomes[key]["distribution"][0] + 1, -1]
    ),
    "outcome of another kind": lambda outcomes, key: outcomes.update({key: outcomes["0 choice"]}),
    "empty outcome": lambda outcomes, key: outcomes.update({key: {}}),
    "list": lambda outcomes, key: outcomes.update({key: [1]}),
    "word for a number": lambda outcomes, key: outcomes[key].update(distribution=["many"]),
}
WRONG_CHOICES = {
    "outcome of another kind": lambda outcomes: outcomes.update({"0 choice": {"distribution": [64]}}),
    "illegal code": lambda outcomes: outcomes["0 choice"].update(guess="119"),
    "part too large": lambda outcomes: outcomes["0 choice"]["parts"].update({"0,0": 1000}),
}


@pytest.mark.parametrize("wrong", WRONG_PARTS.values(), ids=WRONG_PARTS)
def test_tally_refuses_impossible_part(wrong):
    journal = Journal()
    tally(spec(), journal=journal)
    key = subtree_key(journal)
    wrong(journal.outcomes, key)
    with pytest.raises(EvaluationError) as caught:
        tally(spec(), journal=journal)
    assert repr(key.removeprefix("0 ")) in str(caught.value)


@pytest.mark.parametrize("wrong", WRONG_CHOICES.values(), ids=WRONG_CHOICES)
def test_tally_refuses_impossible_choice(wrong):
    journal = Journal()
    tally(spec(), journal=journal)
    wrong(journal.outcomes)
    with pytest.raises(EvaluationError, match="'choice'"):
        tally(spec(), journal=journal)


def test_tally_checks_outcome_before_recording():
    class Liar(InlineExecutor):
        def submit(self, play, /):
            unit = play.__self__
            return super().submit(lambda: SolvedCounts((unit.size + 1,)) if isinstance(unit, SubtreeUnit) else play())

    journal = Journal()
    with pytest.raises(EvaluationError, match="'part "):
        tally(spec(), workers=Workers(Liar(), 1), journal=journal)
    assert journal.outcomes
    assert not any(" part " in key for key in journal.outcomes)


class KilledWorker(Exception):  # noqa: N818
    """The name of distributed's error for a unit whose workers were lost again and again."""


@pytest.mark.parametrize("at_once", [True, False])
def test_tally_reports_each_loss_of_workers_differently(at_once):
    messages = []
    for error in (BrokenExecutor(), CancelledError(), KilledWorker()):
        with pytest.raises(EvaluationError) as caught:
            tally(spec(), workers=Workers(FailingExecutor(error, at_once=at_once), 1))
        assert caught.value.__cause__ is error
        messages.append(str(caught.value))
    assert ["--jobs" in message for message in messages] == [True, False, False]
    assert ["cluster" in message for message in messages] == [False, True, True]
    assert len(set(messages)) == 3


def test_tally_raises_faults_of_units():
    with pytest.raises(ZeroDivisionError):
        tally(spec(), workers=Workers(FailingExecutor(ZeroDivisionError(), at_once=False), 1))


@pytest.mark.parametrize("unit_size", [1, 1000])
def test_tally_finds_stuck_strategy_in_any_units(tmp_path, unit_size):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return (0, 0, 0)\n")
    stuck = StrategySpec(str(tmp_path / "mine.py"), None, RULES)
    with pytest.raises(StuckError) as caught:
        tally(stuck, unit_size)
    assert {str(MAX_IDLE_TURNS + 2), "3x4"} <= numbers_in(str(caught.value))


@pytest.mark.parametrize("strategy", ["minimax", "random-consistent"])
@pytest.mark.parametrize("unit_size", [1, 5, 1000])
@pytest.mark.parametrize("first", [None, "112"])
def test_tally_finds_most_costly_secrets(strategy, unit_size, first):
    found = tally(spec(strategy, worst=10, first=first), unit_size)
    opening = None if first is None else (0, 0, 1)
    choose = seeded_choice(load_strategy(strategy))
    lengths = [(len(duel(choose, Fixed(code), RULES, opening)), code) for code in map(code_at, range(64), [RULES] * 64)]
    assert found.worst == sorted(lengths, key=lambda entry: (-entry[0], entry[1]))[:10]
    assert tally(spec(strategy, first=first), unit_size).worst == []


@pytest.mark.parametrize("unit_size", [1, 7, 1000])
def test_tally_keeps_length_of_each_game(unit_size):
    of = spec("random-consistent", games=20, seed=3)
    with ThreadPoolExecutor(2) as executor:
        found = tally(of, unit_size, Workers(executor, 4))
    seeds = [game_seed(3, number) for number in range(20)]
    strategy = load_strategy("random-consistent")
    duels = [duel(seeded_choice(strategy, seed), Fixed(draw_secret(seed, RULES)), RULES) for seed in seeds]
    assert list(found.lengths) == list(map(len, duels))
    assert found.new_guesses == sum(found.lengths)


def test_games_of_journal_are_not_new():
    journal = Journal()
    first = tally(spec("minimax", games=20), 5, journal=journal)
    again = tally(spec("minimax", games=20), 5, journal=journal)
    assert (again.lengths, again.new_guesses) == (first.lengths, 0)


def test_plan_uses_units_and_journal_when_needed(tmp_path):
    small, large = (estimate_cost(StrategySpec("minimax", None, Rules.parse(rules))) for rules in ("4x6", "6x8"))
    assert [ExecutionPlan(jobs=2).uses_units(cost) for cost in (small, large)] == [False, True]
    assert [ExecutionPlan(jobs=2).processes(cost) for cost in (small, large)] == [1, 2]
    assert ExecutionPlan(cluster="tcp://x:1").processes(small) is None
    assert ExecutionPlan(cluster="tcp://x:1").uses_units(small)
    assert ExecutionPlan(journal=tmp_path / "a").uses_units(small)
    assert ExecutionPlan().checkpoint_path([small]) is None
    assert ExecutionPlan().checkpoint_path([small, large]).suffix == ".journal"
    assert ExecutionPlan(journal=tmp_path / "a").checkpoint_path([small]) == tmp_path / "a"
