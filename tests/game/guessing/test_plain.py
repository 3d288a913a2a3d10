"""Small searches by numpy alone choose what kernels choose, and only as long as compiling would take longer."""

from unittest import mock

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evilpegs.main import main as run_main
from evilpegs_clients.strategies.heuristics import Minimax
from evilpegs_clients.strategies.registry import warm_up
from evilpegs_game import kernels
from evilpegs_game.codes import all_codes
from evilpegs_game.evaluation import heuristic
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.feedback import Feedback, Turn
from evilpegs_game.guessing import plain, selection
from evilpegs_game.guessing.criteria import ENTROPY, EXPECTED_SIZE, LEXICOGRAPHIC, MINIMAX, MOST_PARTS, TWO_PLY
from evilpegs_game.guessing.plain import allow_plain_work, is_plain_work, plain_size_table
from evilpegs_game.guessing.selection import best_guess
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.partition import part_size_table
from evilpegs_game.rules import Rules
from support.examples import share

CRITERIA = [MINIMAX, LEXICOGRAPHIC, EXPECTED_SIZE, ENTROPY, MOST_PARTS]
SMALL = Rules(3, 5)
RULES = [Rules(1, 1), Rules(2, 4), SMALL, Rules(4, 3), Rules(3, 4, repeats=False)]


class NotCompiledError(AssertionError):
    """A kernel was called that is not compiled."""


@pytest.fixture
def uncompiled(monkeypatch):
    """Let no search have been compiled, and nothing be decided yet about plain work; a compiled search fails."""

    def fail(*_):
        raise NotCompiledError

    monkeypatch.setattr(plain, "is_compiled", lambda _: False)
    monkeypatch.setattr(plain.Work, "is_allowed", None)
    monkeypatch.setattr(plain.Work, "done", 0)
    monkeypatch.setattr(selection, "best_guess_at", fail)
    monkeypatch.setattr(heuristic, "best_guess_at", fail)
    monkeypatch.setattr(heuristic, "count_solved_codes", fail)


@pytest.mark.parametrize("block", [1 << 17, 100, 1])
@settings(max_examples=share(30))
@given(rules=st.sampled_from(RULES), data=st.data())
def test_table_is_that_of_kernels(block, rules, data):
    codes = all_codes(rules)
    chosen = st.lists(st.integers(0, rules.size - 1), min_size=1, max_size=20)
    live, guesses = (np.array(codes[:, data.draw(chosen)]) for _ in range(2))
    expected = part_size_table(live, guesses)
    with mock.patch.object(plain, "_BLOCK", block):
        assert plain_size_table(live, guesses).tolist() == expected.tolist()


@pytest.mark.parametrize("candidates_only", [False, True])
@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: criterion.name)
def test_evaluation_is_that_of_kernels(monkeypatch, criterion, candidates_only):
    given = SMALL, criterion, (), (0, 0, 1), candidates_only
    finished: list[int] = []
    with monkeypatch.context() as context:
        context.setattr(plain.Work, "is_allowed", False)
        expected = evaluate_heuristic(*given)
    monkeypatch.setattr(plain, "is_compiled", lambda _: False)
    monkeypatch.setattr(plain.Work, "is_allowed", True)
    monkeypatch.setattr(plain.Work, "done", 0)
    assert evaluate_heuristic(*given, progress=finished.append) == expected
    assert sum(finished) == sum(expected)
    assert plain.Work.done > 0


@pytest.mark.usefixtures("uncompiled")
def test_work_is_plain_only_where_it_is_allowed():
    position = Position(SMALL, (), LiveSets())
    with pytest.raises(NotCompiledError):
        best_guess(position, MINIMAX)
    allow_plain_work()
    assert best_guess(position, MINIMAX) == (0, 1, 2)
    assert sum(evaluate_heuristic(SMALL, MINIMAX)) == SMALL.size
    with pytest.raises(NotCompiledError):
        best_guess(position, TWO_PLY)


@pytest.mark.usefixtures("uncompiled")
def test_work_is_plain_until_it_adds_up(monkeypatch):
    position = Position(SMALL, (), LiveSets())
    monkeypatch.setattr(plain, "PLAIN_FEEDBACKS", 3 * SMALL.size**2 - 1)
    for _ in range(2):
        allow_plain_work()  # said again, it allows no more
        assert best_guess(position, MINIMAX) == (0, 1, 2)
    with pytest.raises(NotCompiledError):
        best_guess(position, MINIMAX)


@pytest.mark.usefixtures("uncompiled")
def test_large_work_is_compiled(monkeypatch):
    allow_plain_work()
    monkeypatch.setattr(plain, "PLAIN_FEEDBACKS", 5 * SMALL.size**2 - 1)
    with pytest.raises(NotCompiledError):
        evaluate_heuristic(SMALL, MINIMAX)
    assert best_guess(Position(SMALL, (), LiveSets()), MINIMAX) == (0, 1, 2)
    with pytest.raises(NotCompiledError):
        best_guess(Position(Rules(5, 8), (), LiveSets()), MINIMAX)


@pytest.mark.usefixtures("uncompiled")
def test_table_of_many_guesses_is_not_made():
    """A few candidates are few feedbacks with all codes, but these would have a table of gigabytes."""
    position = Position(Rules(8, 9), (Turn((0, 1, 2, 3, 4, 5, 6, 6), Feedback(7, 0)),), LiveSets(1 << 30))
    assert position.count == 64
    allow_plain_work()
    assert position.is_candidate(best_guess(position, MINIMAX, candidates_only=True))
    with pytest.raises(NotCompiledError):
        best_guess(position, MINIMAX)


def test_clock_never_waits_for_kernels(monkeypatch):
    monkeypatch.setattr(plain, "is_compiled", lambda _: False)
    monkeypatch.setattr(plain.Work, "is_allowed", None)
    warm_up(Minimax(), (), LiveSets())
    allow_plain_work()
    assert not is_plain_work(None, MINIMAX, 1, 1)


@pytest.mark.parametrize("in_units", [False, True])
def test_only_small_evaluations_in_one_piece_are_plain(monkeypatch, tmp_path, in_units):
    """Units may run in other processes, each of which would compile if the first did not."""
    monkeypatch.setattr(plain, "is_compiled", lambda _: False)
    monkeypatch.setattr(plain.Work, "is_allowed", None)
    monkeypatch.setattr(plain.Work, "done", 0)
    options = ["--journal", str(tmp_path / "a.journal")] if in_units else []
    assert run_main(["evaluate", "minimax", "--rules", "3x5", *options]) == 0
    assert plain.Work.is_allowed is not in_units
    assert (plain.Work.done == 0) is in_units


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="asks for compiled kernels")
def test_compiled_kernels_are_used(monkeypatch):
    monkeypatch.setattr(plain.Work, "is_allowed", True)
    monkeypatch.setattr(plain.Work, "done", 0)
    monkeypatch.setattr(kernels, "kernel_folder", lambda: None)
    selection.best_of_few(np.array(all_codes(SMALL)), 5, True, 0, *MINIMAX.measure(125), False, 1)
    assert not is_plain_work(selection.best_of_few, MINIMAX, 1, 1)
