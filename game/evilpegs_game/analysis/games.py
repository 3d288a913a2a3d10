"""The analysis of several games on the same rules, in which equal positions are analyzed once."""

from collections.abc import Callable, Sequence

from evilpegs_game.analysis.turns import Effort, TurnAnalysis, analyze_turn
from evilpegs_game.history import History
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.within_budget import BoundedSolver
from evilpegs_game.rules import Rules


def analyze_games(
    rules: Rules,
    games: Sequence[History],
    effort: Effort,
    *,
    live_sets: LiveSets | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[tuple[TurnAnalysis, ...], ...]:
    """Return the analysis of every turn of every game, one tuple per game.

    ``live_sets`` is a cache and changes no result. ``progress`` is called after each turn with the number of turns
    analyzed so far and the number of all turns.
    """
    opening = Position(rules, (), live_sets or LiveSets(), effort.feedback_budget)
    solver = BoundedSolver(rules, effort.solver_budget)
    known: dict[History, TurnAnalysis] = {}
    done, turns = 0, sum(map(len, games))
    for game in games:
        position = opening
        for turn in game:
            history = (*position.history, turn)
            if history not in known:
                known[history] = analyze_turn(position, turn, solver, effort.counted_codes)
            position = position.after(*turn)
            done += 1
            if progress is not None:
                progress(done, turns)
    return tuple(tuple(known[game[: turn + 1]] for turn in range(len(game))) for game in games)
