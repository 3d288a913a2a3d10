"""The tasks that may take long: part sizes, a devil's replies, witnesses, hints, and the analysis and luck of games.

A task is data without secrets. It can run in this process or in another one, and every run gives the same result. Costs
are in units of about 2 nanoseconds of processor time.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Protocol, TypeVar

import orjson

from evilpegs_game.codemakers.codemaker import Evil
from evilpegs_game.codemakers.devil import Devil, Method
from evilpegs_game.codes import Code, code_at, parse_code
from evilpegs_game.errors import ContradictionError, EvilpegsError, TooLargeError
from evilpegs_game.feedback import Feedback, History, Turn, feedbacks
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import unchecked_part_sizes, unchecked_position
from evilpegs_game.luck.game_luck import ValueCurve, game_luck, load_value_curve, to_millionths
from evilpegs_game.rules import Rules
from evilpegs_server.work.hints import HINT_BUDGET, HintResult, find_hint
from evilpegs_server.work.workspace import Workspace

if TYPE_CHECKING:  # the solver and its kernels are not needed before somebody asks for an analysis
    from evilpegs_game.optimal.evil_search import Ties

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)

_FEEDBACKS_PER_UNIT: Final = 3
_UNITS_PER_ROW: Final = 24


@dataclass(frozen=True, slots=True)
class TaskResult(Generic[_T_co]):
    """The result of a task, and the work that only running it could measure."""

    value: _T_co
    cost: int = 0


class Task(Protocol[_T_co]):
    """A computation as data, which can be sent to another process and run there."""

    def run(self, workspace: Workspace) -> TaskResult[_T_co]: ...


class CountParts(NamedTuple):
    """The task of counting all parts of ``guess``, in feedback order."""

    rules: Rules
    history: History
    guess: Code

    def run(self, workspace: Workspace) -> TaskResult[tuple[int, ...]]:
        live_sets = workspace.live_sets
        # only what the caches do not save is a cost
        live_sets.take_work()
        sizes = unchecked_part_sizes(unchecked_position(self.rules, self.history, live_sets), self.guess)
        return TaskResult(sizes, live_sets.take_work() * _UNITS_PER_ROW)


class AllowedReplies(NamedTuple):
    """The replies that a devil may choose from, the method that found them, and part sizes in feedback order."""

    allowed: tuple[Feedback, ...]
    method: Method
    part_sizes: tuple[int, ...]


class FindDevilReplies(NamedTuple):
    """The task of finding the replies that a devil may give, by search up to ``exact_up_to`` candidates."""

    rules: Rules
    exact_up_to: int
    history: History
    guess: Code

    def run(self, workspace: Workspace) -> TaskResult[AllowedReplies]:
        devil = Devil(workspace.worst_case(self.rules), self.exact_up_to)
        position = unchecked_position(self.rules, self.history, workspace.live_sets)
        # the work of positions that were not solved before
        allowed, method, work = devil.allowed_replies(position, self.guess)
        return TaskResult(
            AllowedReplies(allowed, method, unchecked_part_sizes(position, self.guess)), work // _FEEDBACKS_PER_UNIT
        )


class FindWitness(NamedTuple):
    """The task of finding the first candidate in code order."""

    rules: Rules
    history: History

    def run(self, workspace: Workspace) -> TaskResult[Code]:
        return TaskResult(unchecked_position(self.rules, self.history, workspace.live_sets).first_candidate)


class FindHint(NamedTuple):
    rules: Rules
    history: History
    budget: int = HINT_BUDGET
    ties: "Ties | None" = None
    """How evil chooses, in a game against it."""

    def run(self, workspace: Workspace) -> TaskResult[HintResult]:
        position = unchecked_position(self.rules, self.history, workspace.live_sets, self.budget)
        return TaskResult(find_hint(position, self.ties))


class Apart(NamedTuple):
    """A task of a sealed round: it leaves nothing in the caches, or a fast reply would tell what somebody guessed."""

    task: Task[Any]

    def run(self, workspace: Workspace) -> TaskResult[Any]:
        result: TaskResult[Any] = self.task.run(workspace.apart())
        return result


class AnalyzeGames(NamedTuple):
    """The task of analyzing every turn of a match, with the effort `USUAL`."""

    rules: Rules
    games: tuple[History, ...]
    ties: "tuple[Ties | None, ...]"
    """How evil chose, in games against it."""

    def run(self, workspace: Workspace) -> TaskResult[bytes]:
        """Return a list of turns per game as JSON text, each as `TurnAnalysis.to_json` makes it."""
        # as above
        from evilpegs_game.analysis.turns import USUAL, analyze_games  # noqa: PLC0415

        analyses = analyze_games(self.rules, self.games, USUAL, ties=self.ties, live_sets=workspace.live_sets)
        # as text, because receiving it costs the server less than receiving objects
        return TaskResult(orjson.dumps([[turn.to_json() for turn in game] for game in analyses]))


class AdviseOnPosition(NamedTuple):
    """The task of analyzing the turns of a history, and of advice for the position after them."""

    rules: Rules
    history: History
    ties: "Ties | None"

    def run(self, workspace: Workspace) -> TaskResult[bytes]:
        """Return the object of `evilpegs assist --json` as JSON text, and in ``analyses`` the turns analyzed."""
        from evilpegs_game.analysis.advice import Adviser, AssistHistory  # noqa: PLC0415 - as above
        from evilpegs_game.analysis.turns import USUAL, analyze_games  # noqa: PLC0415

        live_sets = workspace.live_sets
        (analyses,) = analyze_games(self.rules, [self.history], USUAL, ties=[self.ties], live_sets=live_sets)
        adviser = Adviser(self.rules, Random, live_sets=live_sets, ties=self.ties)
        advice = adviser.advise(AssistHistory(self.rules, self.history))
        return TaskResult(orjson.dumps(advice.to_json() | {"analyses": [turn.to_json() for turn in analyses]}))


class MeasureLuck(NamedTuple):
    """The task of measuring the luck of finished games, each of which had a fixed secret."""

    rules: Rules
    guess_limit: int
    games: tuple[tuple[tuple[str, int, int], ...], ...]
    """The turns of each game: the code as text, the blacks and the whites. They may be invalid."""

    def run(self, workspace: Workspace) -> TaskResult[list[int | None]]:
        """Return the luck of each game in millionths of a guess, bad luck positive; None if it cannot be measured."""
        curve = load_value_curve(self.rules, self.guess_limit)
        if curve is None:
            return TaskResult([None] * len(self.games))
        return TaskResult([_measure_luck(self.rules, turns, curve, workspace.live_sets) for turns in self.games])


def _measure_luck(
    rules: Rules, turns: Iterable[tuple[str, int, int]], curve: ValueCurve, live_sets: LiveSets
) -> int | None:
    try:
        history = tuple(Turn(parse_code(code, rules), Feedback(black, white)) for code, black, white in turns)
        if any(turn.feedback not in feedbacks(rules.pegs) for turn in history):
            return None
    except (EvilpegsError, TypeError, AttributeError):  # a damaged record may hold any JSON values
        return None
    try:
        return to_millionths(game_luck(rules, history, curve, live_sets))
    except (ContradictionError, TooLargeError):
        return None


class WarmUp(NamedTuple):
    """Compiling and filling caches before anybody waits: ``turns`` turns against evil, the last also to a devil."""

    rules: Rules
    turns: int
    exact_up_to: int | None = None

    def run(self, workspace: Workspace) -> TaskResult[None]:
        table = workspace.live_sets.feedback_table(self.rules)
        if table is not None:
            table.complete()
        history: History = ()
        for turn in range(1, self.turns + 1):
            guess = code_at(turn * self.rules.size // (self.turns + 2), self.rules)
            position = unchecked_position(self.rules, history, workspace.live_sets)
            if turn == self.turns and self.exact_up_to is not None:
                FindDevilReplies(self.rules, self.exact_up_to, history, guess).run(workspace)
            history = (*history, Turn(guess, Evil().reply(position, guess)))
            FindWitness(self.rules, history).run(workspace)
        return TaskResult(None)


class ExportSolved(NamedTuple):
    def run(self, workspace: Workspace) -> TaskResult[bytes | None]:
        """Return them as `SolvedPositions.to_bytes` does; None if none was solved since the last export."""
        solved = workspace.solved
        if not solved.changed:
            return TaskResult(None)
        solved.changed = False
        return TaskResult(solved.to_bytes())


def run_task(task: Task[_T], workspace: Workspace) -> tuple[_T | Exception, int]:
    """Return the result of ``task``, or the exception that it raised, and its cost, which is 0 after an exception."""
    result = outcome_of(partial(task.run, workspace))
    return (result, 0) if isinstance(result, Exception) else (result.value, result.cost)


def outcome_of(work: Callable[[], _T]) -> _T | Exception:
    """Return the result of ``work``, or the exception that it raised."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - returned to the caller
        return error
