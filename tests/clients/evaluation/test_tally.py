"""Tallies: they do not depend on the workers, and outcomes of checkpoints and workers are checked."""

from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs_clients.errors import EvaluationError
from evilpegs_clients.evaluation.checkpoint import memory_checkpoint
from evilpegs_clients.evaluation.executors import InlineExecutor, Workers
from evilpegs_clients.evaluation.outcomes import SolvedCounts
from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.evaluation.tally import tally_tasks
from evilpegs_clients.evaluation.tasks import SubtreeTask, play
from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.seeding import draw_secret, game_seed
from evilpegs_clients.strategies.strategy import seeded_choice
from evilpegs_game.codemakers.codemaker import Fixed
from evilpegs_game.codes import code_at, format_code
from evilpegs_game.errors import StuckError
from evilpegs_game.evaluation.exact import duel, evaluate
from evilpegs_game.evaluation.tree_walk import MAX_IDLE_TURNS
from evilpegs_game.rules import Rules
from support.examples import share
from support.printed import numbers_in

RULES = Rules(3, 4)
INLINE = Workers(InlineExecutor(), 1)


class FailingExecutor(Executor):
    """An executor that raises an error, either when a task is submitted or when its result is read."""

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


def tally(of, task_size=5, workers=INLINE, checkpoint=None, advance=ignore):
    return tally_tasks(of, "0 ", workers, checkpoint or memory_checkpoint(), task_size, advance)


@pytest.mark.parametrize("strategy", ["minimax", "first-consistent", "random-consistent", "sampled"])
@pytest.mark.parametrize("task_size", [1, 5, 20, 1000])
def test_tally_equals_one_walk(strategy, task_size):
    result = evaluate(seeded_choice(load_strategy(strategy)), RULES)
    found = tally(spec(strategy), task_size)
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
def test_tally_equals_walk_of_any_spec(rules, strategy, pick, candidates_only, task_size, seed):
    first = code_at(pick % rules.size, rules)
    result = evaluate(seeded_choice(load_strategy(strategy, candidates_only), seed), rules, first)
    found = tally(
        spec(strategy, rules, first=format_code(first), candidates_only=candidates_only, seed=seed), task_size
    )
    assert (found.first, found.distribution) == (first, result.distribution)


def test_tally_ignores_order_of_workers():
    tree, games = spec("random-consistent", first="123"), spec("random-consistent", games=60)
    with ThreadPoolExecutor(3) as threads:
        for tasks in (2, 30):
            assert tally(tree, workers=Workers(threads, tasks)) == tally(tree)
            assert tally(games, 10, Workers(threads, tasks)) == tally(games, 7)


def test_tally_advances_to_the_end():
    moved = []
    tally(spec(), advance=moved.append)
    assert sum(moved) == RULES.size
    moved.clear()
    tally(spec(games=17), advance=moved.append)
    assert moved == [5, 5, 5, 2]


def test_tally_skips_tasks_in_checkpoint():
    checkpoint = memory_checkpoint()
    expected = tally(spec(), checkpoint=checkpoint)
    nobody = Workers(FailingExecutor(AssertionError("played"), at_once=True), 1)
    assert tally(spec(), checkpoint=checkpoint, workers=nobody) == expected
    lost = sorted(checkpoint.outcomes)[3]
    del checkpoint.outcomes[lost]
    with pytest.raises(AssertionError, match="played"):
        tally(spec(), checkpoint=checkpoint, workers=nobody)
    assert tally(spec(), checkpoint=checkpoint) == expected
    assert lost in checkpoint.outcomes


def test_tally_keeps_specs_in_checkpoint_apart():
    checkpoint = memory_checkpoint()
    first = tally_tasks(spec(), "0 ", INLINE, checkpoint, 5, ignore)
    other = tally_tasks(spec("first-consistent"), "1 ", INLINE, checkpoint, 5, ignore)
    assert first != other == tally(spec("first-consistent"))


def subtree_key(checkpoint):
    """Return the key of the first subtree in the checkpoint, with its prefix."""
    return next(key for key in checkpoint.outcomes if " part " in key)


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
    checkpoint = memory_checkpoint()
    tally(spec(), checkpoint=checkpoint)
    key = subtree_key(checkpoint)
    wrong(checkpoint.outcomes, key)
    with pytest.raises(EvaluationError) as caught:
        tally(spec(), checkpoint=checkpoint)
    assert repr(key.removeprefix("0 ")) in str(caught.value)


@pytest.mark.parametrize("wrong", WRONG_CHOICES.values(), ids=WRONG_CHOICES)
def test_tally_refuses_impossible_choice(wrong):
    checkpoint = memory_checkpoint()
    tally(spec(), checkpoint=checkpoint)
    wrong(checkpoint.outcomes)
    with pytest.raises(EvaluationError, match="'choice'"):
        tally(spec(), checkpoint=checkpoint)


def test_tally_checks_outcome_before_recording():
    class Liar(InlineExecutor):
        def submit(self, function, /, task):
            return super().submit(
                lambda: SolvedCounts((task.size + 1,)) if isinstance(task, SubtreeTask) else play(task)
            )

    checkpoint = memory_checkpoint()
    with pytest.raises(EvaluationError, match="'part "):
        tally(spec(), workers=Workers(Liar(), 1), checkpoint=checkpoint)
    assert checkpoint.outcomes
    assert not any(" part " in key for key in checkpoint.outcomes)


class KilledWorker(Exception):  # noqa: N818
    """The name of distributed's error for a task whose workers were lost again and again."""


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


def test_tally_raises_faults_of_tasks():
    with pytest.raises(ZeroDivisionError):
        tally(spec(), workers=Workers(FailingExecutor(ZeroDivisionError(), at_once=False), 1))


@pytest.mark.parametrize("task_size", [1, 1000])
def test_tally_finds_stuck_strategy_in_any_tasks(tmp_path, task_size):
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return (0, 0, 0)\n")
    stuck = StrategySpec(str(tmp_path / "mine.py"), None, RULES)
    with pytest.raises(StuckError) as caught:
        tally(stuck, task_size)
    assert {str(MAX_IDLE_TURNS + 2), "3x4"} <= numbers_in(str(caught.value))


@pytest.mark.parametrize("strategy", ["minimax", "random-consistent"])
@pytest.mark.parametrize("task_size", [1, 5, 1000])
@pytest.mark.parametrize("first", [None, "112"])
def test_tally_finds_most_costly_secrets(strategy, task_size, first):
    found = tally(spec(strategy, worst=10, first=first), task_size)
    opening = None if first is None else (0, 0, 1)
    choose = seeded_choice(load_strategy(strategy))
    lengths = [(len(duel(choose, Fixed(code), RULES, opening)), code) for code in map(code_at, range(64), [RULES] * 64)]
    assert found.worst == sorted(lengths, key=lambda entry: (-entry[0], entry[1]))[:10]
    assert tally(spec(strategy, first=first), task_size).worst == []


@pytest.mark.parametrize("task_size", [1, 7, 1000])
def test_tally_keeps_length_of_each_game(task_size):
    of = spec("random-consistent", games=20, seed=3)
    with ThreadPoolExecutor(2) as executor:
        found = tally(of, task_size, Workers(executor, 4))
    seeds = [game_seed(3, number) for number in range(20)]
    strategy = load_strategy("random-consistent")
    duels = [duel(seeded_choice(strategy, seed), Fixed(draw_secret(seed, RULES)), RULES) for seed in seeds]
    assert list(found.lengths) == list(map(len, duels))
    assert found.new_guesses == sum(found.lengths)


def test_games_of_checkpoint_are_not_new():
    checkpoint = memory_checkpoint()
    first = tally(spec("minimax", games=20), 5, checkpoint=checkpoint)
    again = tally(spec("minimax", games=20), 5, checkpoint=checkpoint)
    assert (again.lengths, again.new_guesses) == (first.lengths, 0)
