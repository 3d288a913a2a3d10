import sys
from dataclasses import dataclass
from typing import Any

import pytest

from evilpegs_clients.bot.move_chooser import EVALUATIONS_PER_MS, UNTIMED_MS, MoveChooser, guess_budget, remaining_turns
from evilpegs_clients.connection.connection import ReceivedMessage
from evilpegs_clients.connection.match_view import MatchView
from evilpegs_clients.strategies.consistent import RandomConsistent
from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_game.errors import ContradictionError, OverBudgetError
from evilpegs_game.feedback import Feedback
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules
from evilpegs_protocol.codec import canonical, decode_event

CLASSIC_RULES = Rules(4, 6)


@dataclass(frozen=True)
class Doing:
    """A strategy that calls ``do``."""

    do: Any
    name: str = "doing"
    uses_rng: bool = True

    def choose(self, position, rng):
        return self.do(position)


@pytest.fixture
def view(honest_match):
    match = honest_match(clock={"base_ms": 1000, "increment_ms": 100})
    match.ready()
    match.guess("112")
    view = MatchView(match.match)
    for message in [*match.events, *match.open_turn()]:
        view.apply(ReceivedMessage(decode_event(canonical(message)), message))
    return view


def chosen(view, do):
    chooser = MoveChooser(Doing(do), 1, LiveSets())
    return chooser.choose(chooser.position(view), 1), chooser


def test_chooser_position_is_open_turn(view):
    chooser = MoveChooser(RandomConsistent(), 1, LiveSets())
    position = chooser.position(view)
    assert (position.rules, position.history, position.turn) == (view.rules, view.history, 2)
    assert position.budget > 1
    assert position.is_candidate(chooser.choose(position, 1))
    assert chooser.choose(position, 1) == MoveChooser(RandomConsistent(), 1, LiveSets()).choose(position, 1)


def test_chooser_seed_differs_by_game_match_and_run():
    seeds = set()
    for run in (1, 2):
        for match in ("00" * 8, "01" * 8):
            for game in (1, 2, 11):
                seeds |= {MoveChooser(RandomConsistent(), run, LiveSets()).game_seed(match, game)}
    assert len(seeds) == 12


def test_chooser_plays_first_candidate_over_budget(view):
    def over(position):
        raise OverBudgetError("too much")

    code, chooser = chosen(view, over)
    assert code == chooser.position(view).first_candidate
    assert chooser.over_budget == 1


@pytest.mark.parametrize(
    ("do", "cause", "named"),
    [
        (lambda position: 1 / 0, ZeroDivisionError, ["turn 2", "ZeroDivisionError: division by zero"]),
        (lambda position: (9, 9, 9), None, ["(9, 9, 9)", "3x4"]),
        (lambda position: None, None, ["None", "3x4"]),
        (lambda position: sys.exit(5), SystemExit, ["turn 2", "SystemExit: 5"]),
        (lambda position: exec("raise KeyboardInterrupt"), KeyboardInterrupt, ["turn 2", "KeyboardInterrupt"]),
        (lambda position: exec("raise ValueError('two\\nlines')"), ValueError, ["turn 2", "ValueError: two lines"]),
    ],
)
def test_chooser_names_failure_of_strategy(view, do, cause, named):
    with pytest.raises(StrategyError) as caught:
        chosen(view, do)
    assert type(caught.value.__cause__) is (cause or type(None))
    assert [text for text in ["doing", *named] if text not in str(caught.value)] == []
    assert "\n" not in str(caught.value)


def test_chooser_passes_on_game_error(view):
    """An error of the game is the end of the strategy, not its failure: its class is not named."""

    def contradict(position):
        return position.after((0, 0, 0), Feedback(3, 0)).after((1, 1, 1), Feedback(3, 0)).count

    with pytest.raises(StrategyError, match=r"doing.*\b2\b.*3x4") as caught:
        chosen(view, contradict)
    assert isinstance(caught.value.__cause__, ContradictionError)
    assert str(caught.value).endswith(str(caught.value.__cause__))
    assert "ContradictionError" not in str(caught.value)


def test_budget_of_untimed_guess_is_fixed():
    assert guess_budget(CLASSIC_RULES, 1, 10, None) == UNTIMED_MS * EVALUATIONS_PER_MS


def test_budget_suffices_for_first_minimax_guess():
    assert guess_budget(CLASSIC_RULES, 1, 10, 60_000, 1000) > 1296**2
    assert guess_budget(Rules(5, 8), 2, 14, 60_000, 1000) > 32768**2 // 2


def test_budget_shrinks_with_time_left():
    budgets = [guess_budget(CLASSIC_RULES, 3, 10, left) for left in (60_000, 5000, 400, 100, 0)]
    assert budgets == sorted(budgets, reverse=True)
    assert budgets[-1] == 1


def test_budget_includes_half_the_increment():
    assert guess_budget(CLASSIC_RULES, 3, 10, 0, 1000) == 500 * EVALUATIONS_PER_MS


@pytest.mark.parametrize(("turn", "remaining"), [(1, 8), (4, 5), (7, 2), (9, 2), (10, 1)])
def test_remaining_turns_shrink_during_game(turn, remaining):
    assert remaining_turns(CLASSIC_RULES, turn, 10) == remaining


def test_budgets_never_use_up_clock():
    left = 60_000.0
    for turn in range(1, 11):
        left -= guess_budget(CLASSIC_RULES, turn, 10, int(left)) / EVALUATIONS_PER_MS
        assert left > 0
